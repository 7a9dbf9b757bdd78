// The sizes of a transform as the axis "size" writes them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/fft/reference.hpp"
#include "support/dimensions.hpp"

namespace gpugauge::bench::cufft {

/// Points of all transforms of one operation: far more than caches hold.
inline constexpr std::int64_t points_of_operation = 1 << 25;

/// Parses "1024", "512x512", "128x128x128": one to three sizes >= 2. The batch makes up points_of_operation
/// points, at least one transform. Throws std::logic_error for anything else.
inline kernels::fft::Shape parse_size(const std::string& text, kernels::Element type) {
  kernels::fft::Shape shape;
  shape.type = type;
  const std::vector<int> sizes = parse_dimensions(text, 2);
  const auto count = static_cast<int>(sizes.size());
  if (count < 1 || count > 3) throw std::logic_error("size '" + text + "' is not N, NxN or NxNxN");
  for (int i = 0; i < count; ++i) shape.n[3 - count + i] = sizes[static_cast<std::size_t>(i)];
  const std::int64_t batch = points_of_operation / shape.points();
  shape.batch = batch < 1 ? 1 : static_cast<int>(batch);
  return shape;
}

/// Number of dimensions that the text names.
inline int rank_of(const std::string& text) {
  int rank = 1;
  for (const char letter : text) rank += letter == 'x' ? 1 : 0;
  return rank;
}

}  // namespace gpugauge::bench::cufft
