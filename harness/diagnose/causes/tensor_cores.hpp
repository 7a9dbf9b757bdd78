// What several signatures about Tensor Cores ask.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// A kernel without Tensor Cores ran, and none with them.
Fact no_tensor_core_kernel(const Seen& seen);

}  // namespace gpugauge::diagnose
