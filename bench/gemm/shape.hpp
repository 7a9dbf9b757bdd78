// The shape of a matrix product as the axis "shape" writes it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "support/dimensions.hpp"

namespace gpugauge::bench::gemm {

/// C[m,n] = A[m,k] B[k,n].
struct Shape {
  int m = 0;
  int n = 0;
  int k = 0;
};

/// Parses "4096x4096x4096": m x n x k, each >= 1. Throws std::logic_error for anything else.
inline Shape parse_shape(const std::string& text) {
  const std::vector<int> sizes = parse_dimensions(text);
  if (sizes.size() != 3) throw std::logic_error("shape '" + text + "' is not MxNxK");
  return Shape{sizes[0], sizes[1], sizes[2]};
}

}  // namespace gpugauge::bench::gemm
