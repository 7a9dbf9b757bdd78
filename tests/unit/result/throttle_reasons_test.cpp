#include "result/throttle_reasons.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace gpugauge::result {
namespace {

TEST(ThrottleReasons, ABitOfAMask) {
  EXPECT_TRUE(has_throttle_reason(1, 0));
  EXPECT_FALSE(has_throttle_reason(4, 0));
  EXPECT_TRUE(has_throttle_reason(4 + 64, 2));
  EXPECT_TRUE(has_throttle_reason(4 + 64, 6));
  EXPECT_FALSE(has_throttle_reason(0, 8));
}

TEST(ThrottleReasons, WhatIsNoMaskHasNone) {
  for (const double value :
       {-1.0, 1e15, 1e300, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (std::size_t bit = 0; bit < throttle_reasons.size(); ++bit)
      EXPECT_FALSE(has_throttle_reason(value, bit)) << value;
}

}  // namespace
}  // namespace gpugauge::result
