#include "report/table.hpp"

#include <sstream>

#include <gmock/gmock.h>

namespace gpugauge::report {
namespace {

Terminal plain_terminal(int width) {
  return {false, false, width};
}

TEST(Table, AlignsColumns) {
  Table table({{"name"}, {"value", true}});
  table.add({{"a"}, {"1.0"}});
  table.add({{"long name"}, {"100.0"}});
  EXPECT_EQ(table.draw(plain_terminal(80)),
            "  name       value\n"
            "  a            1.0\n"
            "  long name  100.0\n");
}

TEST(Table, CutsTheMiddleOfAShrinkingColumnAndKeepsItsEnd) {
  Table table({{"metric", false, true}, {"verdict"}});
  table.add({{"gemm/bf16/mma_sync/very/long/name/8192x8192x8192:throughput"}, {"ok"}});
  const std::string drawn = table.draw(plain_terminal(60));
  std::istringstream lines(drawn);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 60U) << line;
  EXPECT_THAT(drawn, testing::HasSubstr("8192x8192x8192:throughput"));
  EXPECT_THAT(drawn, testing::HasSubstr(".."));
}

TEST(Table, TheWidestColumnGivesWayFirst) {
  Table table({{"a", false, true}, {"b", false, true}});
  table.add({{"Debian GNU/Linux 12"}, {std::string(60, 'x')}});
  EXPECT_THAT(table.draw(plain_terminal(70)), testing::HasSubstr("Debian GNU/Linux 12"));
}

TEST(Table, WrapsProseInItsColumn) {
  Table table({{"name"}, {"what", false, false, true}});
  table.add({{"one"}, {"Reading the monotonic clock, normally without entering the kernel at all."}});
  table.add({{"two"}, {"short"}});
  EXPECT_EQ(table.draw(plain_terminal(60)),
            "  name  what\n"
            "  one   Reading the monotonic clock, normally without\n"
            "        entering the kernel at all.\n"
            "  two   short\n");
  EXPECT_THAT(table.draw(plain_terminal(200)), testing::HasSubstr("entering the kernel at all.\n  two"));
}

TEST(Table, ProseWithLittleRoomStandsBelowItsRow) {
  Table table({{"name"}, {"what", false, false, true}});
  table.add(
      {{"a/name/of/thirty/columns/xxxxxx"}, {"Latency of one load that depends on the one before it."}});
  table.add({{"none"}, {""}});
  EXPECT_EQ(table.draw(plain_terminal(60)),
            "  name\n"
            "      what\n"
            "  a/name/of/thirty/columns/xxxxxx\n"
            "      Latency of one load that depends on the one before it.\n"
            "  none\n");
}

TEST(Table, RefusesARowOfAnotherLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.add({{"x"}}), std::logic_error);
}

TEST(Table, PaintsOnlyWithColour) {
  Table table({{"a"}});
  table.add({{"x", Tone::bad}});
  EXPECT_THAT(table.draw(plain_terminal(80)), testing::Not(testing::HasSubstr("\x1b")));
  EXPECT_THAT(table.draw({true, true, 80}), testing::HasSubstr("\x1b[1;31mx\x1b[0m"));
}

TEST(Table, CountsCodePointsNotBytes) {
  EXPECT_EQ(display_width("gr\xc3\xbcn"), 4U);
}

TEST(Wrap, BreaksAtBlanksAndIndents) {
  EXPECT_EQ(wrap("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrap("unbreakable_long_word x", 5), "unbreakable_long_word\nx");
}

TEST(Wrap, CountsTheLabelBeforeTheText) {
  EXPECT_EQ(wrap_behind("  a label  ", "one two three", 16, 4), "  a label  one\n    two three");
  const std::string painted = Terminal{true, false, 20}.paint("a label", Tone::bad);
  EXPECT_EQ(wrap_behind("  " + painted + "  ", "one two three", 16, 4),
            "  " + painted + "  one\n    two three")
      << "what paints takes no room";
  EXPECT_EQ(wrap_behind("  a label  ", "unbreakable x", 16, 4), "  a label\n    unbreakable\n    x");
  EXPECT_EQ(wrap_behind("  a label  ", "", 16, 4), "  a label  ");
}

TEST(Table, TellsWhetherItFits) {
  Table table({{"id", false, true}, {"value", true}});
  table.add({{"a/very/long/id/of/a/benchmark"}, {"12.3 GB/s"}});
  EXPECT_TRUE(table.fits({false, false, 60}));
  EXPECT_TRUE(table.fits({false, false, 29})) << "the id gives way";
  EXPECT_FALSE(table.fits({false, false, 28}));
}

TEST(Terminal, NoColourWithNoColorSet) {
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(terminal(1).colour);
  ::unsetenv("NO_COLOR");
}

TEST(Terminal, TakesTheWidthFromColumns) {
  ::setenv("COLUMNS", "72", 1);
  EXPECT_EQ(terminal(1).width, 72);
  ::setenv("COLUMNS", "3", 1);
  EXPECT_EQ(terminal(1).width, 60);
  ::setenv("COLUMNS", "99999999999999999999", 1);
  EXPECT_GE(terminal(1).width, 60);
  ::unsetenv("COLUMNS");
}

}  // namespace
}  // namespace gpugauge::report
