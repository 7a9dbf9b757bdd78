#include "result/threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>

namespace gpugauge::result {
namespace {

TEST(Threads, share_what_is_to_be_done) {
  std::array<std::atomic<int>, 1000> done{};
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> threads;
    start_threads(threads, 4, [&] {
      for (std::size_t i = next++; i < done.size(); i = next++) ++done[i];
    });
    EXPECT_EQ(threads.size(), 4U);
  }
  EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }));
}

bool takes(int signal) {
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 0;
}

TEST(Threads, a_stop_comes_to_the_one_that_started_them) {
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> threads;
    start_threads(threads, 3, [&] {
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) taken += takes(signal) ? 1 : 0;
    });
    ASSERT_EQ(threads.size(), 3U);
  }
  EXPECT_EQ(taken, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) EXPECT_TRUE(takes(signal));
}

TEST(Threads, none_asked_for_are_none) {
  std::vector<std::jthread> threads;
  start_threads(threads, 0, [] { FAIL() << "nobody works"; });
  EXPECT_TRUE(threads.empty());
}

}  // namespace
}  // namespace gpugauge::result
