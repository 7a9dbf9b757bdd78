// A log, a traceback or any printed text as lines of an observation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/observation.hpp"

namespace gpugauge::diagnose {

/// Most lines that are kept of one text: the first and the last half of them.
inline constexpr std::size_t text_lines_most = 4000;
/// Most of the lines that are kept which differ in their numbers only: a training's thousand steps are a few lines.
inline constexpr std::size_t numbered_lines_most = 8;
/// Longest line in bytes; the middle of a longer one is cut out.
inline constexpr std::size_t text_line_longest = 1000;

/// What is kept of a text.
struct TextLines {
  std::vector<std::string> lines;  ///< in the order of the text, each once
  std::size_t read = 0;            ///< lines of the text that are not blank
};

/// The lines of a text of foreign bytes. Of a line that was drawn over (carriage returns) the last state counts. Colours
/// and other escape sequences are removed, as are blanks at the end; other control characters and bytes that are no
/// UTF-8 become '?'. Blank lines, and lines that were there before, are left out.
TextLines lines_of_text(std::string_view text);

/// What somebody says is wrong, as a figure of the application with the words as its note: it fails where they tell of a
/// failure and not of slowness, and is slower otherwise.
Metric figure_of_words(const std::string& says);

}  // namespace gpugauge::diagnose
