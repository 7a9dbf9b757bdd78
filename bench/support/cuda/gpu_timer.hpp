// GPU time of a batch: CUDA events around operations that were enqueued while a blocking kernel held the
// stream, so that the time holds no gap in which the GPU waited for the host.
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

/// Times batches on the GPU's own clock, on a stream of its own. For one thread.
class GpuTimer final : public Timer {
 public:
  /// Enqueues operation number `index` (counted over the timer's life, for rotation) on the stream; must not
  /// wait for the GPU.
  using Operation = std::function<void(cudaStream_t stream, std::int64_t index)>;

  /// How it is used.
  struct Options {
    int launches_per_operation = 1;  ///< what an operation takes of the stream's queue
    double warm_seconds = 0.1;       ///< longest warm-up of work that draws little power
  };

  /// `trial` must outlive the timer; it gets the notes "synchronous_launch", "queue_depth" and, should it
  /// happen, "blocker". Throws CudaError.
  GpuTimer(Trial& trial, Operation operation, Options options);
  /// The same with the default options.
  GpuTimer(Trial& trial, Operation operation) : GpuTimer(trial, std::move(operation), Options{}) {}
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;
  /// Waits for what is enqueued, which an exception may have left: it writes what the members hold.
  ~GpuTimer() override;

  /// Whether warm_up() is that of work that draws much power (power_warm_up_after). At first it is what the
  /// trial's definition says; off where the GPU is under such a load already.
  void power_heavy(bool heavy) { power_heavy_ = heavy; }

  /// One operation, un-blocked: a first launch loads its kernel, and would wait for the holder while it does.
  /// warm_up() begins with it. Throws CudaError.
  void load() { run(1, false); }
  /// Enqueues `operations` operations and waits for them. Seconds between the events around them, and the
  /// mean SM clock. Throws CudaError.
  BatchTime time_batch(std::int64_t operations) override;
  /// Operations until the SM clock is flat, at most Options::warm_seconds; of work whose first class is "hbm"
  /// up to memory_settles_seconds() while throughput moves, too. Of work that draws much power until its
  /// throughput is flat, too, as power_warm_up_after says. The notes "warm_up_seconds", where it took longer
  /// than Options::warm_seconds, and "warm_up", where throughput or clock was not flat then.
  void warm_up() override;
  /// "cuda_event".
  std::string name() const override { return "cuda_event"; }
  /// cudaEventElapsedTime: about half a microsecond (CUDA Runtime API reference).
  double resolution_seconds() const override { return 0.5e-6; }
  /// At most half of the queue, less what the timer itself enqueues.
  std::int64_t maximum_operations() const override;
  /// Not where launches are synchronous or the holder was given up: then a batch holds the host's gaps.
  bool times_gpu_at_work() const override { return use_blocker_; }

  /// The stream that operations are enqueued on; stays owned.
  cudaStream_t stream() const { return stream_.get(); }
  /// Enqueues one more operation, untimed, by the way that those of a batch take: number operations().
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
