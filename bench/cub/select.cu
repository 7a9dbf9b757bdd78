#include <cub/device/device_select.cuh>

#include "cub/algorithm.hpp"
#include "cub/work.hpp"
#include "kernels/primitive/library_checks.hpp"
#include "kernels/support/fill.hpp"

namespace gpugauge::bench::cub_library {
namespace {

struct Predicate {
  __host__ __device__ bool operator()(std::uint32_t value) const {
    return kernels::primitive::Selected{}(value);
  }
};

void select(Trial& trial) {
  const std::size_t count = array_elements<std::uint32_t>();
  const std::uint32_t* in = nullptr;
  std::uint32_t* out = nullptr;
  const cuda::DeviceValue<int> taken;
  Algorithm algorithm(trial, 2 * count * sizeof(std::uint32_t),
                      [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
                        return cub::DeviceSelect::If(temporary, bytes, in, out, taken.get(),
                                                     static_cast<int>(count), Predicate{}, stream);
                      });
  const cuda::DeviceBuffer<std::uint32_t> from(count);
  const cuda::DeviceBuffer<std::uint32_t> to(count);
  in = from.get();
  out = to.get();
  cuda::GpuTimer timer = algorithm.timer(trial, 2);
  const cudaStream_t stream = timer.stream();
  const cuda::DeviceValue<unsigned long long> expected;
  cuda::check(kernels::primitive::fill_indices(from.get(), count, stream), "filling the array");
  cuda::check(kernels::primitive::count_selected(count, expected.get(), stream), "counting the selected");
  cuda::check(kernels::poison(to.get(), to.bytes(), stream), "poisoning the output");
  const unsigned long long wanted = expected.read(stream);
  trial.work(compaction_work(static_cast<double>(count), static_cast<double>(wanted)));
  trial.time(timer);

  const auto verify = [&](const std::string& when) {
    const int found = taken.read(stream);
    const bool as_many = found >= 0 && static_cast<unsigned long long>(found) == wanted;
    trial.verify("as many elements are selected as satisfy the predicate" + when, as_many);
    if (!as_many) return false;
    const cuda::DeviceComparison comparison;
    cuda::check(kernels::primitive::check_selected(out, wanted, count, comparison.get(), stream),
                "checking the selected");
    cuda::verify(trial, "selected elements that are wrong or out of order" + when, comparison, stream);
    return true;
  };
  if (!verify("")) return;
  cuda::check(kernels::poison(taken.get(), sizeof(int), stream), "poisoning the count");
  algorithm.run_into_poison(stream, to);
  if (!verify(once_more)) return;
  algorithm.note_kernels(trial, stream);
}

const Registration registered{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                                  .isolates("CUB's stream compaction: of 32-bit integers about every second "
                                            "one is kept, in order; bytes read "
                                            "and bytes kept both count")
                                  .bad_value(bad_value)
                                  .quantity(Quantity::bandwidth, "primitive")
                                  .statistics({Statistic::median, Statistic::mean})
                                  .batch_seconds(5e-3)
                                  .requires_gpu()
                                  .from(Depth::deep)
                                  .body(select)};

}  // namespace
}  // namespace gpugauge::bench::cub_library
