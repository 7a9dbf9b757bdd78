// CUB's radix sort of keys alone. Each compile unit instantiates one key width, because it is heavy to
// compile.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "cub/algorithm.hpp"
#include "kernels/primitive/library_checks.hpp"
#include "kernels/support/fill.hpp"

namespace gpugauge::bench::cub_library {

template <typename Key>
void measure_sort_of_keys(Trial& trial) {
  const std::size_t count = array_elements<Key>();
  const Key* in = nullptr;
  Key* out = nullptr;
  Algorithm algorithm(
      trial, 2 * count * sizeof(Key), [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, static_cast<int>(count), 0,
                                              static_cast<int>(8 * sizeof(Key)), stream);
      });
  const cuda::DeviceBuffer<Key> from(count);
  const cuda::DeviceBuffer<Key> to(count);
  in = from.get();
  out = to.get();
  cuda::GpuTimer timer = algorithm.timer(trial, 32);
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::primitive::fill_keys(from.get(), count, trial.data_seed(), stream),
              "filling the keys");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the output");
  trial.work({.items = static_cast<double>(count)});
  trial.time(timer);

  const auto verify = [&](const std::string& when) {
    const cuda::DeviceComparison descents;
    const cuda::DeviceValue<unsigned long long> before;
    const cuda::DeviceValue<unsigned long long> after;
    cuda::check(kernels::primitive::check_ascending(out, count, descents.get(), stream),
                "checking the order");
    cuda::check(kernels::primitive::sum_of_keys(in, count, before.get(), stream), "summing the keys");
    cuda::check(kernels::primitive::sum_of_keys(out, count, after.get(), stream), "summing the keys");
    cuda::verify(trial, "neighbours that are out of order" + when, descents, stream);
    verify_same_sum(trial, "the checksum of the keys in any order is that of the input" + when,
                    before.read(stream), after.read(stream));
  };
  verify("");
  algorithm.run_into_poison(stream, to);
  verify(once_more);
  algorithm.note_kernels(trial, stream);
}

}  // namespace gpugauge::bench::cub_library
