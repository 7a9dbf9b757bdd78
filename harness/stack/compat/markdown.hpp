// docs/compatibility.md, as the tables have it.
#pragma once

#include <string>
#include <vector>

#include "stack/compat/tables.hpp"

namespace gpugauge::stack {

std::string compatibility_markdown(const Tables& tables);

/// Writes tables of one chapter and numbers their sources, which are listed at its end.
class MarkdownChapter {
 public:
  MarkdownChapter(const std::string& title, const std::string& about);

  void header(const std::vector<std::string>& cells);
  void row(const std::vector<std::string>& cells);
  /// The last cell is the source's number; a row that nobody read is marked as unsure.
  void row(std::vector<std::string> cells, const Source& source);
  void text(const std::string& paragraph);
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
