// A cuDNN convolution as a benchmark: buffers, rotation, timing, verification, and the kernels that ran.
#pragma once

#include "cudnn/layers.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cudnn {

/// Measures the heuristic's plans for the layer on the axis "layer" in the layout on the axis "layout" (nhwc
/// or nchw). Verifies sampled results of the first and the fastest against fp64.
void measure_convolution(Trial& trial, kernels::convolution::Pass pass, const Arithmetic& arithmetic);

/// Makes a definition with what the convolutions share, including the body: one variant per arithmetic.
Definition define_convolution(const char* op, kernels::convolution::Pass pass, const Arithmetic& arithmetic);

}  // namespace gpugauge::bench::cudnn
