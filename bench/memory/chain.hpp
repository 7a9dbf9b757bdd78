// A chain of dependent loads in device memory, followed and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernels/memory/chase.hpp"
#include "memory/arrays.hpp"
#include "memory/steps.hpp"
#include "support/chase.hpp"

namespace gpugauge::bench::memory {

/// A random cycle over `elements` places (a power of two, at least 4), `stride` bytes apart.
class Chain {
 public:
  Chain(std::uint32_t elements, std::size_t stride, std::uint64_t seed)
      : cycle_(elements, seed), stride_(stride), memory_(elements * stride), at_(1) {
    std::vector<std::uint32_t> next(elements);
    for (std::uint32_t i = 0; i < elements; ++i) next[i] = static_cast<std::uint32_t>(cycle_.next(i));
    const cuda::DeviceBuffer<std::uint32_t> on_device(elements);
    cuda::check(cudaMemcpy(on_device.get(), next.data(), on_device.bytes(), cudaMemcpyHostToDevice),
                "copying the cycle");
    cuda::check(kernels::memory::scatter_chain(on_device.get(), elements, stride, memory_.get(), nullptr),
                "writing the chain");
    const auto start = reinterpret_cast<std::uint64_t>(memory_.get());
    cuda::check(cudaMemcpy(at_.get(), &start, sizeof start, cudaMemcpyHostToDevice), "placing the chase");
    cuda::check(cudaStreamSynchronize(nullptr),
                "placing the chase");  // the timer's stream does not wait for this copy
  }

  /// Follows `steps` loads from where the last call ended. `steps` must be odd, else std::logic_error: after
  /// whole turns, a chase is where it would be had it done nothing.
  void follow(std::uint32_t steps, kernels::memory::ChaseLevel level, cudaStream_t stream) {
    if (steps % 2 == 0) throw std::logic_error("a chase over a power of two of places makes odd steps");
    cuda::check(kernels::memory::chase(at_.get(), steps, level, stream), "launching the chase");
    steps_ += steps;
    level_ = level;
  }
  /// True when the chase is where the cycle puts it after all steps so far. If that is the start, it takes
  /// one more step first, so that the expected place is never the start. Waits for the GPU.
  bool stands_right() {
    std::uint64_t found = 0;
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
    if (const std::uint32_t more = further_steps(steps_, cycle_.lines()); more > 0)
      follow(more, level_, nullptr);
    cuda::check(cudaMemcpy(&found, at_.get(), sizeof found, cudaMemcpyDeviceToHost), "reading the chase");
    const std::uint64_t place = cycle_.after(0, steps_ % cycle_.lines());
    return place != 0 && found == reinterpret_cast<std::uint64_t>(memory_.get()) + place * stride_;
  }
  const void* memory() const { return memory_.get(); }
  std::uint32_t elements() const { return static_cast<std::uint32_t>(cycle_.lines()); }
  std::size_t stride() const { return stride_; }

 private:
  Cycle cycle_;
  std::size_t stride_;
  cuda::DeviceBuffer<unsigned char> memory_;
  cuda::DeviceBuffer<std::uint64_t> at_;
  std::uint64_t steps_ = 0;
  kernels::memory::ChaseLevel level_ = kernels::memory::ChaseLevel::l2;
};

}  // namespace gpugauge::bench::memory
