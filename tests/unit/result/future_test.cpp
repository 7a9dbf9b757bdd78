// What is dated later than now.
#include "result/future.hpp"

#include <ctime>

#include <gtest/gtest.h>

#include "result/time.hpp"

namespace gpugauge::result {
namespace {

TEST(FromTheFuture, OnlyWhatBeganMoreThanADayFromNow) {
  const auto now = static_cast<double>(std::time(nullptr));
  EXPECT_EQ(from_the_future("a.json", utc_text(now)), "");
  EXPECT_EQ(from_the_future("a.json", utc_text(now + 80000)), "") << "clocks differ by less than a day";
  EXPECT_EQ(from_the_future("a.json", "2999-01-01T00:00:00Z"),
            "a.json is dated 2999-01-01T00:00:00Z, later than now: the clock of this machine is wrong, or "
            "that of the machine that recorded it was");
  EXPECT_EQ(from_the_future("a.json", "no time"), "");
}

}  // namespace
}  // namespace gpugauge::result
