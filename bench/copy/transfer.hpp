// Shared by the copies between host and device: sizes, timers, buffers, and checks against the generator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "copy/sizes.hpp"
#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "support/byte_text.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/cuda/room.hpp"

namespace gpugauge::bench::copy {

/// Wraps a timer and limits its batches to `most` operations.
class AtMost final : public Timer {
 public:
  AtMost(Timer& timer, std::int64_t most) : timer_(timer), most_(most) {}
  BatchTime time_batch(std::int64_t operations) override { return timer_.time_batch(operations); }
  void warm_up() override { timer_.warm_up(); }
  std::string name() const override { return timer_.name(); }
  double resolution_seconds() const override { return timer_.resolution_seconds(); }
  std::int64_t maximum_operations() const override {
    const std::int64_t other = timer_.maximum_operations();
    return other > 0 ? std::min(other, most_) : most_;
  }
  bool times_gpu_at_work() const override { return timer_.times_gpu_at_work(); }

 private:
  Timer& timer_;
  std::int64_t most_;
};

enum class Direction { to_device, to_host };

/// A host and a device buffer of `bytes` bytes. The source holds the generator's data, the target holds
/// poison. `Host` is cuda::PinnedBuffer<float> or std::vector<float>.
template <typename Host>
class Pair {
 public:
  /// Skips the trial with a reason where the device buffers do not fit.
  Pair(Trial& trial, std::uint64_t bytes, Direction direction)
      : direction_(direction),
        seed_(trial.data_seed()),
        host_(fitting(trial, bytes)),
        device_(bytes / sizeof(float)) {
    cuda::check(kernels::fill_uniform(device_.get(), device_.count(), seed_, nullptr), "filling the data");
    if (direction == Direction::to_device) {
      // The host's data are copied from the device. The final check still finds a copy that damages them.
      cuda::check(cudaMemcpy(host(), device(), device_.bytes(), cudaMemcpyDeviceToHost),
                  "filling the host's data");
    }
    poison_target();
  }

  float* host() { return data_of(host_); }
  float* device() { return device_.get(); }
  std::size_t count() const { return device_.count(); }
  std::size_t bytes() const { return device_.bytes(); }
  Host& host_buffer() { return host_; }

  void enqueue(cudaStream_t stream) {
    const bool in = direction_ == Direction::to_device;
    cuda::check(cudaMemcpyAsync(in ? device() : host(), in ? host() : device(), bytes(),
                                in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream),
                "enqueueing a copy");
  }

  /// Poisons the target, and waits for the GPU before and after it.
  void poison_target() {
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
    if (direction_ == Direction::to_device)
      cuda::check(kernels::poison(device(), bytes(), nullptr), "poisoning the target");
    else
      std::fill_n(reinterpret_cast<unsigned char*>(host()), bytes(), static_cast<unsigned char>(0xff));
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
  }

  /// Waits for the GPU and compares every element of the target with the generator; `method` says so.
  void verify(Trial& trial, const std::string& method) {
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
    const cuda::DeviceComparison found;
    if (direction_ == Direction::to_host) {
      cuda::check(kernels::poison(device(), bytes(), nullptr), "poisoning the check's buffer");
      cuda::check(cudaMemcpy(device(), host(), bytes(), cudaMemcpyHostToDevice), "bringing the result back");
    }
    cuda::check(kernels::memory::count_copy_mismatches(device(), count(), seed_, found.get(), nullptr),
                "comparing the target with the generator");
    cuda::verify(trial, method, found, nullptr);
  }

 private:
  static std::size_t fitting(Trial& trial, std::uint64_t bytes) {
    cuda::require_room_with_host(trial, bytes, bytes);
    return bytes / sizeof(float);
  }
  static float* data_of(std::vector<float>& memory) { return memory.data(); }
  static float* data_of(cuda::PinnedBuffer<float>& memory) { return memory.get(); }

  Direction direction_;
  std::uint64_t seed_;
  Host host_;
  cuda::DeviceBuffer<float> device_;
};

/// Words of a comparison of what was timed, and of one after one more copy, by the way that was timed, into a
/// poisoned target: what was timed may look right because the warm-up left it there.
inline constexpr const char* as_timed = "elements that differ from the generator's";
inline constexpr const char* once_more = "the same after one more copy into poisoned memory";

/// Measures pinned memory with the GPU's copy engine: cudaMemcpyAsync.
void copy_by_engine(Trial& trial, Direction direction);
/// Measures pinned memory, read or written by a kernel on the SMs.
void copy_by_kernel(Trial& trial, Direction direction);
/// Measures pageable memory on the host's clock. The driver copies through its own pinned buffers, and the
/// call returns when the copy is done.
void copy_pageable(Trial& trial, Direction direction);

}  // namespace gpugauge::bench::copy
