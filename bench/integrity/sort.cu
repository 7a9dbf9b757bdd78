#include <string>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

#include "integrity/repeat.hpp"
#include "kernels/support/fill.hpp"
#include "kernels/support/uniform.hpp"
#include "support/cuda/room.hpp"

namespace gpugauge::bench::integrity {
namespace {

constexpr std::size_t keys = std::size_t{1} << 26;

/// 16 digits, most significant first.
std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t digit = 16; digit-- > 0; value >>= 4) text[digit] = "0123456789abcdef"[value & 15];
  return text;
}

void sort(Trial& trial) {
  std::size_t scratch_bytes = 0;
  const float* const none_in = nullptr;
  float* const none_out = nullptr;
  cuda::check(cub::DeviceRadixSort::SortKeys(nullptr, scratch_bytes, none_in, none_out, keys),
              "asking for the sort's memory");
  cuda::require_room_with_host(trial, 2 * keys * sizeof(float) + scratch_bytes, 2 * keys * sizeof(float));
  const cuda::DeviceBuffer<float> in(keys);
  const cuda::DeviceBuffer<float> out(keys);
  const cuda::DeviceBuffer<unsigned char> scratch(scratch_bytes);
  const cuda::Stream stream;
  const cuda::DeviceValue<unsigned long long> sum;
  cuda::check(kernels::fill_uniform(in.get(), keys, trial.data_seed(), stream.get()), "filling the keys");
  std::vector<std::uint64_t> sums;
  const auto once = [&] {
    cuda::check(kernels::poison(out.get(), out.bytes(), stream.get()), "poisoning the output");
    cuda::check(cub::DeviceRadixSort::SortKeys(scratch.get(), scratch_bytes, in.get(), out.get(), keys, 0, 32,
                                               stream.get()),
                "sorting");
    cuda::check(kernels::checksum(out.get(), out.bytes(), sum.get(), stream.get()), "summing the output");
    sums.push_back(sum.read(stream.get()));
  };
  once();
  // Sorted, and each key as often as in the input: the sum of all bits does not depend on the order.
  std::vector<float> sorted(keys);
  std::vector<float> given(keys);
  cuda::check(cudaMemcpy(sorted.data(), out.get(), out.bytes(), cudaMemcpyDeviceToHost), "reading back");
  cuda::check(cudaMemcpy(given.data(), in.get(), in.bytes(), cudaMemcpyDeviceToHost), "reading back");
  std::size_t descents = 0;
  std::uint64_t bits_given = 0;
  std::uint64_t bits_sorted = 0;
  for (std::size_t i = 0; i < keys; ++i) {
    if (i > 0 && !(sorted[i - 1] <= sorted[i])) ++descents;
    bits_given += kernels::mix64(kernels::bits_of(given[i]));
    bits_sorted += kernels::mix64(kernels::bits_of(sorted[i]));
  }
  trial.verify("keys that are out of order", static_cast<double>(descents), 0);
  trial.verify("the sorted keys are those given, by a sum over hashes of their bits",
               bits_given == bits_sorted);
  repeat_for_window(trial, once);
  trial.note("checksum", hex(sums.front()));
  trial.verify_deterministic(sums);
}

Definition screen(const Time& time) {
  Definition made = define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP);
  made.variant(time.variant)
      .isolates(
          "Silent corruption in integer work, shared memory and atomics: 67 million keys sorted by "
          "CUB's radix "
          "sort, repeated, must be the same bit for bit")
      .bad_value("an SM, a cache or memory that corrupts data: take the GPU out of service")
      .window_share(time.window_share)
      .custom_metrics({"integrity"})
      .deterministic()
      .requires_gpu()
      .from(Depth::deep)
      .body(sort);
  if (time.sustained) made.sustained();
  return made;
}

const Registration registered_short{screen(short_time)};
const Registration registered_long{screen(long_time)};

}  // namespace
}  // namespace gpugauge::bench::integrity
