// The mean SM clock between two points of a stream.
#pragma once

#include <algorithm>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/sm_clock.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::bench::cuda {

/// Clock stamps of all SMs at two points of a stream, and the SM clock between them. One interval at a time.
class Stamps {
 public:
  /// Allocates both arrays, stamp_slots entries each. Throws OutOfMemory or CudaError.
  Stamps() : begin_(kernels::stamp_slots), end_(kernels::stamp_slots) {}

  /// Enqueues the first stamp, which begins an interval. Throws CudaError.
  void begin(cudaStream_t stream) {
    ++generation_;
    check(kernels::launch_clock_stamp(begin_.on_device(), generation_, stream), "launching the clock stamp");
  }
  /// Enqueues the second stamp, which ends the interval. Throws CudaError.
  void end(cudaStream_t stream) {
    check(kernels::launch_clock_stamp(end_.on_device(), generation_, stream), "launching the clock stamp");
  }
  /// Whether both stamps were written. If not, kernels are launched but do not run, and nothing that was
  /// timed was done. Wait for both stamps before the call.
  bool ran() const {
    const auto of_interval = [this](const kernels::ClockStamp& stamp) {
      return stamp.generation == generation_;
    };
    return std::any_of(begin_.get(), begin_.get() + kernels::stamp_slots, of_interval) &&
           std::any_of(end_.get(), end_.get() + kernels::stamp_slots, of_interval);
  }
  /// Mean SM clock in hertz between the last begin and end, 0 if unknown. Both must have run.
  double hertz() const { return kernels::sm_clock_hz(begin_.get(), end_.get(), generation_); }

 private:
  PinnedBuffer<kernels::ClockStamp> begin_;
  PinnedBuffer<kernels::ClockStamp> end_;
  std::uint64_t generation_ = 0;
};

}  // namespace gpugauge::bench::cuda
