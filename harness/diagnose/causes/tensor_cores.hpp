// Facts that several signatures about Tensor Cores use.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// Kernels without Tensor Cores ran, and none with them.
Fact no_tensor_core_kernel(const Seen& seen);

}  // namespace gpugauge::diagnose
