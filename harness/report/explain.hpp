// Explains a cause: for a person at a terminal, and as the page docs/findings/<cause>.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/catalogue.hpp"
#include "report/terminal.hpp"
#include "stack/rules/cause_rows.hpp"

namespace gpugauge::report {

/// Everything known about a cause: from diagnosis, from the doctor, or from both.
struct CausePage {
  std::string name;  ///< the cause's name: lower case with underscores
  /// nullptr if diagnosis does not know it. Lives as long as the program.
  const diagnose::Signature* signature = nullptr;
  /// nullptr if the doctor does not know it. Lives as long as the program.
  const stack::CauseRow* row = nullptr;
};

/// nullopt for a name that neither knows.
std::optional<CausePage> find_page(std::string_view name);
/// Every cause of both, sorted by name, without duplicates.
std::vector<CausePage> all_pages();
/// At most three existing names similar to an unknown one, nearest first.
std::vector<std::string> near_names(std::string_view name);

/// Everything known about the cause, for a terminal.
std::string draw(const CausePage& page, const Terminal& terminal);
/// One line per cause.
std::string draw_list(const std::vector<CausePage>& pages, const Terminal& terminal);
std::string to_markdown(const CausePage& page);  ///< The page docs/findings/NAME.md.
/// The page docs/findings/README.md: a table of all pages.
std::string index_markdown(const std::vector<CausePage>& pages);

}  // namespace gpugauge::report
