// Calls that may never come back, watched by another thread: here the end that is asked for lets them go.
#include "support/ranks/watch.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/timer.hpp"

namespace gpugauge::bench::ranks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// What the watching thread was told, and the watch itself.
struct Watched {
  std::mutex mutex;
  std::vector<std::string> sentences;
  std::atomic<int> looks{0};
  std::atomic<bool> parted{false};
  std::atomic<bool> ended{false};
  Watch watch{"GPU-7 (node)",
              [this]() -> std::optional<std::string> {
                ++looks;
                return parted ? std::optional<std::string>("rank 3 gave up: no room") : std::nullopt;
              },
              [this](const std::string& sentence) {
                const std::lock_guard<std::mutex> lock(mutex);
                sentences.push_back(sentence);
                ended = true;
              }};

  /// A call that lasts until it is ended, 30 s at most.
  void stuck(double limit_seconds) {
    const Watch::Call call(watch, "enqueueing", limit_seconds);
    const double until = steady_seconds() + 30;
    while (!ended && steady_seconds() < until) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
};

TEST(Watch, a_call_that_does_not_come_back_is_ended_with_what_it_did_and_where) {
  Watched here;
  here.stuck(1.5);
  EXPECT_THAT(here.sentences, ElementsAre("enqueueing on GPU-7 (node) did not come back within 1.5 s"));
}

TEST(Watch, a_call_that_waits_for_ranks_that_have_parted_is_ended_with_their_sentence) {
  Watched here;
  here.parted = true;
  here.stuck(1000);
  EXPECT_THAT(here.sentences, ElementsAre("rank 3 gave up: no room"));
}

TEST(Watch, ordinary_calls_are_many_and_ask_nobody) {
  Watched here;
  here.parted = true;
  const double until = steady_seconds() + 1.5;
  double longest = 0;
  for (double began = 0; began < until;) {
    began = steady_seconds();
    { const Watch::Call call(here.watch, "enqueueing", 1e-9); }
    longest = std::max(longest, steady_seconds() - began);
  }
  if (longest >= 1) GTEST_SKIP() << "the machine stopped for a second, which makes a call a long one";
  EXPECT_EQ(here.looks, 0);
  EXPECT_THAT(here.sentences, IsEmpty());
}

TEST(Watch, between_calls_nothing_is_late) {
  Watched here;
  { const Watch::Call call(here.watch, "enqueueing", 0.1); }
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  EXPECT_THAT(here.sentences, IsEmpty());
}

TEST(Watch, a_call_that_ends_while_it_is_looked_at_waits_for_the_look) {
  std::atomic<bool> looking{false};
  std::atomic<bool> seen{false};
  Watch watch("here",
              [&]() -> std::optional<std::string> {
                looking = true;
                std::this_thread::sleep_for(std::chrono::milliseconds(300));
                seen = true;
                return std::nullopt;
              },
              {});
  {
    const Watch::Call call(watch, "enqueueing", 1000);
    while (!looking) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace gpugauge::bench::ranks
