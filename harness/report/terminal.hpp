// What an output stream can show.
#pragma once

#include <string>
#include <string_view>

namespace gpugauge::report {

/// The meaning of a text; the terminal decides how it looks.
enum class Tone { normal, good, bad, doubt, faint, strong };

/// How to write to one stream. Colour only on a terminal, and never with NO_COLOR (https://no-color.org) or
/// TERM=dumb.
struct Terminal {
  bool colour = false;       ///< escape sequences for colour may be written
  bool interactive = false;  ///< lines may be overwritten
  int width = 100;           ///< columns, at least 60
  /// The width comes from the terminal or COLUMNS; false in a pipe without COLUMNS.
  bool measured = true;

  /// `text` in a tone; unchanged without colour.
  std::string paint(std::string_view text, Tone tone) const;
};

/// The last filter before a stream, in case nobody filtered a foreign name. Of all control characters only
/// line breaks, tabs and paint()'s sequences pass; every other one (C1 too) becomes '?'. All other bytes
/// stay, including invalid UTF-8.
std::string guarded(std::string_view text);

/// Inspects a file descriptor (1 or 2) and the environment. COLUMNS takes precedence over the terminal's own
/// answer; without either the width is 100 columns.
Terminal terminal(int descriptor);

/// For a table whose cells must not be cut in a file or pipe, where the middle of a path may matter. Makes
/// the width unlimited if nobody set it, else leaves it.
Terminal uncut(Terminal terminal);

}  // namespace gpugauge::report
