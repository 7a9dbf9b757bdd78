#include "support/cuda/blocker.hpp"

#include <atomic>

#include "kernels/launch/trivial.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::cuda {

namespace {

constexpr double probe_seconds = 0.05;
constexpr int deepest = 4096;

}  // namespace

Blocker::Blocker() : flags_(1), on_device_(flags_.on_device()) {}

Blocker::Hold Blocker::hold(cudaStream_t stream, double timeout_seconds) {
  flags_.get()->release = 0;
  flags_.get()->timed_out = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  check(kernels::launch_blocker(on_device_, static_cast<std::uint64_t>(timeout_seconds * 1e9), stream),
        "launching the blocking kernel");
  return Hold(this);
}

void Blocker::release() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  flags_.get()->release = 1;
}

bool Blocker::timed_out() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return flags_.get()->timed_out != 0;
}

Queue measure_queue(cudaStream_t stream) {
  Blocker blocker;
  // Runs both kernels once without a hold: the first launch loads them, which can wait for the GPU.
  {
    const Blocker::Hold hold = blocker.hold(stream, probe_seconds);
    blocker.release();
    check(kernels::launch::launch_empty(stream), "launching an empty kernel");
    check(cudaStreamSynchronize(stream), "waiting for the GPU");
  }
  Queue found;
  {
    const Blocker::Hold hold = blocker.hold(stream, probe_seconds);
    const double start = steady_seconds();
    while (found.depth < deepest) {
      check(kernels::launch::launch_empty(stream), "launching an empty kernel");
      if (blocker.timed_out()) break;  // a launch waited until the blocker gave up
      ++found.depth;
      // If the host is too slow to fill the queue in time, the depth is what was enqueued so far.
      if (steady_seconds() - start > probe_seconds / 2) break;
    }
    found.synchronous = found.depth == 0;
  }
  check(cudaStreamSynchronize(stream), "waiting for the GPU");
  return found;
}

const Queue& queue() {
  static const Queue found = [] {
    const Stream stream;
    return measure_queue(stream.get());
  }();
  return found;
}

}  // namespace gpugauge::bench::cuda
