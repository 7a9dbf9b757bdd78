#include "support/without_line.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace gpugauge::bench {
namespace {

TEST(WithoutLine, LeavesOutTheLineAndNoOther) {
  std::ostringstream out;
  {
    const WithoutLine left_out(out, "a warning");
    out << "one\na warning\na warning, but longer\nsee: a warning\na warn\n\na warning\n";
  }
  out << "a warning\n";
  EXPECT_EQ(out.str(), "one\na warning, but longer\nsee: a warning\na warn\n\na warning\n");
}

TEST(WithoutLine, PassesAtEachFlushWhatCannotBeTheLine) {
  std::ostringstream out;
  const WithoutLine left_out(out, "a warning");
  out << "progress" << std::flush;
  EXPECT_EQ(out.str(), "progress");
  out << ": a warning\n"
      << "a w" << std::flush;
  EXPECT_EQ(out.str(), "progress: a warning\n") << "it may become the line";
  out << "arning" << std::flush << "\nb" << std::flush;
  EXPECT_EQ(out.str(), "progress: a warning\nb");
}

TEST(WithoutLine, WhatIsLeftPassesAtTheEnd) {
  std::ostringstream out;
  {
    const WithoutLine left_out(out, "a warning");
    out << "a warn";
  }
  out << "ed man";
  EXPECT_EQ(out.str(), "a warned man");
}

}  // namespace
}  // namespace gpugauge::bench
