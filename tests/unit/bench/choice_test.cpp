#include "support/choice.hpp"

#include <gtest/gtest.h>

namespace gpugauge::bench {
namespace {

TEST(Choice, is_the_fastest_that_ran) {
  EXPECT_EQ(fastest_candidate({3.0, 2.0, 1.0, 1.5}), 2U);
  EXPECT_EQ(fastest_candidate({std::nullopt, 2.0, std::nullopt, 1.5}), 3U);
  EXPECT_EQ(fastest_candidate({1.0}), 0U);
}

TEST(Choice, stays_with_the_librarys_own_within_the_margin) {
  EXPECT_EQ(fastest_candidate({1.0, 0.995}), 0U);
  EXPECT_EQ(fastest_candidate({1.0, 0.985}), 1U);
  EXPECT_EQ(fastest_candidate({1.0, 0.985}, 0.1), 0U);
  // The first that ran counts as the library's own.
  EXPECT_EQ(fastest_candidate({std::nullopt, 1.0, 0.995}), 1U);
}

TEST(Choice, needs_one_that_ran) {
  EXPECT_THROW(fastest_candidate({}), std::invalid_argument);
  EXPECT_THROW(fastest_candidate({std::nullopt}), std::invalid_argument);
}

}  // namespace
}  // namespace gpugauge::bench
