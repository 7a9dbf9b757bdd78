// Verifies that launches run. An empty kernel leaves no result, so that those of a window cannot be verified:
// behind it the launch benchmarks launch others, which count.
#pragma once

#include <functional>

#include "kernels/launch/trivial.hpp"
#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::launch {

/// Calls `enqueue(stream, counter)`, which enqueues work that adds `expected` to *counter. Waits, then
/// records whether exactly that many were counted.
inline void verify_count(Trial& trial, cudaStream_t stream, unsigned long long expected,
                         const std::function<void(cudaStream_t, unsigned long long*)>& enqueue) {
  const cuda::DeviceValue<unsigned long long> counter;
  enqueue(stream, counter.get());
  const unsigned long long counted = counter.read(stream);
  trial.verify(
      "kernels that ran, less those that were launched",
      counted > expected ? static_cast<double>(counted - expected) : static_cast<double>(expected - counted),
      0);
}

/// verify_count() for single launches on a stream.
inline void verify_launches(Trial& trial, cudaStream_t stream) {
  constexpr int launches = 1000;
  verify_count(trial, stream, launches, [](cudaStream_t on, unsigned long long* counter) {
    for (int i = 0; i < launches; ++i)
      cuda::check(kernels::launch::launch_counting(counter, on), "launching a counting kernel");
  });
}

/// Launches or records that a host timer may enqueue before it waits: a quarter of the queue, so that it
/// never fills.
/// @param depth of the queue
constexpr int burst(int depth) {
  return depth / 4 < 1 ? 1 : depth / 4;
}

}  // namespace gpugauge::bench::launch
