// docs/findings.md: one row a cause, and no row without one.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>

#include "stack/rules/causes.hpp"

namespace gpugauge::stack {
namespace {

using testing::HasSubstr;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// cause -> severities of the rows of docs/findings.md.
std::map<std::string, std::vector<std::string>> documented() {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream page(text_of(std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "docs/findings.md"));
  const std::regex row("^\\| `([a-z0-9_]+)` \\| ([a-z, ]+) \\| .+ \\| .+ \\|$");
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) rows[match[1]].push_back(match[2]);
  }
  return rows;
}

TEST(FindingsPage, HasOneRowForEachCauseThatARuleCanGive) {
  const auto rows = documented();
  for (const std::string_view cause : cause_names) {
    const auto row = rows.find(std::string(cause));
    ASSERT_NE(row, rows.end()) << cause << " has no row in docs/findings.md";
    EXPECT_EQ(row->second.size(), 1u) << cause << " has more than one row";
    EXPECT_TRUE(
        std::regex_match(row->second[0], std::regex("(failure|warning|note)(, (failure|warning|note))*")))
        << cause;
  }
}

TEST(FindingsPage, NamesNoCauseThatNoRuleGives) {
  std::string sources;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(GPUGAUGE_SOURCE_DIR) /
                                                               "harness/stack/rules"))
    if (entry.path().extension() == ".cpp") sources += text_of(entry.path());
  for (const auto& [cause, severities] : documented())
    EXPECT_THAT(sources, HasSubstr("\"" + cause + "\"")) << cause << " is documented, and no rule gives it";
  for (const std::string_view cause : cause_names)
    EXPECT_THAT(sources, HasSubstr("Cause(\"" + std::string(cause) + "\")")) << "no rule gives " << cause;
}

}  // namespace
}  // namespace gpugauge::stack
