// A neighbour that takes processors or memory bandwidth until it is ended: what a fault puts beside a
// measurement.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace gpugauge::run {

/// What each of its threads does without end.
enum class LoadKind {
  compute,  ///< multiplies and adds in registers
  memory,   ///< copies between two buffers that no cache holds
};

/// Said on standard output, as a line, as soon as all threads are at work.
inline constexpr std::string_view load_ready = "ready";

/// The child's side, what `gpugauge probe load` runs: one thread on each of these processors (as the kernel
/// counts them; empty = all that this process may use). Ends only by a signal, and with `parent` (0 =
/// nobody's). `bytes` is what each thread's buffers hold together, where it streams memory. Returns 1 where
/// the parent has gone; where the kernel refuses a processor or there is no memory, the process says so on
/// standard error and ends with 1.
int load_main(LoadKind kind, const std::vector<int>& processors, std::size_t bytes, pid_t parent);

}  // namespace gpugauge::run
