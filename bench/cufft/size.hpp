// The sizes of a transform as the axis "size" writes them. Pure.
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/fft/reference.hpp"

namespace gpugauge::bench::cufft {

/// Points of all transforms of one operation: far more than caches hold.
inline constexpr std::int64_t points_of_operation = 1 << 25;

/// "1024", "512x512", "128x128x128": one to three sizes >= 2, with as many transforms as make
/// points_of_operation, at least one. Throws std::logic_error for anything else.
inline kernels::fft::Shape parse_size(const std::string& text, kernels::Element type) {
  kernels::fft::Shape shape;
  shape.type = type;
  const char* from = text.data();
  const char* const end = text.data() + text.size();
  const auto refuse = [&] { throw std::logic_error("size '" + text + "' is not N, NxN or NxNxN"); };
  int sizes[3] = {};
  int count = 0;
  for (;;) {
    if (count == 3) refuse();
    const auto [next, fault] = std::from_chars(from, end, sizes[count]);
    if (fault != std::errc{} || sizes[count] < 2) refuse();
    ++count;
    if (next == end) break;
    if (*next != 'x') refuse();
    from = next + 1;
  }
  for (int i = 0; i < count; ++i) shape.n[3 - count + i] = sizes[i];
  const std::int64_t batch = points_of_operation / shape.points();
  shape.batch = batch < 1 ? 1 : static_cast<int>(batch);
  return shape;
}

/// How many dimensions the text names.
inline int rank_of(const std::string& text) {
  int rank = 1;
  for (const char letter : text) rank += letter == 'x' ? 1 : 0;
  return rank;
}

}  // namespace gpugauge::bench::cufft
