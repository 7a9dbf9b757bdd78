// The shape of attention as the axis "shape" writes it. Pure.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/attention/scaled_dot_product.hpp"
#include "support/dimensions.hpp"

namespace gpugauge::bench::cudnn {

/// Parses "4x32x4096x128": batch x heads x length x depth, each >= 1. Throws std::logic_error for anything
/// else.
inline kernels::attention::Shape parse_attention(const std::string& text, bool causal) {
  const std::vector<int> sizes = parse_dimensions(text);
  if (sizes.size() != 4) throw std::logic_error("shape '" + text + "' is not BATCHxHEADSxLENGTHxDEPTH");
  return {.batch = sizes[0], .heads = sizes[1], .length = sizes[2], .depth = sizes[3], .causal = causal};
}

}  // namespace gpugauge::bench::cudnn
