// A log, a traceback or any printed text as lines of an observation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/observation.hpp"

namespace gpugauge::diagnose {

/// Most lines that are kept of one text. Those that tell of harm go first.
inline constexpr std::size_t text_lines_most = 2000;
/// Of lines that differ in their numbers only, but for the number of an Xid, so many of the first and of the last are
/// kept: a training's thousand steps are a few lines.
inline constexpr std::size_t numbered_lines_most = 8;
/// Longest line in bytes; the middle of a longer one is cut out.
inline constexpr std::size_t text_line_longest = 500;

/// What is kept of a text.
struct TextLines {
  std::vector<std::string> lines;  ///< in the order of the text, each once
  std::size_t read = 0;            ///< lines of the text that are not blank
};

/// The lines of a text of foreign bytes. Of a line that was drawn over (carriage returns) the last state that is not
/// blank counts. Colours and other escape sequences are removed, as are blanks at the end; other control characters and
/// bytes that are no UTF-8 become '?'. Blank lines, and lines that were there before, are left out. Where there are too
/// many, the first and the last of those that tell of harm are kept, up to half of the most, and then of the others.
TextLines lines_of_text(std::string_view text);

/// Why this is no text that can be read line by line (compressed, UTF-16, binary), and what to do, as a clause; "" where
/// it is one.
std::string why_no_text(std::string_view text);

/// What somebody says is wrong, as a figure of the application with the words as its note: it fails where they tell of a
/// failure (a crash, a hang, an error) and not of slowness, and is slower otherwise.
Metric figure_of_words(const std::string& says);

}  // namespace gpugauge::diagnose
