// How kernels compare: each thread keeps a tally and adds it to the result once.
#pragma once

#include <cmath>
#include <cstddef>

#include "kernels/support/comparison.hpp"
#include "kernels/support/largest.cuh"

namespace gpugauge::kernels {

/// What one thread compared. Every element counts, right or wrong, so that the sum over all threads proves
/// that none was left out.
class Tally {
 public:
  /// Counts one element as right or wrong.
  __device__ void exact(bool right) {
    ++compared_;
    if (!right) ++wrong_;
  }
  /// Counts one element with its error, >= 0; NaN counts as infinity.
  __device__ void error(double off) {
    ++compared_;
    if (!(off <= largest_)) largest_ = off > largest_ ? off : HUGE_VAL;
  }
  /// Adds the tally to *comparison (device). Call it once per thread. It cannot complete a comparison that
  /// was not begun.
  __device__ void hand_in(Comparison* comparison) const {
    if (compared_ == 0) return;
    atomicAdd(&comparison->compared, compared_);
    if (wrong_ != 0) atomicAdd(&comparison->wrong, wrong_);
    if (largest_ > 0) keep_largest(&comparison->error, largest_);
  }

 private:
  unsigned long long compared_ = 0;
  unsigned long long wrong_ = 0;
  double largest_ = 0;
};

/// Calls right(i), a bool, for every i < count.
template <typename Right>
__global__ void compare_kernel(std::size_t count, Right right, Comparison* comparison) {
  Tally tally;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    tally.exact(right(i));
  tally.hand_in(comparison);
}

}  // namespace gpugauge::kernels
