#include "report/format.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "report/terminal.hpp"

namespace gpugauge::report {
namespace {

TEST(Format, WritesThreeSignificantDigitsWithAPrefix) {
  EXPECT_EQ(quantity(1.234e10, "byte/second"), "12.3 GB/s");
  EXPECT_EQ(quantity(8.31e-8, "second"), "83.1 ns");
  EXPECT_EQ(quantity(2.5, "second"), "2.50 s");
  EXPECT_EQ(quantity(7.945e14, "flop/second"), "794 TFLOP/s");
  EXPECT_EQ(quantity(1.98e9, "hertz"), "1.98 GHz");
  EXPECT_EQ(quantity(0.987, "1"), "0.99");
  EXPECT_EQ(quantity(0, "second"), "0 ps");
  EXPECT_EQ(quantity(65, "celsius"), "65.0 celsius");
}

TEST(Format, NeverWritesAThousandOfAPrefix) {
  EXPECT_EQ(quantity(999.7e-9, "second"), "1.00 us");
  EXPECT_EQ(quantity(9.996e5, "byte/second"), "1.00 MB/s");
}

TEST(Format, SaysWhichWayAChangeGoes) {
  EXPECT_EQ(change(.052), "+5.2% worse");
  EXPECT_EQ(change(-.02), "2.0% better");
  EXPECT_EQ(change(.0001), "same");
  EXPECT_EQ(change(1.5), "+150% worse");
}

TEST(Format, SignsAChangeInATable) {
  EXPECT_EQ(signed_percent(.052), "+5.2%");
  EXPECT_EQ(signed_percent(-.02), "-2.0%");
  EXPECT_EQ(signed_percent(0), "+0.0%");
}

TEST(Format, WritesFewDigitsOfEveryNumber) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quantity(1e30, "flop/second"), "1e+15 PFLOP/s");
  EXPECT_EQ(quantity(1e-30, "second"), "1e-18 ps");
  EXPECT_EQ(quantity(12345678, "1"), "12345678");
  for (const double value : {infinite, -infinite, std::nan("")})
    for (const char* unit : {"second", "byte/second", "celsius", "1"})
      EXPECT_EQ(quantity(value, unit), "unknown");
  for (const double value : {1e308, -1e308, 1e60, 1e8, infinite, -infinite, std::nan("")})
    for (const std::string& text :
         {quantity(value, "flop/second"), quantity(value, "1"), quantity(value, "celsius"), percent(value),
          change(value), signed_percent(value), duration(value)}) {
      EXPECT_LT(text.size(), 24U) << text;
      EXPECT_EQ(text.find("inf"), std::string::npos) << text;
      EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    }
}

TEST(Format, WritesDurations) {
  EXPECT_EQ(duration(4.4), "4 s");
  EXPECT_EQ(duration(80), "1 min 20 s");
  EXPECT_EQ(duration(7500), "2 h 5 min");
  EXPECT_EQ(duration(-1), "0 s");
}

TEST(Format, TakesTheTeethOutOfForeignText) {
  EXPECT_EQ(plain("a\x1b[31mb\n"), "a?[31mb?");
  EXPECT_EQ(plain("gr\xc3\xbcn"), "gr\xc3\xbcn");
  EXPECT_EQ(plain("cut \xc3"), "cut ?");
  EXPECT_EQ(plain("c1 \xc2\x9b"
                  "31m"),
            "c1 ?31m");
  EXPECT_EQ(plain("\xed\xa0\x80"), "???");
}

TEST(Guard, LetsOnlyLineBreaksTabsAndOwnColoursPass) {
  Terminal terminal;
  terminal.colour = true;
  const std::string painted = "a\n\t" + terminal.paint("b", Tone::bad) + terminal.paint("c", Tone::faint);
  EXPECT_EQ(guarded(painted), painted);
  EXPECT_EQ(guarded("x\x1b]0;TITLE\a\x1b[2J\r\x7f"), "x?]0;TITLE??[2J??");
  EXPECT_EQ(guarded("c1 \xc2\x9b"
                    "31m gr\xc3\xbcn \xff\xc2"),
            "c1 ?31m gr\xc3\xbcn \xff\xc2");
  EXPECT_EQ(guarded("evil\xe2\x80\xaegpj.exe\xe2\x80\xa8\xef\xbb\xbf."), "evil?gpj.exe??.");
}

}  // namespace
}  // namespace gpugauge::report
