// Threads that share one task, as many as the system gives.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "result/stops_held_back.hpp"

namespace gpugauge::result {

/// Adds `count` threads that call `work` to `threads`, or as many as the system gives: a limit on processes
/// (ulimit -u, a container's pids.max) counts threads, too, and is no reason to give up. `work` must take
/// what is to be done piece by piece, so that fewer threads do all of it. Where the system gives none,
/// `threads` stays as it was, and the caller has to do the work. A stop (SIGINT, SIGTERM, SIGHUP) comes to
/// none of them: a thread that holds it back for a moment would not, if another took it.
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
