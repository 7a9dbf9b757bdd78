// The first kernel of a process. Only the family that is compiled with PTX beside machine code includes it.
#pragma once

#include "kernels/launch/first.hpp"

namespace gpugauge::kernels::launch {

/// One block of first_threads threads: values[i] = first_value(i).
__global__ void __launch_bounds__(first_threads) first_kernel(std::uint64_t* values) {
  values[threadIdx.x] = first_value(threadIdx.x);
}

}  // namespace gpugauge::kernels::launch
