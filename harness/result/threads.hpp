// Threads that share one task, as many as the system allows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
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

/// Calls `work` in this thread and in others, `most_threads` in all and fewer where the system gives fewer,
/// and returns when all have ended. `work` must take its work piece by piece. Throws the first exception that
/// left it.
template <typename Work>
void share_work(std::size_t most_threads, const Work& work) {
  std::mutex mutex;
  std::exception_ptr first;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    if (most_threads > 1) start_threads(others, most_threads - 1, guarded);
    guarded();
  }
  if (first) std::rethrow_exception(first);
}

/// Calls `work` once with each number below `count`, in threads like share_work(). Throws the first exception
/// that left it; numbers that nobody has taken until then are left out.
template <typename Work>
void for_each_in_parallel(std::size_t count, std::size_t most_threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  share_work(std::min(count, most_threads), [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

}  // namespace gpugauge::result
