// A team of threads, each pinned to one processor, that run the same task at the same time, batch after
// batch.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "support/host.hpp"

namespace gpugauge::bench {

/// One member per processor; the calling thread is member 0 and is pinned for the team's lifetime.
class ThreadTeam {
 public:
  /// Throws std::system_error when a thread cannot be made or pinned.
  explicit ThreadTeam(const std::vector<int>& cpus);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Number of members, including the calling thread: 1 or more.
  int size() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Every member calls task(its number); returns when all have finished. `task` must not throw.
  void run(const std::function<void(int)>& task);

 private:
  void help(int member, int cpu);
  void stop();

  Pinned pinned_;
  const std::function<void(int)>* task_ = nullptr;
  std::atomic<int> round_{0};
  std::atomic<int> working_{0};
  std::atomic<int> unpinned_{0};
  std::atomic<bool> ending_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace gpugauge::bench
