// Lines of a log or a printed text: what is kept, once, and without what only a terminal needs.
#include "diagnose/plain_text.hpp"

#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(TextLines, AreKeptOnceInTheirOrder) {
  const TextLines found = lines_of_text("one\n\n  two  \r\none\nthree");
  EXPECT_THAT(found.lines, ElementsAre("one", "  two", "three"));
  EXPECT_EQ(found.read, 4U);
}

TEST(TextLines, ThatDifferInNumbersOnlyAreAFew) {
  std::string text;
  for (int step = 0; step < 1000; ++step)
    text += "step " + std::to_string(step) + " at 0x7f" + std::to_string(step) + "c\n";
  const TextLines found = lines_of_text(text + "Xid 79\n");
  EXPECT_THAT(found.lines, SizeIs(numbered_lines_most + 1));
  EXPECT_EQ(found.lines.back(), "Xid 79");
  EXPECT_EQ(found.read, 1001U);
}

TEST(TextLines, AreWithoutColoursAndWhatWasDrawnOver) {
  EXPECT_THAT(lines_of_text("\x1b[1;31mCUDA error\x1b[0m: \x1b]0;title\a out of memory").lines,
              ElementsAre("CUDA error:  out of memory"));
  EXPECT_THAT(lines_of_text("10%\r50%\r100% done\r\n").lines, ElementsAre("100% done"));
  EXPECT_THAT(lines_of_text("\x1b[").lines, IsEmpty());
  EXPECT_THAT(lines_of_text("\x1b]0;never ended").lines, IsEmpty());
  EXPECT_THAT(lines_of_text(std::string_view("a\0b\xff", 4)).lines, ElementsAre("a?b?"));
}

TEST(TextLines, ThatAreTooLongLoseTheirMiddleAndTooManyTheirs) {
  const TextLines lengthy = lines_of_text("begin" + std::string(5000, 'x') + "end");
  ASSERT_THAT(lengthy.lines, SizeIs(1));
  EXPECT_LE(lengthy.lines[0].size(), text_line_longest);
  std::string text;
  for (std::size_t i = 0; i < text_lines_most + 10; ++i) {
    std::string word;
    for (std::size_t rest = i; rest > 0; rest /= 26) word += static_cast<char>('a' + rest % 26);
    text += "line " + word + "\n";
  }
  const TextLines many = lines_of_text(text);
  EXPECT_THAT(many.lines, SizeIs(text_lines_most));
  EXPECT_EQ(many.lines[0], "line");
  EXPECT_EQ(many.read, text_lines_most + 10);
}

TEST(FigureOfWords, IsSlowerUnlessTheyTellOfAFailure) {
  const Metric noted = figure_of_words("training became slow after an error in the night");
  EXPECT_FALSE(noted.fails);
  EXPECT_EQ(noted.judged, "");
  EXPECT_TRUE(is_noted_slower(noted));
  EXPECT_TRUE(figure_of_words("torch cannot find the GPU").fails);
  const Metric other = figure_of_words("we get 12 tokens a second since yesterday");
  EXPECT_FALSE(other.fails);
  EXPECT_EQ(other.judged, "slower");
  EXPECT_EQ(other.note, "we get 12 tokens a second since yesterday");
  EXPECT_EQ(other.metric_class, "application");
}

TEST(TextLines, OfALogNameTheCause) {
  Observation seen;
  seen.log = lines_of_text(
                 "Sun Nov 29 21:00:01 node7 starting\n"
                 "Failed to initialize NVML: Driver/library version mismatch\n"
                 "NVML library version: 580.95\n")
                 .lines;
  const Diagnosis found = diagnose(seen);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings.front().cause, "umd_kmd_mismatch");
}

}  // namespace
}  // namespace gpugauge::diagnose
