#include "support/futex_pair.hpp"

#include <cerrno>
#include <system_error>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "result/processor_list.hpp"

namespace gpugauge::bench {

namespace {

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  // An interrupted or refused wait is harmless, because every caller checks the word again.
  syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) futex(word, FUTEX_WAIT, value);
}

}  // namespace

FutexPair::FutexPair(int cpu_here, int cpu_there) : pinned_({cpu_here}) {
  word_.store(there_runs);
  thread_ = std::thread([this, cpu_there] { partner(cpu_there); });
  wait_while(word_, there_runs);
  if (unpinned_.load()) {
    thread_.join();
    throw std::system_error(EINVAL, std::generic_category(),
                            "cannot pin a thread to processor " + result::processors_text({cpu_there}));
  }
}

FutexPair::~FutexPair() {
  post(ending);
  thread_.join();
}

void FutexPair::post(Word word) {
  word_.store(word, std::memory_order_release);
  futex(word_, FUTEX_WAKE, 1);
}

void FutexPair::exchange(std::int64_t wakes) {
  for (std::int64_t left = wakes; left > 0; left -= 2) {
    ++called_;
    if (left == 1) {
      post(there_runs_quietly);
      while (word_.load(std::memory_order_acquire) == there_runs_quietly) sched_yield();
    } else {
      post(there_runs);
      wait_while(word_, there_runs);
    }
  }
}

bool FutexPair::answered() const {
  return answers_.load() == called_;
}

void FutexPair::partner(int cpu) {
  try {
    const Pinned here({cpu});
    post(here_runs);
    while (true) {
      wait_while(word_, here_runs);
      const std::uint32_t word = word_.load(std::memory_order_acquire);
      if (word == ending) return;
      answers_.fetch_add(1, std::memory_order_relaxed);
      if (word == there_runs_quietly)
        word_.store(here_runs, std::memory_order_release);
      else
        post(here_runs);
    }
  } catch (const std::system_error&) {
    unpinned_.store(true);
    post(here_runs);
  }
}

}  // namespace gpugauge::bench
