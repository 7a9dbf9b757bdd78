#include <cub/device/device_radix_sort.cuh>

#include "cub/algorithm.hpp"
#include "kernels/primitive/library_checks.hpp"
#include "kernels/support/fill.hpp"

namespace gpugauge::bench::cub_library {
namespace {

using Words = cuda::DeviceBuffer<std::uint32_t>;

void radix_sort_pairs(Trial& trial) {
  const std::size_t count = array_elements<std::uint32_t>();
  const std::uint32_t* keys_in = nullptr;
  const std::uint32_t* indices_in = nullptr;
  std::uint32_t* keys_out = nullptr;
  std::uint32_t* indices_out = nullptr;
  Algorithm algorithm(trial, 4 * count * sizeof(std::uint32_t),
                      [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
                        return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys_in, keys_out,
                                                               indices_in, indices_out,
                                                               static_cast<int>(count), 0, 32, stream);
                      });
  const Words keys(count);
  const Words indices(count);
  const Words sorted_keys(count);
  const Words sorted_indices(count);
  keys_in = keys.get();
  indices_in = indices.get();
  keys_out = sorted_keys.get();
  indices_out = sorted_indices.get();
  cuda::GpuTimer timer = algorithm.timer(trial, 32);
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::primitive::fill_keys(keys.get(), count, trial.data_seed(), stream),
              "filling the keys");
  cuda::check(kernels::primitive::fill_indices(indices.get(), count, stream), "filling the values");
  cuda::check(kernels::poison(keys_out, sorted_keys.bytes(), stream), "poisoning the output");
  cuda::check(kernels::poison(indices_out, sorted_indices.bytes(), stream), "poisoning the output");
  trial.work({.items = static_cast<double>(count)});
  trial.time(timer);

  const auto verify = [&](const std::string& when) {
    const cuda::DeviceComparison found;
    const cuda::DeviceValue<unsigned long long> before;
    const cuda::DeviceValue<unsigned long long> after;
    cuda::check(
        kernels::primitive::check_pairs(keys_out, indices_out, count, trial.data_seed(), found.get(), stream),
        "checking the pairs");
    cuda::check(kernels::primitive::sum_of_keys(indices_in, count, before.get(), stream),
                "summing the values");
    cuda::check(kernels::primitive::sum_of_keys(indices_out, count, after.get(), stream),
                "summing the values");
    cuda::verify(trial, "pairs that are torn apart or out of order" + when, found, stream);
    verify_same_sum(trial, "the checksum of the values in any order is that of the input" + when,
                    before.read(stream), after.read(stream));
  };
  verify("");
  algorithm.run_into_poison(stream, sorted_keys, sorted_indices);
  verify(once_more);
  algorithm.note_kernels(trial, stream);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("CUB's stable radix sort of random 32-bit keys with a 32-bit value each, pairs a second")
        .bad_value(bad_value)
        .quantity(Quantity::rate, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(2e-2)
        .memory_bound()
        .requires_gpu()
        .from(Depth::deep)
        .body(radix_sort_pairs)};

}  // namespace
}  // namespace gpugauge::bench::cub_library
