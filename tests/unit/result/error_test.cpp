// Sentences of errors: one line, whatever the file holds that they quote.
#include "result/error.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/run_file.hpp"

namespace gpugauge::result {
namespace {

template <typename Error>
std::string said(const std::string& sentence) {
  try {
    throw Error(sentence);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(Error, EveryKindPutsItsSentenceOnOneLine) {
  EXPECT_EQ(said<FormatError>("a\nb"), "a?b");
  EXPECT_EQ(said<FileError>("a\x1b[31mb\x7f"), "a?[31mb?");
  EXPECT_EQ(said<UsageError>("cut \xc3"), "cut ?");
  EXPECT_EQ(said<UsageError>("gr\xc3\xbcn"), "gr\xc3\xbcn");
}

TEST(Error, WhatTurnsHidesOrEndsTheTextRoundItIsCleanedToo) {
  EXPECT_EQ(one_line(std::string_view("a\0b", 3)), "a?b");
  for (const char* mark :
       {"\x01", "\x1b", "\x7f", "\xc2\x80", "\xc2\x9f", "\xc2\xad", "\xd8\x9c", "\xe2\x80\x8b",
        "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xae",
        "\xe2\x81\xa6", "\xe2\x81\xa9", "\xef\xbb\xbf", "\xef\xbf\xbe", "\xf3\xa0\x80\xa0"}) {
    EXPECT_EQ(control(mark), std::string_view(mark).size()) << mark;
    EXPECT_EQ(one_line(fmt::format("a{}b", mark)), "a?b");
  }
  for (const char* letter : {"", "a", " ", "~", "\xc2\xa0", "\xc3\xbc", "\xe2\x80\x8d", "\xe2\x80\xa6",
                             "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xff", "\xc2"})
    EXPECT_EQ(control(letter), 0U) << letter;
}

TEST(Error, AForeignWordIsToldUpToEightyCharacters) {
  const std::string eighty(80, 'x');
  EXPECT_EQ(shortened(eighty), eighty);
  EXPECT_EQ(quoted(eighty + "y"), "'" + eighty + "...'");
  EXPECT_EQ(quoted(std::string(100'000, 'x')), "'" + eighty + "...'");
  std::string umlauts;
  for (int i = 0; i < 80; ++i) umlauts += "\xc3\xbc";
  EXPECT_EQ(shortened(umlauts), umlauts) << "characters count, not bytes";
  EXPECT_EQ(shortened(umlauts + "\xc3\xbc"), umlauts + "...");
  EXPECT_EQ(shortened("red\x1b[31m"), "red?[31m");
  EXPECT_EQ(quoted(""), "''");
}

TEST(Error, ASentenceHasALongestLength) {
  const std::string said_of_it = said<FormatError>("x.json: " + std::string(100'000, 'x') + ": what to do");
  EXPECT_EQ(said_of_it.size(), longest_sentence);
  EXPECT_TRUE(said_of_it.starts_with("x.json: xxx"));
  EXPECT_TRUE(said_of_it.ends_with("xxx: what to do"));
}

TEST(Error, NoWordOfARunFileIsToldWhole) {
  const std::string word(100'000, 'w');
  const auto refused = [](const std::string& text) {
    try {
      parse_run(text, "run.json");
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(R"({"schema": ")" + word + R"("})"),
            "run.json: is of schema '" + word.substr(0, 80) + "...'; gpugauge.run/1 is expected here");
  EXPECT_LT(refused(R"({")" + word + R"(": 1})").size(), 200U);
  EXPECT_LT(refused(R"({"fingerprint": {"device": {")" + word + R"(": 1}}})").size(), 200U);
}

TEST(Error, ANulInANameDoesNotEndTheSentence) {
  Samples samples;
  samples.family = "good";
  samples.suite_version = "1";
  samples.benchmarks.resize(1);
  samples.benchmarks.front().id = std::string("good/a\0b", 8);
  samples.benchmarks.front().status = Status::failed;
  try {
    to_json(samples);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "good/a?b: is not ok and gives no reason");
  }
}

TEST(Error, AKeyOfAFileIsQuotedWithoutItsLineEnds) {
  try {
    parse_run(R"({"schema": "gpugauge.run/1", "fingerprint": {"device": {"a\nb\u001b": 1}}})", "run.json");
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(), "run.json: fingerprint.device.a?b?: should be text and is a number");
  }
}

}  // namespace
}  // namespace gpugauge::result
