// The mean SM clock between two points of a stream.
#pragma once

#include <algorithm>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/sm_clock.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::bench::cuda {

/// Stamps of all SMs at two points of a stream, and the clock that they give. One interval at a time.
class Stamps {
 public:
  /// Allocates both arrays, stamp_slots each. Throws OutOfMemory or CudaError.
  Stamps() : begin_(kernels::stamp_slots), end_(kernels::stamp_slots) {}

  /// Enqueues the first stamp: an interval begins. Throws CudaError.
  void begin(cudaStream_t stream) {
    ++generation_;
    check(kernels::launch_clock_stamp(begin_.on_device(), generation_, stream), "launching the clock stamp");
  }
  /// Enqueues the second one: it ends. Throws CudaError.
  void end(cudaStream_t stream) {
    check(kernels::launch_clock_stamp(end_.on_device(), generation_, stream), "launching the clock stamp");
  }
  /// Whether both stamps are there. Where they are not, kernels are launched and do not run, and nothing that
  /// was timed was done. Both must have been waited for.
  bool ran() const {
    const auto of_interval = [this](const kernels::ClockStamp& stamp) {
      return stamp.generation == generation_;
    };
    return std::any_of(begin_.get(), begin_.get() + kernels::stamp_slots, of_interval) &&
           std::any_of(end_.get(), end_.get() + kernels::stamp_slots, of_interval);
  }
  /// Hertz between the last begin and end, 0 if unknown. Both must have run.
  double hertz() const { return kernels::sm_clock_hz(begin_.get(), end_.get(), generation_); }

 private:
  PinnedBuffer<kernels::ClockStamp> begin_;
  PinnedBuffer<kernels::ClockStamp> end_;
  std::uint64_t generation_ = 0;
};

}  // namespace gpugauge::bench::cuda
