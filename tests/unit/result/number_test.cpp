// Numbers in text.
#include "result/number.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace gpugauge::result {
namespace {

TEST(Number, IsTheWholeText) {
  EXPECT_EQ(number_in<int>("0"), 0);
  EXPECT_EQ(number_in<int>("007"), 7);
  EXPECT_EQ(number_in<int>("-42"), -42);
  EXPECT_EQ(number_in<int>("2147483647"), 2147483647);
  EXPECT_EQ(number_in<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const char* const none : {"", "-", "+1", " 1", "1 ", "1\n", "1.0", "1e3", "0x10", "1a", "a1", "--1",
                                 "2147483648", "-2147483649", "99999999999999999999"})
    EXPECT_EQ(number_in<int>(none), std::nullopt) << none;
  EXPECT_EQ(number_in<int>(std::string_view("1\0", 2)), std::nullopt);
  for (const char* const none : {"-1", "-0", "4294967296"})
    EXPECT_EQ(number_in<unsigned>(none), std::nullopt) << none;
}

TEST(Number, HasTheBaseAskedFor) {
  EXPECT_EQ(number_in<unsigned long>("1aF0", 16), 0x1af0UL);
  EXPECT_EQ(number_in<unsigned>("134", 8), 0134U);
  EXPECT_EQ(number_in<unsigned>("138", 8), std::nullopt);
  EXPECT_EQ(number_in<unsigned long>("0x10", 16), std::nullopt);
  EXPECT_EQ(leading_number<unsigned long>("90 ;", 16), 0x90UL);
}

TEST(Number, OfAFractionIsFinite) {
  EXPECT_EQ(number_in<double>("0.25"), 0.25);
  EXPECT_EQ(number_in<double>("-1.5e3"), -1500.0);
  EXPECT_EQ(number_in<double>("12"), 12.0);
  EXPECT_EQ(number_in<double>(".5"), 0.5);
  EXPECT_EQ(number_in<double>("5."), 5.0);
  for (const char* const none :
       {"",      ".",   "-",    "+1",  " 1",     "1 ",  "1,5",  "0x1p3",    "0x10",  "1e",
        "1.5 W", "nan", "-nan", "NaN", "nan(1)", "inf", "-inf", "infinity", "1e999", "-1e999"})
    EXPECT_EQ(number_in<double>(none), std::nullopt) << none;
}

TEST(Number, IsTakenFromTheFront) {
  std::string_view text = "12-34x";
  EXPECT_EQ(take_number<int>(text), 12);
  EXPECT_EQ(text, "-34x");
  EXPECT_EQ(take_number<unsigned>(text), std::nullopt);
  EXPECT_EQ(text, "-34x");
  EXPECT_EQ(take_number<int>(text), -34);
  EXPECT_EQ(text, "x");
  EXPECT_EQ(take_number<int>(text), std::nullopt);
  EXPECT_EQ(text, "x");
  text = "32.0 GT/s";
  EXPECT_EQ(take_number<double>(text), 32.0);
  EXPECT_EQ(text, " GT/s");
  for (const std::string_view kept : {"", "99999999999 bytes"}) {
    text = kept;
    EXPECT_EQ(take_number<int>(text), std::nullopt);
    EXPECT_EQ(text, kept);
  }
  text = "inf W";
  EXPECT_EQ(take_number<double>(text), std::nullopt);
  EXPECT_EQ(text, "inf W");
}

TEST(Number, LeadsWhateverFollows) {
  EXPECT_EQ(leading_number<int>("120 columns"), 120);
  EXPECT_EQ(leading_number<int>("120"), 120);
  EXPECT_EQ(leading_number<int>("9.5"), 9);
  EXPECT_EQ(leading_number<double>("0x10"), 0.0);
  for (const char* const none : {"", " 1", "x1", "+1", "2147483648 "})
    EXPECT_EQ(leading_number<int>(none), std::nullopt) << none;
}

}  // namespace
}  // namespace gpugauge::result
