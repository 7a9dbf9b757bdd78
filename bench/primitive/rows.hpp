// An operation on the rows of a matrix as a benchmark: buffers, timing, verification.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/primitive/rows.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"
#include "support/cuda/written.hpp"

namespace gpugauge::bench::primitive {

/// Parameters of the norms; softmax ignores gain and bias.
struct RowInputs {
  const float* from;
  const float* gain;
  const float* bias;
  float* to;
  int rows;
  int columns;
};

inline constexpr float epsilon = 1e-5F;

/// Measures `launch(inputs, stream)` over a matrix with the columns of the axis "columns". Its rows make up
/// cuda::bus_array_bytes(). `compare(inputs, samples, error, stream)` is the reference.
template <typename Launch, typename Compare>
void measure_rows(Trial& trial, Launch launch, Compare compare, double tolerance) {
  const auto columns = static_cast<int>(trial.integer("columns"));
  const std::size_t bytes = cuda::bus_array_bytes(cuda::device().l2_bytes);
  const std::size_t row_bytes = static_cast<std::size_t>(columns) * sizeof(float);
  const auto rows = static_cast<int>(bytes / row_bytes);
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  cuda::require_room(trial, 2 * count * sizeof(float));
  const cuda::DeviceBuffer<float> from(count);
  const cuda::DeviceBuffer<float> to(count);
  const cuda::DeviceBuffer<float> gain(static_cast<std::size_t>(columns));
  const cuda::DeviceBuffer<float> bias(static_cast<std::size_t>(columns));
  const RowInputs inputs{from.get(), gain.get(), bias.get(), to.get(), rows, columns};
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(launch(inputs, stream), "launching the kernel over rows");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(from.get(), count, trial.data_seed(), stream), "filling the matrix");
  cuda::check(kernels::fill_uniform(gain.get(), gain.count(), trial.data_seed() + 1, stream),
              "filling the gain");
  cuda::check(kernels::fill_uniform(bias.get(), bias.count(), trial.data_seed() + 2, stream),
              "filling the bias");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the output");
  trial.work({.bytes = 2.0 * static_cast<double>(from.bytes())});
  trial.time(timer);

  const cuda::DeviceValue<unsigned long long> sum;
  std::vector<std::uint64_t> checksums;
  const auto add_checksum = [&] {
    cuda::check(kernels::checksum(to.get(), to.bytes(), sum.get(), stream), "summing the output");
    checksums.push_back(sum.read(stream));
  };
  add_checksum();  // of the timed result
  cuda::verify(trial, "elements that are not finite after one more launch into poisoned memory",
               cuda::not_finite_once_more(timer, to));
  add_checksum();
  const int samples = std::min(rows, 1024);
  const cuda::DeviceComparison error;
  cuda::check(compare(inputs, samples, error.get(), stream), "comparing with fp64");
  cuda::verify(trial, "largest error over " + std::to_string(samples) + " rows against fp64", error, stream,
               tolerance);
  cuda::into_poison(timer, to);
  add_checksum();
  trial.verify_deterministic(checksums);
}

}  // namespace gpugauge::bench::primitive
