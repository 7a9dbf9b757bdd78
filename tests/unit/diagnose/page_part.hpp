// A part of a page of docs/ that a test writes.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "result/file.hpp"

namespace gpugauge::diagnose {

inline const std::filesystem::path docs = std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "docs";

/// The part of a page between its two marks is `expected`; written there with GPUGAUGE_WRITE_DOCS.
inline void expect_part(const std::filesystem::path& page, const std::string& name,
                        const std::string& expected) {
  std::string text = result::read_file(page);
  const std::string begin = "<!-- " + name + " -->\n";
  const std::string end = "<!-- end of " + name + " -->";
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find(end);
  ASSERT_NE(from, std::string::npos) << page;
  ASSERT_NE(to, std::string::npos) << page;
  const std::string found = text.substr(from + begin.size(), to - from - begin.size());
  if (found == expected) return;
  if (std::getenv("GPUGAUGE_WRITE_DOCS") == nullptr) {
    EXPECT_EQ(found, expected) << page << ": run this test with GPUGAUGE_WRITE_DOCS=1 to write it again";
    return;
  }
  text.replace(from + begin.size(), found.size(), expected);
  result::write_file(page, text);
}

}  // namespace gpugauge::diagnose
