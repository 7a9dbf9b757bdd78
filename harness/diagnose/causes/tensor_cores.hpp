// Facts that several signatures about Tensor Cores use.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// Kernels without Tensor Cores ran, and none with them.
Fact no_tensor_core_kernel(const Seen& seen);
/// Slower work that is declared as fp32 ran without Tensor Cores, and its result is as exact as fp32.
Fact exact_without_tensor_cores(const Seen& seen);

}  // namespace gpugauge::diagnose
