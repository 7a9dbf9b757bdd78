// A table of text, fitted to the width.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"

namespace gpugauge::report {

/// One field of a row.
struct Cell {
  std::string text;          ///< on one line, as shown; pass foreign text through report::plain
  Tone tone = Tone::normal;  ///< colours the text, not the padding
};

/// How a column is laid out.
struct Column {
  std::string title;     ///< text of its title
  bool right = false;    ///< right-aligned, for numbers
  bool shrinks = false;  ///< gives way if the width is small: the middle is cut, so the end stays readable
  /// For the last column only: its text is sentences, which wrap if the width is small. If little space is
  /// left beside the other columns, each text stands below its row.
  bool prose = false;
};

/// Rows under titles. Each column is as wide as its widest cell; two blanks separate columns.
class Table {
 public:
  explicit Table(std::vector<Column> columns);  ///< from left to right
  /// Needs as many cells as columns; otherwise throws std::logic_error. Cuts the middle of a text wider than
  /// 500 columns, however wide the terminal is.
  void add(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }  ///< whether there is no row
  /// True if every line fits the width once the shrinking columns are at their narrowest.
  bool fits(const Terminal& terminal) const;
  /// Title line and rows, each ended by a newline, no trailing blanks, indented by two.
  std::string draw(const Terminal& terminal) const;

 private:
  /// The width of each column, from left to right; 0 for prose that stands below its row.
  std::vector<std::size_t> widths(std::size_t available) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// Columns that a text takes: one per UTF-8 code point.
std::size_t display_width(std::string_view text);

/// Wraps text at blanks to `width`, but in no command (report/pieces.hpp): one that is longer than a line stands
/// on a line of its own and is wider. Indents every line but the first by `indent`; the first line leaves as
/// much space for what the caller writes there.
std::string wrap(std::string_view text, int width, int indent = 0);

/// `label`, which may be painted, followed by the text, wrapped as wrap() does. The label's width counts in
/// the first line. A piece that does not fit beside the label starts the next line.
std::string wrap_behind(const std::string& label, std::string_view text, int width, int indent);

}  // namespace gpugauge::report
