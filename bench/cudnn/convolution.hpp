// A convolution of cuDNN as a benchmark: buffers, rotation, timing, verification, the kernels that ran.
#pragma once

#include "cudnn/layers.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cudnn {

/// Measures the heuristic's plans for the layer on the axis "layer" in the layout on the axis "layout" (nhwc
/// or nchw), and verifies sampled results of the first and the fastest against fp64.
void measure_convolution(Trial& trial, kernels::convolution::Pass pass, const Arithmetic& arithmetic);

/// A definition with what the convolutions have in common, body included: one variant for each arithmetic.
Definition define_convolution(const char* op, kernels::convolution::Pass pass, const Arithmetic& arithmetic);

}  // namespace gpugauge::bench::cudnn
