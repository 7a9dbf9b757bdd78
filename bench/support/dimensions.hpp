// Sizes joined by "x", as axes write them. Pure.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

namespace gpugauge::bench {

/// Parses "16x4096x128" into {16, 4096, 128}: one size or more, each at least `least`. Returns empty for
/// anything else.
inline std::vector<int> parse_dimensions(std::string_view text, int least = 1) {
  std::vector<int> sizes;
  const char* from = text.data();
  const char* const end = text.data() + text.size();
  for (;;) {
    int size = 0;
    const auto [next, fault] = std::from_chars(from, end, size);
    if (fault != std::errc{} || size < least) return {};
    sizes.push_back(size);
    if (next == end) return sizes;
    if (*next != 'x') return {};
    from = next + 1;
  }
}

}  // namespace gpugauge::bench
