// A table of text that fits the width.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"

namespace gpugauge::report {

/// One field of a row.
struct Cell {
  std::string text;          ///< on one line, as it is shown: report::plain what is foreign
  Tone tone = Tone::normal;  ///< colours the text, not the room around it
};

/// How a column stands.
struct Column {
  std::string title;     ///< title line's text
  bool right = false;    ///< numbers stand right
  bool shrinks = false;  ///< gives way when the width is short: cut in the middle, the end stays readable
  /// Of the last column: its text is sentences, and is wrapped where the width is short; where little is left
  /// beside the others, each stands below its row.
  bool prose = false;
};

/// Rows under titles; columns are as wide as their widest cell and two blanks apart.
class Table {
 public:
  explicit Table(std::vector<Column> columns);  ///< From left to right.
  /// As many cells as columns. Throws std::logic_error otherwise. Of a text of more than 500 columns the
  /// middle is left out, however wide the terminal is.
  void add(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }  ///< Whether there is no row.
  /// Whether every line fits the width, with what gives way as narrow as it may be.
  bool fits(const Terminal& terminal) const;
  /// Title line and rows, each ended by a newline, no trailing blanks, indented by two.
  std::string draw(const Terminal& terminal) const;

 private:
  /// Of every column, from left to right; of prose that stands below its row 0.
  std::vector<std::size_t> widths(std::size_t available) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// Columns that a text takes: one per UTF-8 code point.
std::size_t display_width(std::string_view text);

/// Text wrapped at blanks to `width`, every line after the first indented by `indent`; room for as much is
/// left before the first line, whose beginning the caller writes.
std::string wrap(std::string_view text, int width, int indent = 0);

/// `label`, which may be painted, and the text behind it, as wrap() has it: what the label takes of the first
/// line is counted. A word that has no room beside the label begins the next line.
std::string wrap_behind(const std::string& label, std::string_view text, int width, int indent);

}  // namespace gpugauge::report
