// Replaces known names, as whole words, wherever they occur.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpugauge::stack {

/// Words and their replacements. Thousands of words cost no more per text than a few.
class KnownWords {
 public:
  /// Shorter words are ignored: too many other words contain them ("a", "vm").
  static constexpr std::size_t least = 3;

  /// The first replacement for a word stays; case does not matter.
  void add(std::string_view word, std::string replacement);
  /// Replaces every whole word in any case; the longest, if several begin at one place. A word of 5 or more
  /// letters also counts when joined to another by an underscore ("vg_node17").
  std::string replaced(std::string_view text) const;

 private:
  std::unordered_map<std::string, std::string> words_;  ///< word in lower case -> replacement
  std::vector<std::size_t> lengths_;                    ///< lengths of the words, each once, longest first
};

}  // namespace gpugauge::stack
