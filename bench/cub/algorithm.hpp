// A CUB device algorithm as a benchmark: sizes, temporary storage outside the timed region, timing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <cub/version.cuh>

#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/cuda/kernels_seen.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"

namespace gpugauge::bench::cub_library {

/// Follows what a comparison says of the timed output.
inline constexpr const char* once_more = ", after one more run into poison";

inline constexpr const char* bad_value =
    "a memory clock below its maximum, ECC or row-remapping trouble, a low SM clock, another process on the "
    "GPU, a MIG slice; a CUB without tuning for this GPU";

/// Elements of `Element` in each array: cuda::bus_array_bytes().
template <typename Element>
std::size_t array_elements() {
  return cuda::bus_array_bytes(cuda::device().l2_bytes) / sizeof(Element);
}

/// Records that two sums of kernels::primitive::sum_of_keys() are equal. A sum that was never formed is 0.
inline void verify_same_sum(Trial& trial, const std::string& method, unsigned long long before,
                            unsigned long long after) {
  trial.verify(method, before != 0 && before == after);
}

/// One algorithm over its arrays. `Call` is cudaError_t(void* temporary, std::size_t& bytes, cudaStream_t).
/// It follows CUB's convention: with `temporary` == nullptr it only sets the bytes.
template <typename Call>
class Algorithm {
 public:
  /// Ends the trial (require_room) when `array_bytes` and CUB's temporary storage leave less than a tenth of
  /// the GPU's memory free. Construct it before the arrays. `call` must refer to the arrays by the first run.
  Algorithm(Trial& trial, std::size_t array_bytes, Call call) : call_(std::move(call)) {
    cuda::check(call_(nullptr, bytes_, nullptr), "asking CUB for its temporary storage");
    cuda::require_room(trial, array_bytes + bytes_);
    trial.note("cub_version", std::to_string(CUB_VERSION));
    trial.note("temporary_bytes", std::to_string(bytes_));
    temporary_ = std::make_unique<cuda::DeviceBuffer<unsigned char>>(std::max<std::size_t>(bytes_, 1));
  }
  void run(cudaStream_t stream) {
    std::size_t bytes = temporary_->count();
    cuda::check(call_(temporary_->get(), bytes, stream), "launching the CUB algorithm");
  }
  /// Returns a timer whose operation is one run. `launches`: the largest number of launches CUB enqueues per
  /// run.
  cuda::GpuTimer timer(Trial& trial, int launches) {
    return cuda::GpuTimer(trial, [this](cudaStream_t stream, std::int64_t) { run(stream); },
                          {.launches_per_operation = launches});
  }
  /// One more run, into poisoned outputs: what the timed runs left may be left over from warming up.
  template <typename... Output>
  void run_into_poison(cudaStream_t stream, const Output&... outputs) {
    (cuda::check(kernels::poison(outputs.get(), outputs.bytes(), stream), "poisoning the output"), ...);
    run(stream);
  }
  /// Notes the kernels of one more, untimed run. It overwrites the output, so call it after the timed runs
  /// are verified.
  void note_kernels(Trial& trial, cudaStream_t stream) {
    cuda::note_kernels(trial, stream, [this](cudaStream_t on) { run(on); });
  }

 private:
  Call call_;
  std::size_t bytes_ = 0;
  std::unique_ptr<cuda::DeviceBuffer<unsigned char>> temporary_;
};

}  // namespace gpugauge::bench::cub_library
