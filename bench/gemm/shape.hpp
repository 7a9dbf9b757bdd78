// The shape of a matrix product as the axis "shape" writes it.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace gpugauge::bench::gemm {

/// C[m,n] = A[m,k] B[k,n].
struct Shape {
  int m = 0;
  int n = 0;
  int k = 0;
};

/// "4096x4096x4096" is m x n x k, each >= 1. Throws std::logic_error for anything else.
inline Shape parse_shape(const std::string& text) {
  std::array<int, 3> sizes{};
  const char* from = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto [next, fault] = std::from_chars(from, end, sizes[i]);
    const bool last = i + 1 == sizes.size();
    if (fault != std::errc{} || sizes[i] < 1 || (last ? next != end : next == end || *next != 'x'))
      throw std::logic_error("shape '" + text + "' is not MxNxK");
    from = next + 1;
  }
  return Shape{sizes[0], sizes[1], sizes[2]};
}

}  // namespace gpugauge::bench::gemm
