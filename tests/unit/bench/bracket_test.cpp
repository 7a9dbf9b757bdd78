// What two timing events around a kernel of known duration may show.
#include "launch/bracket.hpp"

#include <gtest/gtest.h>

namespace {

using gpugauge::bench::launch::bracket_error;

TEST(Bracket, is_as_long_as_the_kernel_where_all_was_enqueued_before_it_ran) {
  EXPECT_NEAR(bracket_error(1.01e-3, 1e-3, false), .01, 1e-9);
  EXPECT_NEAR(bracket_error(.9e-3, 1e-3, false), .1, 1e-9);
}

TEST(Bracket, may_hold_the_hosts_time_where_launches_wait_and_is_never_shorter) {
  EXPECT_EQ(bracket_error(1.5e-3, 1e-3, true), 0);
  EXPECT_NEAR(bracket_error(.9e-3, 1e-3, true), .1, 1e-9);
  EXPECT_EQ(bracket_error(0, 1e-3, true), 1);
}

}  // namespace
