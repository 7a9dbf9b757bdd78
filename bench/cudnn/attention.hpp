// cuDNN's scaled dot-product attention as a benchmark, forward and backward.
#pragma once

#include "kernels/support/element.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cudnn {

/// Measures the heuristic's plans for the axes "shape" and "mask" (causal or full). Verifies rows of the
/// first and the last head against fp64 (kernels::attention::Rows).
void measure_attention(Trial& trial, kernels::Element type, bool backward);

/// Makes a definition with what both directions share, including the body: variant fp16 or bf16.
Definition define_attention(const char* op, kernels::Element type, bool backward);

}  // namespace gpugauge::bench::cudnn
