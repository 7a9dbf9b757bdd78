// Two threads that wake each other through a futex.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "support/host.hpp"

namespace gpugauge::bench {

/// The calling thread on one processor and a partner thread on another (or the same). Each wakes the other
/// and sleeps.
class FutexPair {
 public:
  /// Throws std::system_error when a thread cannot be made or pinned.
  FutexPair(int cpu_here, int cpu_there);
  ~FutexPair();
  FutexPair(const FutexPair&) = delete;
  FutexPair& operator=(const FutexPair&) = delete;

  /// Does exactly `wakes` wakes, alternately there and back, each of a thread that sleeps. After an odd
  /// number the caller polls for the last one instead of sleeping.
  void exchange(std::int64_t wakes);
  /// True when the partner answered every wake.
  bool answered() const;
  /// How often the partner ran because it was woken.
  std::int64_t wakes_answered() const { return answers_.load(); }

 private:
  enum Word : std::uint32_t { here_runs, there_runs, there_runs_quietly, ending };
  void partner(int cpu);
  void post(Word word);

  Pinned pinned_;
  std::atomic<std::uint32_t> word_{here_runs};
  std::atomic<bool> unpinned_{false};
  std::int64_t called_ = 0;
  std::atomic<std::int64_t> answers_{0};
  std::thread thread_;
};

}  // namespace gpugauge::bench
