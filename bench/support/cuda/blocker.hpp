// Holds a stream while a batch is enqueued, and measures how much may be enqueued.
#pragma once

#include <memory>

#include <cuda_runtime_api.h>

#include "kernels/support/blocker.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::bench::cuda {

/// Holds a stream until the host releases it, by a kernel that waits on a flag in pinned memory. One hold at
/// a time.
class Blocker {
 public:
  /// How a Hold ends.
  struct Release {
    /// Releases the stream.
    void operator()(Blocker* blocker) const { blocker->release(); }
  };
  /// Owns a hold: its destructor releases the stream, also when an exception is thrown.
  using Hold = std::unique_ptr<Blocker, Release>;

  /// Allocates its flags. Throws OutOfMemory or CudaError.
  Blocker();
  /// Enqueues the blocking kernel. Later work on `stream` waits until the Hold is destroyed or
  /// `timeout_seconds` have passed. The stream must be idle. Throws CudaError.
  [[nodiscard]] Hold hold(cudaStream_t stream, double timeout_seconds);
  /// Releases the stream; does nothing when it is not held.
  void release();
  /// True when the last hold ended by its timeout, not by the host. It becomes true only once the kernel has
  /// given up.
  bool timed_out() const;

 private:
  PinnedBuffer<kernels::BlockerFlags> flags_;
  kernels::BlockerFlags* on_device_;
};

/// How launches queue on a stream while a kernel holds it.
struct Queue {
  /// Launches wait for earlier work: CUDA_LAUNCH_BLOCKING, a profiler, a debugger or a sanitizer. The blocker
  /// is not used then.
  bool synchronous = false;
  /// Launches that fit before one blocks; measured up to 4096.
  int depth = 0;
};

/// The queue of this process, measured once, within about 50 ms. Throws CudaError.
const Queue& queue();

/// Measures the queue now on `stream`, which must be idle.
Queue measure_queue(cudaStream_t stream);

}  // namespace gpugauge::bench::cuda
