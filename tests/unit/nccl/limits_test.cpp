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

TEST(Limits, of_a_process_that_runs_alone_end_before_the_command_would_end_it) {
  for (const char* asked : {"600", "91"}) {
    const Limits longer = where_it_says(asked);
    EXPECT_EQ(longer.usual(false), 90) << asked;
    EXPECT_EQ(longer.patience(false, 0, 1), 90) << asked;
    EXPECT_EQ(longer.patience(false, 10, 50), 90) << asked;
  }
  EXPECT_EQ(where_it_says("600").usual(true), 600);
  EXPECT_EQ(where_it_says("30").usual(false), 30);
  EXPECT_EQ(where_it_says("30").patience(false, 0, 1), 30);
}

TEST(Limits, allow_three_times_what_a_collective_took_before) {
  const Limits usual = where_it_says(std::nullopt);
  EXPECT_EQ(usual.patience(true, 0, 50), 120) << "the first may have to connect ranks";
  EXPECT_EQ(usual.patience(true, 2, 50), 60 + 3 * 2 * 50);
  EXPECT_EQ(usual.patience(false, 2, 5), 90) << "60 s and 30";
  EXPECT_EQ(usual.patience(false, 2, 50), 90);
  EXPECT_EQ(usual.patience(false, 1, 5), 75);
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
