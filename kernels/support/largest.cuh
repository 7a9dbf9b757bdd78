// The largest of many errors, kept in device memory.
#pragma once

namespace gpugauge::kernels {

/// *largest = max(*largest, error). Both >= 0: such doubles are ordered as their bits are.
__device__ inline void keep_largest(double* largest, double error) {
  atomicMax(reinterpret_cast<unsigned long long*>(largest),
            static_cast<unsigned long long>(__double_as_longlong(error)));
}

}  // namespace gpugauge::kernels
