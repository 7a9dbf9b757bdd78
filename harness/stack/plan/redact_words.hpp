// Names that are known: whole words to replace wherever they stand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpugauge::stack {

/// Words and what stands in their place. Thousands of them cost a text no more than a few.
class KnownWords {
 public:
  /// Shorter ones are left out: they stand in too many other words ("a", "vm").
  static constexpr std::size_t least = 3;

  /// The first replacement of a word stands, in capitals or not.
  void add(std::string_view word, std::string replacement);
  /// Every whole word, in capitals too; where several begin, the longest. A word of 5 letters and more is one
  /// also where an underscore joins it to another ("vg_node17").
  std::string replaced(std::string_view text) const;

 private:
  std::unordered_map<std::string, std::string> words_;  ///< in lower case -> replacement
  std::vector<std::size_t> lengths_;                    ///< theirs, each once, longest first
};

}  // namespace gpugauge::stack
