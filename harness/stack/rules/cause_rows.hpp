// The rows of docs/findings.md, the doctor's data on its causes. They are compiled in, so the command can
// explain what the page says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// The row of docs/findings.md on one cause.
struct CauseRow {
  std::string name;        ///< one of cause_names, without backticks
  std::string chapter;     ///< heading above its table
  std::string severities;  ///< "failure, warning"
  std::string when;        ///< Markdown
  std::string remedy;      ///< Markdown
};

/// Parses the rows of a page; ignores other lines.
std::vector<CauseRow> parse_cause_rows(std::string_view page);
/// The rows of the page embedded at build time, in its order.
const std::vector<CauseRow>& cause_rows();
/// nullptr for a name that the doctor does not use.
const CauseRow* find_cause_row(std::string_view name);

}  // namespace gpugauge::stack
