#include "run/output_tail.hpp"

#include <string>

#include <gtest/gtest.h>

namespace gpugauge::run {
namespace {

const std::string mark = "\xEF\xBF\xBD";

TEST(OutputTail, KeepsShortTextAsItIs) {
  OutputTail tail(10);
  tail.append("ab\n");
  tail.append("c\td");
  EXPECT_EQ(tail.text(), "ab\nc\td");
}

TEST(OutputTail, KeepsTheEndOfLongText) {
  OutputTail tail(5);
  tail.append("abc");
  tail.append("defg");
  EXPECT_EQ(tail.text(), "cdefg");
  tail.append("0123456789");
  EXPECT_EQ(tail.text(), "56789");
}

TEST(OutputTail, NeverStartsInsideACharacter) {
  OutputTail tail(4);
  tail.append(
      "\xE2\x82\xAC"
      "abc");  // the euro sign loses its first byte
  EXPECT_EQ(tail.text(), "abc");
}

TEST(OutputTail, StaysWithinTheLimitWhenBytesBecomeMarks) {
  OutputTail tail(7);
  tail.append(std::string(100, '\xFF'));
  EXPECT_EQ(tail.text(), mark + mark);
}

TEST(ToValidUtf8, KeepsEveryWellFormedCharacter) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xED\x9F\xBF\xF4\x8F\xBF\xBF";
  EXPECT_EQ(to_valid_utf8(text), text);
}

TEST(ToValidUtf8, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(to_valid_utf8("\xC0\x80"), mark + mark);             // overlong
  EXPECT_EQ(to_valid_utf8("\xE0\x80\x80"), mark + mark + mark);  // overlong
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80"), mark + mark + mark);  // surrogate
  EXPECT_EQ(to_valid_utf8("\xF4\x90\x80\x80").size(), 12U);      // above the last character
  EXPECT_EQ(to_valid_utf8("\xC3"), mark);                        // cut short
  EXPECT_EQ(to_valid_utf8("\x80x"), mark + "x");
}

TEST(ToValidUtf8, ReplacesControlCharactersThatCouldSteerATerminal) {
  EXPECT_EQ(to_valid_utf8(std::string("a\0b\x1B\x7F\r\n\t", 8)),
            "a" + mark + "b" + mark + mark + mark + "\n\t");
}

TEST(LastLine, IsTheLastThatIsNotBlank) {
  EXPECT_EQ(last_line(""), "");
  EXPECT_EQ(last_line(" \n\n"), "");
  EXPECT_EQ(last_line("one"), "one");
  EXPECT_EQ(last_line("one\n  two \n\n"), "two");
  EXPECT_EQ(last_line(std::string(400, 'x')), std::string(300, 'x') + "...");
  EXPECT_EQ(last_line(std::string(299, 'x') + "\xC3\xA9y"), std::string(299, 'x') + "...");
}

}  // namespace
}  // namespace gpugauge::run
