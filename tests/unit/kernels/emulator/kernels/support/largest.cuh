// kernels/support/largest.cuh for the emulator.
#pragma once

#include <algorithm>
#include <mutex>

namespace gpugauge::kernels {

inline void keep_largest(double* largest, double error) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  *largest = std::max(*largest, error);
}

}  // namespace gpugauge::kernels
