#include "result/threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

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

TEST(Threads, none_asked_for_are_none) {
  std::vector<std::jthread> threads;
  start_threads(threads, 0, [] { FAIL() << "nobody works"; });
  EXPECT_TRUE(threads.empty());
}

}  // namespace
}  // namespace gpugauge::result
