// GPU time of a batch: CUDA events around operations enqueued while a blocking kernel held the stream. So the
// time contains no gap in which the GPU waited for the host.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <cuda_runtime_api.h>

#include "support/cuda/blocker.hpp"
#include "support/cuda/environment.hpp"
#include "support/cuda/resources.hpp"
#include "support/cuda/stamps.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Times batches on the GPU's own clock, on its own stream. For one thread.
class GpuTimer final : public Timer {
 public:
  /// Enqueues operation number `index` on the stream and must not wait for the GPU. `index` counts over the
  /// timer's life, for rotation.
  using Operation = std::function<void(cudaStream_t stream, std::int64_t index)>;

  /// Options of the timer.
  struct Options {
    int launches_per_operation = 1;  ///< queue entries per operation
    double warm_seconds = 0.1;       ///< longest warm-up of work that draws little power
  };

  /// `trial` must outlive the timer. The timer adds the notes "synchronous_launch", "queue_depth" and, where
  /// the blocker is given up, "blocker". Throws CudaError.
  GpuTimer(Trial& trial, Operation operation, Options options);
  /// Uses the default options.
  GpuTimer(Trial& trial, Operation operation) : GpuTimer(trial, std::move(operation), Options{}) {}
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;
  /// Waits for enqueued work, which may remain after an exception, because it writes to memory that the
  /// members own.
  ~GpuTimer() override;

  /// Selects the warm-up for work that draws much power (power_warm_up_after). The default is what the
  /// trial's definition says. Switch it off where the GPU is already under such a load.
  void power_heavy(bool heavy) { power_heavy_ = heavy; }

  /// Runs one operation un-blocked. A first launch loads its kernel and would wait for the blocking kernel.
  /// warm_up() begins with this. Throws CudaError.
  void load() { run(1, false); }
  /// Enqueues `operations` operations and waits for them. Returns the seconds between the events around them,
  /// and the mean SM clock. Throws CudaError.
  BatchTime time_batch(std::int64_t operations) override;
  /// Runs operations until the SM clock is flat, for at most Options::warm_seconds. Work that
  /// is_bound_by_memory() continues up to memory_settles_seconds() while throughput moves. Work that draws
  /// much power continues until its throughput is flat too (power_warm_up_after). Notes: "warm_up_seconds"
  /// where it took longer than Options::warm_seconds, and "warm_up" where throughput or clock did not become
  /// flat.
  void warm_up() override;
  /// "cuda_event".
  std::string name() const override { return "cuda_event"; }
  /// Resolution of cudaEventElapsedTime: about half a microsecond (CUDA Runtime API reference).
  double resolution_seconds() const override { return 0.5e-6; }
  /// At most half of the queue, less what the timer itself enqueues.
  std::int64_t maximum_operations() const override;
  /// False where launches are synchronous or the blocker was given up: a batch then includes the host's gaps.
  bool times_gpu_at_work() const override { return use_blocker_; }

  /// The stream that operations are enqueued on. The caller does not own it.
  cudaStream_t stream() const { return stream_.get(); }
  /// Enqueues one more operation, untimed, the same way as those of a batch. Its number is operations().
  void enqueue_one() { operation_(stream_.get(), next_++); }
  /// Operations enqueued so far, warm-up included.
  std::int64_t operations() const { return next_; }

 private:
  BatchTime run(std::int64_t operations, bool blocked);

  Trial& trial_;
  Operation operation_;
  Options options_;
  Stream stream_;
  Event start_;
  Event stop_;
  Blocker blocker_;
  Stamps stamps_;
  bool use_blocker_;
  bool power_heavy_;
  bool bound_by_memory_;
  std::int64_t next_ = 0;
};

}  // namespace gpugauge::bench::cuda
