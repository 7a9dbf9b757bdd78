#include "result/stopwatch.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace gpugauge::result {
namespace {

TEST(Stopwatch, CountsSecondsFromItsStart) {
  const Stopwatch earlier;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const Stopwatch later;
  const double of_later = later.seconds();
  EXPECT_GE(of_later, 0);
  EXPECT_GE(earlier.seconds(), of_later + .002);
}

}  // namespace
}  // namespace gpugauge::result
