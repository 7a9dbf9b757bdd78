// The largest of many errors, kept in device memory.
#pragma once

namespace gpugauge::kernels {

/// *largest = max(*largest, error). Both must be >= 0: such doubles order like their bits.
__device__ inline void keep_largest(double* largest, double error) {
  atomicMax(reinterpret_cast<unsigned long long*>(largest),
            static_cast<unsigned long long>(__double_as_longlong(error)));
}

}  // namespace gpugauge::kernels
