#include "support/thread_team.hpp"

#include <cerrno>
#include <system_error>

#include "result/processor_list.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench {

namespace {

// Waits until `word` differs from `old`. Batches follow within microseconds, so it polls for a while before
// it sleeps. It does not poll longer, because threads that share its processor would wait for it.
int changed(const std::atomic<int>& word, int old) {
  constexpr double looking_seconds = 30e-6;
  int now = word.load(std::memory_order_acquire);
  if (now != old) return now;
  const double start = steady_seconds();
  while (steady_seconds() - start < looking_seconds) {
    now = word.load(std::memory_order_acquire);
    if (now != old) return now;
  }
  word.wait(old, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(const std::vector<int>& cpus) : pinned_({cpus.at(0)}) {
  try {
    for (std::size_t member = 1; member < cpus.size(); ++member) {
      working_.fetch_add(1);
      helpers_.emplace_back([this, member, cpu = cpus[member]] { help(static_cast<int>(member), cpu); });
    }
  } catch (...) {
    stop();
    throw;
  }
  for (int left = working_.load(); left != 0; left = changed(working_, left)) {
  }
  if (unpinned_.load() != 0) {
    stop();
    throw std::system_error(EINVAL, std::generic_category(),
                            "cannot pin a thread to each of processors " + result::processors_text(cpus));
  }
}

ThreadTeam::~ThreadTeam() {
  stop();
}

void ThreadTeam::stop() {
  ending_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
  helpers_.clear();
}

void ThreadTeam::run(const std::function<void(int)>& task) {
  task_ = &task;
  working_.store(static_cast<int>(helpers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  task(0);
  for (int left = working_.load(std::memory_order_acquire); left != 0; left = changed(working_, left)) {
  }
}

void ThreadTeam::help(int member, int cpu) {
  const auto done = [this] {
    working_.fetch_sub(1, std::memory_order_release);
    working_.notify_all();
  };
  try {
    const Pinned here({cpu});
    int seen = round_.load();
    done();
    // A team that could not be completed may have been ended before this member saw its first round.
    while (!ending_.load()) {
      seen = changed(round_, seen);
      if (ending_.load()) return;
      (*task_)(member);
      done();
    }
  } catch (const std::system_error&) {
    unpinned_.fetch_add(1);
    done();
  }
}

}  // namespace gpugauge::bench
