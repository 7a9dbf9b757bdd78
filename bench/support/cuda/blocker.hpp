// Holding a stream while a batch is enqueued, and finding out how much may be enqueued.
#pragma once

#include <memory>

#include <cuda_runtime_api.h>

#include "kernels/support/blocker.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::bench::cuda {

/// Keeps a stream from running on until the host lets it go, by a kernel that waits on a flag in pinned
/// memory. One hold at a time.
class Blocker {
 public:
  /// How a Hold ends.
  struct Release {
    /// Lets the stream go.
    void operator()(Blocker* blocker) const { blocker->release(); }
  };
  /// Holds a stream for its own lifetime at the longest: the stream is always let go, also by an exception.
  using Hold = std::unique_ptr<Blocker, Release>;

  /// Allocates its flags. Throws OutOfMemory or CudaError.
  Blocker();
  /// Enqueues the blocking kernel. Every later work on `stream` waits until the Hold ends, or
  /// `timeout_seconds` have passed. The stream must be idle. Throws CudaError.
  [[nodiscard]] Hold hold(cudaStream_t stream, double timeout_seconds);
  /// Lets the stream go; harmless when it is not held.
  void release();
  /// The last hold was ended by its timeout, not by the host. True only once the kernel has given up.
  bool timed_out() const;

 private:
  PinnedBuffer<kernels::BlockerFlags> flags_;
  kernels::BlockerFlags* on_device_;
};

/// What a stream takes while a kernel holds it.
struct Queue {
  /// Launches wait for earlier work: CUDA_LAUNCH_BLOCKING, a profiler, a debugger or a sanitizer. No blocker
  /// then.
  bool synchronous = false;
  /// Launches that fit before one waits; measured up to 4096.
  int depth = 0;
};

/// The queue of this process, measured once, within about 50 ms. Throws CudaError.
const Queue& queue();

/// The same, measured now on `stream`, which must be idle.
Queue measure_queue(cudaStream_t stream);

}  // namespace gpugauge::bench::cuda
