// What a cause is: for a person at a terminal, and as the page docs/findings/<cause>.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/catalogue.hpp"
#include "report/terminal.hpp"
#include "stack/rules/cause_rows.hpp"

namespace gpugauge::report {

/// All that is known of a cause: what a diagnosis knows, what the doctor knows, or both.
struct CausePage {
  std::string name;  ///< of the cause: lower case with underscores
  /// nullptr: a diagnosis does not know it. Lives as long as the program.
  const diagnose::Signature* signature = nullptr;
  /// nullptr: the doctor does not know it. Lives as long as the program.
  const stack::CauseRow* row = nullptr;
};

/// nullopt for a name that neither knows.
std::optional<CausePage> find_page(std::string_view name);
/// Every cause of both, sorted by name, each once.
std::vector<CausePage> all_pages();
/// At most three names that are near to one that does not exist, nearest first.
std::vector<std::string> near_names(std::string_view name);

/// Everything that is known of it, for a terminal.
std::string draw(const CausePage& page, const Terminal& terminal);
/// One line a cause.
std::string draw_list(const std::vector<CausePage>& pages, const Terminal& terminal);
std::string to_markdown(const CausePage& page);  ///< The page docs/findings/NAME.md.
/// docs/findings/README.md: every page in a table.
std::string index_markdown(const std::vector<CausePage>& pages);

}  // namespace gpugauge::report
