#include "result/time.hpp"

#include <cmath>
#include <ctime>

#include <gtest/gtest.h>

namespace gpugauge::result {
namespace {

TEST(Time, IsReadFromAnyZone) {
  EXPECT_EQ(utc_time("2026-03-01T00:10:00+02:00"), "2026-02-28T22:10:00Z");
  EXPECT_EQ(utc_time("2024-02-28T23:59:59.123-00:30"), "2024-02-29T00:29:59Z");
  EXPECT_EQ(utc_time("2026-01-01 00:00:00Z"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(utc_time("2026-01-01t00:00:00z"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(utc_time("2026-01-01T00:00:00-23:59"), "2026-01-01T23:59:00Z");
}

TEST(Time, IsNoneOffTheCalendarOrWithoutAZone) {
  for (const char* const bad : {"",
                                "2026-02-30T00:00:00Z",
                                "2026-02-31T01:02:03Z",
                                "2026-2-31T1:2:3Z",
                                "9-1-1T1:1:1",
                                "2026-01-01",
                                "2026-01-01T24:00:00Z",
                                "2026-01-01T00:60:00Z",
                                "2026-01-01T00:00:61Z",
                                "2026-01-01T00:00:00",
                                "2026-01-01T00:00:00Zz",
                                "2026-01-01T00:00:00+0100",
                                "2026-01-01T00:00:00+5",
                                "2026-01-01T00:00:00+05:3x",
                                "2026-01-01T00:00:00 UTC",
                                "2026-01-01T00:00:00Z+01:00",
                                "2026-01-01T00:00:00+99:99",
                                "2026-01-01T00:00:00+24:00",
                                "2026-01-01T00:00:00-23:60",
                                "-026-01-01T00:00:00Z",
                                "2026-01-01T00:00:00.Z",
                                "9999-12-31T23:59:60Z",
                                "0000-01-01T00:00:00+00:01"}) {
    EXPECT_EQ(utc_time(bad), std::nullopt) << bad;
    EXPECT_EQ(unix_seconds(bad), std::nullopt) << bad;
    EXPECT_FALSE(is_utc_time(bad)) << bad;
  }
}

TEST(Time, InUtcHasOneForm) {
  EXPECT_TRUE(is_utc_time("2026-11-21T02:00:00.123Z"));
  EXPECT_TRUE(is_utc_time("2026-11-21T02:00:00Z"));
  for (const char* const other :
       {"2026-11-21 02:00:00Z", "2026-11-21t02:00:00Z", "2026-11-21T02:00:00z", "2026-11-21T02:00:00+00:00"})
    EXPECT_FALSE(is_utc_time(other)) << other;
}

TEST(Time, IsCountedInSeconds) {
  const double noon = *unix_seconds("2026-06-01T12:00:00Z");
  EXPECT_EQ(noon, 1780315200);
  EXPECT_EQ(unix_seconds("2026-06-01T12:00:00.999Z"), noon);
  EXPECT_EQ(unix_seconds("2026-06-01T17:30:00+05:30"), noon);
  EXPECT_EQ(unix_seconds("2026-06-01T04:00:00.5-08:00"), noon);
  EXPECT_EQ(unix_seconds("1969-12-31T23:59:59Z"), -1);
  EXPECT_EQ(utc_text(noon), "2026-06-01T12:00:00Z");
  EXPECT_EQ(utc_text(noon + 0.9), "2026-06-01T12:00:00Z");
  EXPECT_EQ(utc_text(253402300799.0), "9999-12-31T23:59:59Z");
  EXPECT_EQ(utc_text(-1), "");
  EXPECT_EQ(utc_text(253402300800.0), "");
}

TEST(Time, IsNow) {
  EXPECT_TRUE(is_utc_time(utc_now())) << utc_now();
  EXPECT_EQ(utc_now().size(), std::string("2025-01-31T12:00:00Z").size());
  EXPECT_TRUE(is_utc_time(utc_now_milliseconds())) << utc_now_milliseconds();
  EXPECT_EQ(utc_now_milliseconds().size(), std::string("2025-01-31T12:00:00.123Z").size());
  const double before = *unix_seconds(utc_now());
  EXPECT_LE(before, *unix_seconds(utc_now_milliseconds()));
  EXPECT_LE(std::abs(before - static_cast<double>(std::time(nullptr))), 60);
}

TEST(Time, DaysFollowEachOther) {
  EXPECT_EQ(day_after("2026-02-28"), "2026-03-01");
  EXPECT_EQ(day_after("2024-02-28"), "2024-02-29");
  EXPECT_EQ(day_after("2026-12-31"), "2027-01-01");
  EXPECT_TRUE(is_day("2026-12-31"));
  EXPECT_FALSE(is_day("2026-13-01"));
  EXPECT_FALSE(is_day("2026-12-31T00"));
}

TEST(Time, IsCutToItsDayAndToItsSecond) {
  EXPECT_EQ(day_of("2025-01-31T12:00:05.123Z"), "2025-01-31");
  EXPECT_EQ(day_of("2025-01-31"), "2025-01-31");
  EXPECT_EQ(day_of("2025"), "2025");
  EXPECT_EQ(seconds_of("2025-01-31T12:00:05.123Z"), "2025-01-31T12:00:05");
  EXPECT_EQ(seconds_of("2025-01-31T12:00:05Z"), "2025-01-31T12:00:05");
  EXPECT_EQ(seconds_of("2025-01-31"), "2025-01-31");
}

}  // namespace
}  // namespace gpugauge::result
