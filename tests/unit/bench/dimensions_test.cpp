// Sizes as axes write them.
#include "support/dimensions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using gpugauge::bench::parse_dimensions;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParseDimensions, reads_numbers_with_an_x_between) {
  EXPECT_THAT(parse_dimensions("1024"), ElementsAre(1024));
  EXPECT_THAT(parse_dimensions("16x4096x128"), ElementsAre(16, 4096, 128));
  EXPECT_THAT(parse_dimensions("4x32x4096x128"), ElementsAre(4, 32, 4096, 128));
  EXPECT_THAT(parse_dimensions("2x2", 2), ElementsAre(2, 2));
}

TEST(ParseDimensions, gives_none_for_anything_else) {
  for (const char* wrong : {"", "x", "16x", "x16", "16xx4", "16x4 ", " 16", "16X4", "16x0", "16x-1", "+16",
                            "16.5", "99999999999", "16x4x"})
    EXPECT_THAT(parse_dimensions(wrong), IsEmpty()) << wrong;
  EXPECT_THAT(parse_dimensions("2x1", 2), IsEmpty()) << "below the least";
}

}  // namespace
