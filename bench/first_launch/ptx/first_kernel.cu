// The first kernel as PTX, under a plain name by which the driver finds it.
#include "kernels/launch/first.hpp"

extern "C" __global__ void __launch_bounds__(gpugauge::kernels::launch::first_threads)
    first_kernel(std::uint64_t* values) {
  values[threadIdx.x] = gpugauge::kernels::launch::first_value(threadIdx.x);
}
