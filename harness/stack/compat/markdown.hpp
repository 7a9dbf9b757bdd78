// docs/compatibility.md, as the tables have it.
#pragma once

#include <string>
#include <vector>

#include "stack/compat/tables.hpp"

namespace gpugauge::stack {

/// The whole page; a test holds the committed one against it.
std::string compatibility_markdown(const Tables& tables);

/// Writes tables of one chapter and numbers their sources, which are listed at its end.
class MarkdownChapter {
 public:
  /// `about` is a paragraph below the heading; both are Markdown and taken as they are.
  MarkdownChapter(const std::string& title, const std::string& about);

  /// Begins a table; its cells are escaped as those of row().
  void header(const std::vector<std::string>& cells);
  /// A row of the table that was begun; `|`, `*`, `<` and line ends are escaped.
  void row(const std::vector<std::string>& cells);
  /// The last cell is the source's number; a row that nobody read is marked as unsure.
  void row(std::vector<std::string> cells, const Source& source);
  void text(const std::string& paragraph);  ///< a paragraph of Markdown, taken as it is; it ends the table
  std::string number_of(const Source& source);  ///< "1", or "2, unsure"
  std::string finish() const;                   ///< the chapter with its sources

 private:
  std::string text_;
  std::vector<std::string> sources_;
};

/// The chapters on error codes.
std::string markdown_of_error_codes(const Tables& tables);

/// What these tables cannot say.
std::string markdown_of_the_unknown(const Tables& tables);

}  // namespace gpugauge::stack
