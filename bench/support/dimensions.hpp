// Sizes joined by "x", as axes write them. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "result/number.hpp"

namespace gpugauge::bench {

/// Parses "16x4096x128" into {16, 4096, 128}: one size or more, each at least `least`. Returns empty for
/// anything else.
inline std::vector<int> parse_dimensions(std::string_view text, int least = 1) {
  std::vector<int> sizes;
  for (;;) {
    const auto size = result::take_number<int>(text);
    if (!size || *size < least) return {};
    sizes.push_back(*size);
    if (text.empty()) return sizes;
    if (text.front() != 'x') return {};
    text.remove_prefix(1);
  }
}

}  // namespace gpugauge::bench
