// Threads that share one task, as many as the system gives.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace gpugauge::result {

/// Adds `count` threads that call `work` to `threads`, or as many as the system gives: a limit on processes
/// (ulimit -u, a container's pids.max) counts threads, too, and is no reason to give up. `work` must take
/// what is to be done piece by piece, so that fewer threads do all of it. Where the system gives none,
/// `threads` stays as it was, and the caller has to do the work.
template <typename Work>
void start_threads(std::vector<std::jthread>& threads, std::size_t count, const Work& work) {
  try {
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {
    return;
  }
}

}  // namespace gpugauge::result
