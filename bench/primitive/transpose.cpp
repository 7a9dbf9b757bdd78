#include "kernels/primitive/transpose.hpp"

#include "kernels/support/fill.hpp"
#include "primitive/arrays.hpp"
#include "support/cuda/written.hpp"

namespace gpugauge::bench::primitive {
namespace {

void transpose(Trial& trial) {
  const auto rows = static_cast<int>(trial.integer("rows"));
  const std::size_t elements = array_elements(trial, 2);
  // Whole lines of 128 bytes; the row counts below are multiples of a line too.
  const auto columns = static_cast<int>(elements / static_cast<std::size_t>(rows) / 32 * 32);
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  const cuda::DeviceBuffer<float> from(count);
  const cuda::DeviceBuffer<float> to(count);
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::primitive::transpose(from.get(), to.get(), rows, columns, stream),
                "launching the transpose");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(from.get(), count, trial.data_seed(), stream), "filling the matrix");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the output");
  trial.work({.bytes = 2.0 * static_cast<double>(from.bytes())});
  trial.note("columns", std::to_string(columns));
  trial.time(timer);

  const cuda::DeviceComparison found;
  const auto compare = [&](const char* method) {
    cuda::check(kernels::primitive::count_transpose_mismatches(to.get(), rows, columns, trial.data_seed(),
                                                               found.get(), stream),
                "comparing with the generator");
    cuda::verify(trial, method, found, stream);
  };
  compare("elements that differ from the transpose");
  cuda::into_poison(timer, to);
  compare("the same after one more launch into poisoned memory");
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("tiled")
        .isolates(
            "Transposing an fp32 matrix far larger than L2 by tiles in shared memory: rows are read and rows "
            "are written in whole lines, both count; 16384 rows, and a number that is no power of two")
        .bad_value(bad_value)
        .axis("rows", {"16384", "12352"})
        .quantity(Quantity::bandwidth, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(transpose)};

}  // namespace
}  // namespace gpugauge::bench::primitive
