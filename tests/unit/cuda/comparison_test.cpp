// Comparisons of several buffers as one.
#include "support/cuda/comparison.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace {

using gpugauge::bench::cuda::error_of;
using gpugauge::bench::cuda::together;
using gpugauge::kernels::Comparison;

TEST(Together, is_complete_where_each_is) {
  const Comparison both = together({{.elements = 5, .compared = 5}, {.elements = 7, .compared = 7}});
  EXPECT_TRUE(both.complete());
  EXPECT_EQ(both.elements, 12U);
  EXPECT_EQ(error_of(both), 0);
}

TEST(Together, adds_what_is_wrong_and_keeps_the_largest_error) {
  EXPECT_EQ(error_of(together({{.elements = 5, .compared = 5, .wrong = 2},
                               {.elements = 7, .compared = 7, .wrong = 3},
                               {.elements = 1, .compared = 1}})),
            5);
  EXPECT_EQ(error_of(together({{.elements = 5, .compared = 5, .error = 0.25},
                               {.elements = 7, .compared = 7, .error = 0.5},
                               {.elements = 1, .compared = 1, .error = 0.125}})),
            0.5);
}

// What one was compared too often does not make up for what another was not.
TEST(Together, is_not_complete_where_one_is_not_or_there_is_none) {
  EXPECT_FALSE(together({}).complete());
  EXPECT_FALSE(together({{.elements = 5, .compared = 6}, {.elements = 7, .compared = 6}}).complete());
  EXPECT_FALSE(together({{.elements = 5, .compared = 5}, {.elements = 7}}).complete());
  EXPECT_FALSE(together({{.elements = 5, .compared = 5}, {}}).complete()) << "one that was never begun";
  EXPECT_EQ(error_of(together({{}, {.elements = 5, .compared = 5}})), HUGE_VAL);
}

}  // namespace
