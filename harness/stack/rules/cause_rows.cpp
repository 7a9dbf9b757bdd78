#include "stack/rules/cause_rows.hpp"

#include <algorithm>

#include "stack/inventory/lines.hpp"
#include "stack/rules/findings_page.hpp"

namespace gpugauge::stack {
namespace {

/// The cells between a row's bars; empty if the line is no row.
std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> out;
  if (line.size() < 2 || line.front() != '|' || line.back() != '|') return out;
  line.remove_prefix(1);
  while (!line.empty()) {
    const std::size_t bar = line.find('|');
    out.push_back(stripped(line.substr(0, bar)));
    line.remove_prefix(bar + 1);
  }
  return out;
}

}  // namespace

std::vector<CauseRow> parse_cause_rows(std::string_view page) {
  std::vector<CauseRow> out;
  std::string_view chapter;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.starts_with("## ")) chapter = stripped(line.substr(3));
    const std::vector<std::string_view> row = cells(line);
    constexpr std::size_t columns = 4;
    if (row.size() != columns || row[0].size() < 3 || row[0].front() != '`' || row[0].back() != '`') continue;
    out.push_back({std::string(row[0].substr(1, row[0].size() - 2)), std::string(chapter),
                   std::string(row[1]), std::string(row[2]), std::string(row[3])});
  }
  return out;
}

const std::vector<CauseRow>& cause_rows() {
  static const std::vector<CauseRow> rows = parse_cause_rows(embedded_findings_page().front().text);
  return rows;
}

const CauseRow* find_cause_row(std::string_view name) {
  const auto& rows = cause_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const CauseRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace gpugauge::stack
