// Lays out tables and wraps text to the terminal's width.
#include "report/table.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "report/pieces.hpp"

namespace gpugauge::report {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t table_indent = 2;
constexpr std::size_t narrowest = 16;
constexpr std::size_t widest_cell = 500;
/// With less width than this, prose goes below the other columns, indented by below_row.
constexpr std::size_t narrowest_prose = 32;
constexpr std::size_t below_row = 6;

/// Cuts out the middle: ids mostly differ at the end.
std::string shorten(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::vector<std::string> points;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80 || points.empty()) points.emplace_back();
    points.back() += c;
  }
  const std::size_t kept = width - 2;
  const std::size_t front = kept / 3;
  std::string out;
  for (std::size_t i = 0; i < front; ++i) out += points[i];
  out += "..";
  for (std::size_t i = points.size() - (kept - front); i < points.size(); ++i) out += points[i];
  return out;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> cells) {
  if (cells.size() != columns_.size())
    throw std::logic_error("a table row has another number of cells than columns");
  for (Cell& cell : cells) cell.text = shorten(cell.text, widest_cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(std::size_t available) const {
  std::vector<std::size_t> widths;
  std::size_t total = table_indent;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c].text));
    widths.push_back(width);
    total += width + (c > 0 ? gap : 0);
  }
  if (columns_.back().prose && total > available) {
    const std::size_t others = total - widths.back();
    widths.back() = others + narrowest_prose <= available ? available - others : 0;
    total = widths.back() > 0 ? available : others - gap;
  }
  // The widest shrinkable column gives way first, one character at a time.
  while (total > available) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].shrinks && widths[c] > narrowest &&
          (widest == columns_.size() || widths[c] >= widths[widest]))
        widest = c;
    if (widest == columns_.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

bool Table::fits(const Terminal& terminal) const {
  const auto available = static_cast<std::size_t>(terminal.width);
  const std::vector<std::size_t> all = widths(available);
  const std::size_t columns = all.size() - (all.back() == 0 ? 1 : 0);
  return std::accumulate(all.begin(), all.end(), table_indent + gap * (columns - 1)) <= available;
}

std::string Table::draw(const Terminal& terminal) const {
  const std::vector<std::size_t> width = widths(static_cast<std::size_t>(terminal.width));
  std::string out;
  const auto end_line = [&](const std::string& text) {
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string text(table_indent, ' ');
    for (std::size_t c = 0; c + (columns_.back().prose ? 1 : 0) < cells.size(); ++c) {
      const std::string shown = shorten(cells[c].text, width[c]);
      const std::string fill(width[c] - std::min(width[c], display_width(shown)), ' ');
      const std::string painted = terminal.paint(shown, cells[c].tone);
      text += (c > 0 ? std::string(gap, ' ') : "") + (columns_[c].right ? fill + painted : painted + fill);
    }
    if (!columns_.back().prose) return end_line(text);
    const bool below = width.back() == 0;
    if (below) end_line(text);
    const std::size_t begin =
        below ? below_row
              : std::accumulate(width.begin(), width.end() - 1, table_indent + gap * (width.size() - 1));
    const std::size_t room =
        below ? std::max(static_cast<std::size_t>(terminal.width), below_row + 1) - below_row : width.back();
    std::istringstream parts(wrap(cells.back().text, static_cast<int>(room)));
    bool first = !below;
    for (std::string part; std::getline(parts, part); first = false)
      end_line((first ? text + std::string(width.size() > 1 ? gap : 0, ' ') : std::string(begin, ' ')) +
               terminal.paint(part, cells.back().tone));
    if (first) end_line(text);
  };
  std::vector<Cell> titles;
  for (const Column& column : columns_) titles.push_back({column.title, Tone::faint});
  line(titles);
  for (const auto& row : rows_) line(row);
  return out;
}

namespace {

/// Width without the sequences of Terminal::paint.
std::size_t painted_width(std::string_view text) {
  std::size_t out = 0;
  bool escape = false;
  for (const char c : text) {
    if (c == '\x1b') escape = true;
    if (!escape) out += display_width(std::string_view(&c, 1));
    if (c == 'm') escape = false;
  }
  return out;
}

/// Wraps into lines; the first begins in `column`. `begun`: that line already holds text.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t column,
                    bool begun) {
  std::string out;
  bool blank = false;
  for (const std::string& piece : pieces(text)) {
    const std::size_t length = painted_width(piece);
    if (begun && column + (blank ? 1 : 0) + length > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (blank) {
      out += " ";
      ++column;
    }
    out += piece;
    column += length;
    blank = begun = true;
  }
  return out;
}

}  // namespace

std::string wrap(std::string_view text, int width, int indent) {
  const auto columns = static_cast<std::size_t>(indent);
  return wrapped(text, static_cast<std::size_t>(width), columns, columns, false);
}

std::string wrap_behind(const std::string& label, std::string_view text, int width, int indent) {
  const std::string rest = wrapped(text, static_cast<std::size_t>(width), static_cast<std::size_t>(indent),
                                   painted_width(label), true);
  return (rest.starts_with('\n') ? label.substr(0, label.find_last_not_of(' ') + 1) : label) + rest;
}

}  // namespace gpugauge::report
