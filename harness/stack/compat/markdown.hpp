// Generates docs/compatibility.md from the tables.
#pragma once

#include <string>
#include <vector>

#include "stack/compat/tables.hpp"

namespace gpugauge::stack {

/// The whole page; a test compares the committed page with it.
std::string compatibility_markdown(const Tables& tables);

/// Writes the tables of one chapter and numbers their sources, listed at its end.
class MarkdownChapter {
 public:
  /// `about` is a paragraph below the heading. Both texts are Markdown and not escaped.
  MarkdownChapter(const std::string& title, const std::string& about);

  /// Begins a table; escapes its cells as row() does.
  void header(const std::vector<std::string>& cells);
  /// Adds a row to the current table; escapes `|`, `*`, `<` and line ends.
  void row(const std::vector<std::string>& cells);
  /// Adds a row whose last cell is the source's number. Marks it as unsure if nobody read the source.
  void row(std::vector<std::string> cells, const Source& source);
  void text(const std::string& paragraph);  ///< adds a paragraph of Markdown without escaping; ends the table
  std::string number_of(const Source& source);  ///< "1", or "2, unsure"
  std::string finish() const;                   ///< returns the chapter with its sources

 private:
  std::string text_;
  std::vector<std::string> sources_;
};

/// The chapters on error codes.
std::string markdown_of_error_codes(const Tables& tables);

/// The chapter on what these tables cannot tell.
std::string markdown_of_the_unknown(const Tables& tables);

}  // namespace gpugauge::stack
