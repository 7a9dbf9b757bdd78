// Lines of a log or a printed text: what is kept, once, and without what only a terminal needs.
#include "diagnose/plain_text.hpp"

#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(TextLines, AreKeptOnceInTheirOrder) {
  const TextLines found = lines_of_text("one\n\n  two  \r\none\nthree");
  EXPECT_THAT(found.lines, ElementsAre("one", "  two", "three"));
  EXPECT_EQ(found.read, 4U);
}

TEST(TextLines, ThatDifferInNumbersOnlyAreTheFirstAndTheLast) {
  std::string text;
  for (int step = 0; step < 1000; ++step)
    text += "step " + std::to_string(step) + " at 0x7f" + std::to_string(step) + "c\n";
  const TextLines found = lines_of_text(text);
  EXPECT_THAT(found.lines, SizeIs(2 * numbered_lines_most));
  EXPECT_EQ(found.lines.front(), "step 0 at 0x7f0c");
  EXPECT_EQ(found.lines.back(), "step 999 at 0x7f999c");
  EXPECT_EQ(found.read, 1000U);
}

TEST(TextLines, OfEachXidAreKept) {
  std::string text;
  for (int pid = 1000; pid < 1100; ++pid) {
    const std::string number = pid == 1050 ? "79" : "45";
    text += "NVRM: Xid (PCI:0000:01:00): " + number + ", pid=" + std::to_string(pid) + "\n";
  }
  const TextLines found = lines_of_text(text);
  EXPECT_THAT(found.lines, SizeIs(2 * numbered_lines_most + 1));
  EXPECT_THAT(found.lines, Contains("NVRM: Xid (PCI:0000:01:00): 79, pid=1050"));
}

/// "a", "b" ... "ba": words without numbers.
std::string word_of(std::size_t number) {
  std::string out(1, static_cast<char>('a' + number % 26));
  for (std::size_t rest = number / 26; rest > 0; rest /= 26) out += static_cast<char>('a' + rest % 26);
  return out;
}

TEST(TextLines, ThatTellOfHarmStayWhereThereAreTooMany) {
  std::string text;
  for (std::size_t i = 0; i < 3 * text_lines_most; ++i)
    text += i == text_lines_most + 7 ? "GPU has fallen off the bus: error\n" : "line " + word_of(i) + "\n";
  const TextLines found = lines_of_text(text);
  EXPECT_THAT(found.lines, SizeIs(AllOf(Le(text_lines_most), Ge(text_lines_most - 1))));
  EXPECT_THAT(found.lines, Contains("GPU has fallen off the bus: error"));
  EXPECT_THAT(found.lines, Contains("line a"));
  EXPECT_THAT(found.lines, Contains("line " + word_of(3 * text_lines_most - 1)));
}

TEST(TextLines, AreWithoutColoursAndWhatWasDrawnOver) {
  EXPECT_THAT(lines_of_text("\x1b[1;31mCUDA error\x1b[0m: \x1b]0;title\a out of memory").lines,
              ElementsAre("CUDA error:  out of memory"));
  EXPECT_THAT(lines_of_text("10%\r50%\r100% done\r\n").lines, ElementsAre("100% done"));
  EXPECT_THAT(lines_of_text("\x1b[").lines, IsEmpty());
  EXPECT_THAT(lines_of_text("\x1b]0;never ended: error").lines, ElementsAre("0;never ended: error"));
  EXPECT_THAT(lines_of_text("Xid 79\x1b(B").lines, ElementsAre("Xid 79"));
  EXPECT_THAT(lines_of_text("Xid 79\r\x1b[K\nXid 31\r \r\n").lines, ElementsAre("Xid 79", "Xid 31"));
  EXPECT_THAT(lines_of_text("one\rtwo\r").lines, ElementsAre("one", "two"));
  EXPECT_THAT(lines_of_text(std::string_view("a\0b\xff", 4)).lines, ElementsAre("a?b?"));
}

TEST(TextLines, ThatAreTooLongLoseTheirMiddle) {
  const TextLines found = lines_of_text("begin" + std::string(5000, 'x') + "end");
  ASSERT_THAT(found.lines, SizeIs(1));
  EXPECT_LE(found.lines[0].size(), text_line_longest);
  EXPECT_THAT(found.lines[0], AllOf(StartsWith("begin"), EndsWith("end")));
}

TEST(WhyNoText, NamesWhatTurnsItIntoText) {
  EXPECT_EQ(why_no_text("NVRM: Xid 79\n"), "");
  EXPECT_EQ(why_no_text(""), "");
  EXPECT_THAT(why_no_text("\x1f\x8b\x08"), HasSubstr("zcat"));
  EXPECT_THAT(why_no_text("\xff\xfeX"), HasSubstr("iconv"));
  EXPECT_THAT(why_no_text(std::string(100, '\0')), HasSubstr("no text"));
}

TEST(FigureOfWords, IsSlowerUnlessTheyTellOfAFailure) {
  const Metric noted = figure_of_words("training became slow after an error in the night");
  EXPECT_FALSE(noted.fails);
  EXPECT_EQ(noted.judged, "");
  EXPECT_TRUE(is_noted_slower(noted));
  for (const char* says :
       {"torch cannot find the GPU", "the job crashes", "training hangs", "CUDA out of memory"})
    EXPECT_TRUE(figure_of_words(says).fails) << says;
  EXPECT_FALSE(figure_of_words("it does not crash, and takes twice the time").fails);
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
