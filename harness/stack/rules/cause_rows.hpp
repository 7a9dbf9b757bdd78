// The rows of docs/findings.md, which are the doctor's data about its causes: compiled in, so that the
// command can explain what the page says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// What docs/findings.md says of one cause.
struct CauseRow {
  std::string name;        ///< one of cause_names, without backticks
  std::string chapter;     ///< heading above its table
  std::string severities;  ///< "failure, warning"
  std::string when;        ///< Markdown
  std::string remedy;      ///< Markdown
};

/// The rows of a page; lines that are no row of a cause are passed over.
std::vector<CauseRow> parse_cause_rows(std::string_view page);
/// Those of the page as it was when this command was built, in its order.
const std::vector<CauseRow>& cause_rows();
/// nullptr for a name that the doctor does not give.
const CauseRow* find_cause_row(std::string_view name);

}  // namespace gpugauge::stack
