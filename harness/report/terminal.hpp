// What the place where we write can show.
#pragma once

#include <string>
#include <string_view>

namespace gpugauge::report {

/// What a text means; the terminal decides how that looks.
enum class Tone { normal, good, bad, doubt, faint, strong };

/// How to write to one stream. Colour only on a terminal, never with NO_COLOR set (https://no-color.org) or
/// TERM=dumb.
struct Terminal {
  bool colour = false;       ///< escape sequences for colour may be written
  bool interactive = false;  ///< lines may be overwritten
  int width = 100;           ///< columns, at least 60
  bool measured = true;      ///< the width is the terminal's or COLUMNS'; false in a pipe without it

  /// `text` in a tone, or as it is.
  std::string paint(std::string_view text, Tone tone) const;
};

/// The last gate before a stream: of control characters only line breaks, tabs and the sequences that paint()
/// writes pass, and every other one (C1 too) becomes '?', whoever forgot to look at a foreign name. All else
/// is as it was, bytes that are no UTF-8 included.
std::string guarded(std::string_view text);

/// Looks at a file descriptor (1 or 2) and the environment: COLUMNS wins over the terminal's own answer;
/// without either, 100 columns.
Terminal terminal(int descriptor);

/// For a table whose cells must not be cut in a file or a pipe, where the middle of a path may be what is
/// looked for: without limit where the width is nobody's, else as it is.
Terminal uncut(Terminal terminal);

}  // namespace gpugauge::report
