// Threads that share one task, as many as the system allows.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "result/stops_held_back.hpp"

namespace gpugauge::result {

/// Adds up to `count` threads that call `work` to `threads`. Limits on processes (ulimit -u, a container's
/// pids.max) count threads too, so fewer may start. `work` must take its work piece by piece, so that fewer
/// threads still do all of it. If no thread starts, `threads` stays as it was, and the caller must do the
/// work. These threads take no stop signal (SIGINT, SIGTERM, SIGHUP): StopsHeldBack in another thread would
/// otherwise not hold it back.
template <typename Work>
void start_threads(std::vector<std::jthread>& threads, std::size_t count, const Work& work) {
  const StopsHeldBack in_all_of_them;
  try {
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {
    return;
  }
}

}  // namespace gpugauge::result
