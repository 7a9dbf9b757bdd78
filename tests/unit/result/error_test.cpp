// Sentences of errors: one line, whatever the file holds that they quote.
#include "result/error.hpp"

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
