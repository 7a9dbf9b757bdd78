// A background load that uses processors or memory bandwidth until it is ended. Injected faults run it beside
// a measurement.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace gpugauge::run {

/// What each load thread repeats until it is ended.
enum class LoadKind {
  compute,  ///< multiplies and adds in registers
  memory,   ///< copies between two buffers that no cache holds
};

/// The line on standard output that tells that all threads are at work.
inline constexpr std::string_view load_ready = "ready";

/// The child's side; `gpugauge probe load` runs it. Starts one thread on each of `processors` (kernel
/// numbers; empty = all that this process may use). `bytes` is the total size of each thread's buffers, for
/// LoadKind::memory. Runs until a signal ends it or `parent` ends (0 = no parent). Returns 1 if the parent
/// has already gone. If the kernel refuses a processor or memory runs out, it says so on standard error and
/// exits with 1.
int load_main(LoadKind kind, const std::vector<int>& processors, std::size_t bytes, pid_t parent);

}  // namespace gpugauge::run
