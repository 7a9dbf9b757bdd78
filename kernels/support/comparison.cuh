// How kernels compare: each thread keeps a tally and hands it in once.
#pragma once

#include <cmath>
#include <cstddef>

#include "kernels/support/comparison.hpp"
#include "kernels/support/largest.cuh"

namespace gpugauge::kernels {

/// What one thread compared. Every element counts, right or wrong: the sum over all threads is the proof that
/// none was left out.
class Tally {
 public:
  /// One element that is right or not.
  __device__ void exact(bool right) {
    ++compared_;
    if (!right) ++wrong_;
  }
  /// One element and how far it is off, >= 0; NaN counts as infinity.
  __device__ void error(double off) {
    ++compared_;
    if (!(off <= largest_)) largest_ = off > largest_ ? off : HUGE_VAL;
  }
  /// Adds it to *comparison (device). Once a thread; what was not begun gets nothing that would complete it.
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

/// right(i), a bool, for every i < count.
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
