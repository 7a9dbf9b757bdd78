#include "nccl/limits.hpp"

#include <gtest/gtest.h>

#include "result/error.hpp"

namespace gpugauge::bench::nccl {
namespace {

Limits where_it_says(const std::optional<std::string>& value) {
  return limits_from([&](const char* name) {
    return std::string(name) == "GPUGAUGE_COLLECTIVE_TIMEOUT" ? value : std::nullopt;
  });
}

TEST(Limits, are_those_of_the_documentation) {
  const Limits usual = where_it_says(std::nullopt);
  EXPECT_EQ(usual.collective, 60);
  EXPECT_EQ(usual.making, 120);
  EXPECT_EQ(usual.step, 150);
  EXPECT_EQ(usual.end, 20);
  EXPECT_EQ(usual.alone, 90);
}

TEST(Limits, follow_from_the_one_that_is_set) {
  const Limits longer = where_it_says("600");
  EXPECT_EQ(longer.collective, 600);
  EXPECT_EQ(longer.making, 1200);
  EXPECT_EQ(longer.step, 1500);
  EXPECT_EQ(longer.end, 20);
  EXPECT_EQ(longer.alone, 90) << "the command ends the process then";
}

TEST(Limits, leave_ranks_that_parted_the_time_to_keep_their_files) {
  EXPECT_EQ(where_it_says("30").end, 10);
  EXPECT_EQ(where_it_says("3").end, 5);
}

TEST(Limits, refuse_what_is_no_number_of_seconds) {
  for (const char* text : {"", "0", "1.5", "3601", "x"})
    EXPECT_THROW(where_it_says(text), result::UsageError) << text;
}

}  // namespace
}  // namespace gpugauge::bench::nccl
