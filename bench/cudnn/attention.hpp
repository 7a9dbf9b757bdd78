// Scaled dot-product attention of cuDNN as a benchmark, forward and backward.
#pragma once

#include "kernels/attention/scaled_dot_product.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cudnn {

/// "4x32x4096x128" is batch x heads x length x depth, each >= 1. Throws std::logic_error for anything else.
kernels::attention::Shape parse_attention(const std::string& text, bool causal);

/// Measures the heuristic's plans for the axes "shape" and "mask" (causal or full); verifies every row of the
/// first and the last head against fp64.
void measure_attention(Trial& trial, kernels::Element type, bool backward);

/// A definition with what both have in common, body included: variant fp16 or bf16.
Definition define_attention(const char* op, kernels::Element type, bool backward);

}  // namespace gpugauge::bench::cudnn
