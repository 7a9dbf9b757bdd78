#include "result/shell_word.hpp"

#include <string>

#include <gtest/gtest.h>

namespace gpugauge::result {
namespace {

TEST(ShellWord, LeavesAloneWhatAShellDoes) {
  for (const char* const word : {"host", "GPU-74c0", "runs/a.json", "a=b,c:d@e%f+g"})
    EXPECT_EQ(shell_word(word), word);
}

TEST(ShellWord, QuotesWhatAShellWouldActOn) {
  EXPECT_EQ(shell_word("host; rm -rf ~ #"), "'host; rm -rf ~ #'");
  EXPECT_EQ(shell_word("it's $(x)"), "'it'\\''s $(x)'");
  for (const char* const word : {"", "~", "a b", "a\nb", "`x`", "a|b", "*", "$HOME", "!!"})
    EXPECT_EQ(shell_word(word), "'" + std::string(word) + "'");
}

}  // namespace
}  // namespace gpugauge::result
