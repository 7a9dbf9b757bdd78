#include <cub/device/device_run_length_encode.cuh>

#include "cub/algorithm.hpp"
#include "cub/work.hpp"
#include "kernels/primitive/library_checks.hpp"
#include "kernels/support/fill.hpp"

namespace gpugauge::bench::cub_library {
namespace {

void run_length_encode(Trial& trial) {
  const std::size_t count = array_elements<std::uint32_t>();
  const std::uint32_t* in = nullptr;
  std::uint32_t* values = nullptr;
  std::uint32_t* lengths = nullptr;
  const cuda::DeviceValue<int> runs;
  // The outputs are as long as the number of runs. Only runs of length one would need the input's length.
  const cuda::DeviceValue<unsigned long long> counted;
  cuda::check(kernels::primitive::count_runs(count, counted.get(), nullptr), "counting the runs");
  const unsigned long long wanted = counted.read(nullptr);
  Algorithm algorithm(trial, (count + 2 * wanted) * sizeof(std::uint32_t),
                      [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
                        return cub::DeviceRunLengthEncode::Encode(temporary, bytes, in, values, lengths,
                                                                  runs.get(), static_cast<int>(count),
                                                                  stream);
                      });
  const cuda::DeviceBuffer<std::uint32_t> from(count);
  const cuda::DeviceBuffer<std::uint32_t> run_values(wanted);
  const cuda::DeviceBuffer<std::uint32_t> run_lengths(wanted);
  in = from.get();
  values = run_values.get();
  lengths = run_lengths.get();
  cuda::GpuTimer timer = algorithm.timer(trial, 2);
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::primitive::fill_runs(from.get(), count, stream), "filling the array");
  cuda::check(kernels::poison(values, run_values.bytes(), stream), "poisoning the values");
  cuda::check(kernels::poison(lengths, run_lengths.bytes(), stream), "poisoning the lengths");
  trial.work(run_length_work(static_cast<double>(count), static_cast<double>(wanted)));
  trial.time(timer);

  const auto verify = [&](const std::string& when) {
    const int found = runs.read(stream);
    const bool as_many = found >= 0 && static_cast<unsigned long long>(found) == wanted;
    trial.verify("as many runs are found as were made" + when, as_many);
    if (!as_many) return false;
    const cuda::DeviceComparison comparison;
    cuda::check(kernels::primitive::check_runs(values, lengths, wanted, count, comparison.get(), stream),
                "checking the runs");
    cuda::verify(trial, "runs of the wrong value or length" + when, comparison, stream);
    return true;
  };
  if (!verify("")) return;
  cuda::check(kernels::poison(runs.get(), sizeof(int), stream), "poisoning the count");
  algorithm.run_into_poison(stream, run_values, run_lengths);
  if (!verify(once_more)) return;
  algorithm.note_kernels(trial, stream);
}

const Registration registered{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                                  .isolates("CUB's run-length encoding of 32-bit integers in runs of four on "
                                            "average; bytes read and bytes of "
                                            "the runs' values and lengths count")
                                  .bad_value(bad_value)
                                  .quantity(Quantity::bandwidth, "primitive")
                                  .statistics({Statistic::median, Statistic::mean})
                                  .batch_seconds(5e-3)
                                  .requires_gpu()
                                  .from(Depth::deep)
                                  .body(run_length_encode)};

}  // namespace
}  // namespace gpugauge::bench::cub_library
