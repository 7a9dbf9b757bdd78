// What the kernel's lines tell of a process.
#include "run/processes.hpp"

#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace gpugauge::run {
namespace {

/// A line of /proc/PID/stat with these fields 14, 15 and 22.
std::string line(const std::string& user, const std::string& system, const std::string& start) {
  return "812 (a) (b) S 7 812 812 0 -1 4194560 1200 0 3 0 " + user + " " + system + " 0 0 20 0 4 0 " + start +
         " 22000000 900\n";
}

TEST(ProcessStat, IsReadBehindTheLastParenthesis) {
  const auto stat = parse_process_stat(line("45", "12", "123456"));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->session, 812);
  EXPECT_EQ(stat->cpu_ticks, 57);
  EXPECT_EQ(stat->start_ticks, 123456);
  const auto own = parse_process_stat(read_kernel_file("/proc/self/stat"));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->parent, ::getppid());
  EXPECT_TRUE(own->start_ticks);
}

TEST(ProcessStat, OfAShortLineIsWhatItHolds) {
  const auto stat = parse_process_stat("1 (x) Z 0 1 1 0 -1 0 0 0 0 0 4 5");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->cpu_ticks, 9);
  EXPECT_FALSE(stat->start_ticks);
  EXPECT_FALSE(parse_process_stat(""));
  EXPECT_FALSE(parse_process_stat("1 (x) Z 0"));
  EXPECT_FALSE(parse_process_stat("1 x Z 0 1 1 0 -1 0 0 0 0 0 4 5"));
}

TEST(ProcessStart, IsTheMachinesAndTheTicksSince) {
  const std::string kernel = "cpu 1 2 3\nbtime 1769832246\nprocesses 5\n";
  EXPECT_EQ(process_start(line("1", "1", "12050"), kernel, 100), "2026-01-31T04:06:06Z");
  EXPECT_EQ(process_start(line("1", "1", "0"), kernel, 100), "2026-01-31T04:04:06Z");
  EXPECT_EQ(process_start("", kernel, 100), "");
  EXPECT_EQ(process_start(line("1", "1", "1"), "cpu 1 2 3\n", 100), "");
}

TEST(ProcessStart, BeyondTheCalendarIsNone) {
  for (const char* const ticks : {"1e308", "1e15", "-1e15"})
    EXPECT_EQ(process_start(line("1", "1", ticks), "btime 1769832246\n", 100), "") << ticks;
  EXPECT_EQ(process_start(line("1", "1", "1"), "btime 9223372036854775807\n", 100), "");
}

}  // namespace
}  // namespace gpugauge::run
