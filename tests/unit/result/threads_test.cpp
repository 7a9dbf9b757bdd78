#include "result/threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
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

TEST(Threads, each_number_is_worked_on_once) {
  for (const std::size_t threads : {0, 1, 4, 2000}) {
    std::array<std::atomic<int>, 1000> done{};
    for_each_in_parallel(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }))
        << threads;
  }
  for_each_in_parallel(0, 4, [](std::size_t) { FAIL() << "there is none"; });
}

TEST(Threads, an_exception_is_thrown_when_all_have_ended) {
  std::atomic<int> working = 0;
  std::atomic<bool> thrown = false;
  const auto work = [&](std::size_t i) {
    if (i == 0) {
      thrown = true;
      throw std::runtime_error("of the first");
    }
    ++working;
    while (!thrown) std::this_thread::yield();
    --working;
  };
  EXPECT_THAT([&] { for_each_in_parallel(1000, 4, work); },
              testing::ThrowsMessage<std::runtime_error>("of the first"));
  EXPECT_EQ(working, 0);
}

TEST(Threads, one_of_several_exceptions_is_thrown) {
  EXPECT_THROW(share_work(4, [] { throw std::runtime_error("each"); }), std::runtime_error);
}

}  // namespace
}  // namespace gpugauge::result
