// A matrix product as a benchmark: buffers, rotation, timing, verification. The cases differ in types,
// kernel, tolerance and class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gemm/shape.hpp"
#include "kernels/gemm/reference.hpp"
#include "kernels/gemm/tiling.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"
#include "support/cuda/written.hpp"
#include "support/per_clock.hpp"

namespace gpugauge::bench::gemm {

template <typename In, typename Out>
struct Matrices {
  Matrices(const Shape& shape, std::uint64_t seed)
      : a(static_cast<std::size_t>(shape.m) * shape.k),
        b(static_cast<std::size_t>(shape.k) * shape.n),
        c(static_cast<std::size_t>(shape.m) * shape.n) {
    cuda::check(kernels::fill_uniform(a.get(), a.count(), seed, nullptr), "filling A");
    cuda::check(kernels::fill_uniform(b.get(), b.count(), seed + 1, nullptr), "filling B");
    cuda::check(kernels::poison(c.get(), c.bytes(), nullptr), "poisoning C");
    cuda::check(cudaStreamSynchronize(nullptr), "filling the matrices");
  }
  static std::size_t bytes(const Shape& shape) {
    return (static_cast<std::size_t>(shape.m) * shape.k + static_cast<std::size_t>(shape.k) * shape.n) *
               sizeof(In) +
           static_cast<std::size_t>(shape.m) * shape.n * sizeof(Out);
  }
  cuda::DeviceBuffer<In> a;
  cuda::DeviceBuffer<In> b;
  cuda::DeviceBuffer<Out> c;
};

/// Measures C = A B by `kernel` and verifies every set of matrices afterwards. One more product, launched
/// like the timed ones, must overwrite all poison. Sampled rows must match fp64 within `tolerance`. The timed
/// results and three more products must have the same bits.
template <typename In, typename Out>
void measure_product(Trial& trial,
                     cudaError_t (*kernel)(const In*, const In*, Out*, int, int, int, cudaStream_t),
                     double tolerance) {
  const Shape shape = parse_shape(trial.parameter("shape"));
  const std::size_t set_bytes = Matrices<In, Out>::bytes(shape);
  const std::size_t sets = cuda::rotation_sets(set_bytes, cuda::device().l2_bytes);
  cuda::require_room(trial, sets * set_bytes);
  cuda::Rotation<Matrices<In, Out>> rotation(sets, shape, trial.data_seed());
  trial.note("buffer_sets", std::to_string(sets));
  const auto multiply = [&](Matrices<In, Out>& matrices, cudaStream_t stream) {
    cuda::check(
        kernel(matrices.a.get(), matrices.b.get(), matrices.c.get(), shape.m, shape.n, shape.k, stream),
        "launching the matrix product");
  };
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t i) { multiply(rotation[i], stream); });
  const result::Work work{.bytes = kernels::gemm::bytes(shape.m, shape.n, shape.k, sizeof(In), sizeof(Out)),
                          .flops = kernels::gemm::flops(shape.m, shape.n, shape.k)};
  trial.work(work);
  trial.time(timer);
  add_per_clock(trial, work, cuda::device().sm_count);

  // All sets hold the same inputs, so one error and one checksum are valid for all.
  const cudaStream_t stream = timer.stream();
  const cuda::DeviceValue<unsigned long long> sum;
  std::vector<std::uint64_t> checksums;
  const auto add_checksum = [&](Matrices<In, Out>& matrices) {
    cuda::check(kernels::checksum(matrices.c.get(), matrices.c.bytes(), sum.get(), stream), "summing C");
    checksums.push_back(sum.read(stream));
  };
  // Checksums of the timed results. A window that ended early may not have reached every set.
  const std::int64_t come_to = std::min(static_cast<std::int64_t>(sets), timer.operations());
  for (std::int64_t set = 0; set < come_to; ++set) add_checksum(rotation[set]);
  std::vector<kernels::Comparison> written;
  written.reserve(sets);
  for (std::size_t set = 0; set < sets; ++set) {
    Matrices<In, Out>& next = rotation[timer.operations()];
    written.push_back(cuda::not_finite_once_more(timer, next.c));
    add_checksum(next);
  }
  cuda::verify(trial, "elements that are not finite after one more product into every poisoned C",
               cuda::together(written));
  Matrices<In, Out>& first = rotation[0];
  const cuda::DeviceComparison error;
  const auto samples = static_cast<int>(kernels::gemm::samples_for(shape.m));
  cuda::check(kernels::gemm::sampled_error(first.a.get(), first.b.get(), first.c.get(), shape.m, shape.n,
                                           shape.k, samples, trial.data_seed(), error.get(), stream),
              "comparing C with fp64");
  cuda::verify(trial,
               "largest error over " + std::to_string(samples) + " rows against fp64, relative to the norms",
               error, stream, tolerance);
  for (int repeat = 0; repeat < 2; ++repeat) {
    cuda::check(kernels::poison(first.c.get(), first.c.bytes(), stream), "poisoning C");
    multiply(first, stream);
    add_checksum(first);
  }
  trial.verify_deterministic(checksums);
}

}  // namespace gpugauge::bench::gemm
