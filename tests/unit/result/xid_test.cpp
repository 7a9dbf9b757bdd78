#include "result/xid.hpp"

#include <gmock/gmock.h>

namespace gpugauge::result {
namespace {

using testing::ElementsAre;

TEST(Xid, GroupsAreReadFromTheTable) {
  EXPECT_THAT(xids_about(XidAbout::firmware), ElementsAre(119, 120));
  EXPECT_THAT(xids_about(XidAbout::nvlink), ElementsAre(74, 136, 144, 145, 146, 147, 148, 149, 150, 155));
  EXPECT_THAT(xids_about(XidAbout::memory), ElementsAre(48, 63, 64, 92, 94, 95, 140, 168, 171, 172));
  EXPECT_THAT(xids_about(XidAbout::bus), ElementsAre(79, 121, 159, 167));
  EXPECT_TRUE(is_xid_about(140, XidAbout::memory));
  EXPECT_FALSE(is_xid_about(140, XidAbout::bus));
  EXPECT_FALSE(is_xid_about(99999, XidAbout::other))
      << "a number that the table lacks is about nothing known";
}

TEST(Xid, WhatAProgramIsBlamedForIsItsWork) {
  for (int number = 0; number < 1000; ++number)
    if (const XidMeaning* const meaning = xid_meaning(number);
        meaning != nullptr && meaning->blame == XidBlame::program) {
      EXPECT_EQ(meaning->about, XidAbout::work) << number;
    }
}

}  // namespace
}  // namespace gpugauge::result
