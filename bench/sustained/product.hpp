// A square matrix product that is repeated for a minute: buffers, course, verification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/gemm/reference.hpp"
#include "kernels/gemm/tiling.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/room.hpp"
#include "sustained/endure.hpp"

namespace gpugauge::bench::sustained {

/// Repeats C = A B of edge x edge matrices for the trial's window by `multiply(a, b, c, stream)`, which returns
/// cudaError_t, and adds the metrics of endure(). Then sampled rows must match fp64 within `tolerance`, relative
/// to the norms, and the last timed result and two more must have the same bits.
template <typename Number, typename Multiply>
void sustain_product(Trial& trial, int edge, const Multiply& multiply, double tolerance,
                     const char* metric_class) {
  const std::size_t elements = static_cast<std::size_t>(edge) * static_cast<std::size_t>(edge);
  cuda::require_room(trial, 3 * elements * sizeof(Number));
  const cuda::DeviceBuffer<Number> a(elements);
  const cuda::DeviceBuffer<Number> b(elements);
  const cuda::DeviceBuffer<Number> c(elements);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(multiply(a.get(), b.get(), c.get(), stream), "launching the matrix product");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(a.get(), elements, trial.data_seed(), stream), "filling A");
  cuda::check(kernels::fill_uniform(b.get(), elements, trial.data_seed() + 1, stream), "filling B");
  const cuda::DeviceValue<unsigned long long> sum;
  std::vector<std::uint64_t> checksums;
  const auto add_checksum = [&] {
    cuda::check(kernels::checksum(c.get(), c.bytes(), sum.get(), stream), "summing C");
    checksums.push_back(sum.read(stream));
  };
  const double flops = kernels::gemm::flops(edge, edge, edge);
  trial.work({.flops = flops});
  cuda::check(kernels::poison(c.get(), c.bytes(), stream), "poisoning C");
  endure(trial, timer, flops, "flop/second", metric_class);
  add_checksum();
  const cuda::DeviceComparison error;
  const auto samples = static_cast<int>(kernels::gemm::samples_for(edge));
  cuda::check(kernels::gemm::sampled_error(a.get(), b.get(), c.get(), edge, edge, edge, samples,
                                           trial.data_seed(), error.get(), stream),
              "comparing C with fp64");
  cuda::verify(trial,
               "largest error over " + std::to_string(samples) + " rows against fp64, relative to the norms",
               error, stream, tolerance);
  // Twice more while hot from the last seconds: the bits must be the same.
  for (int repeat = 0; repeat < 2; ++repeat) {
    cuda::check(kernels::poison(c.get(), c.bytes(), stream), "poisoning C");
    timer.time_batch(1);
    add_checksum();
  }
  trial.verify_deterministic(checksums);
}

}  // namespace gpugauge::bench::sustained
