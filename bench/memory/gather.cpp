#include "kernels/memory/gather.hpp"

#include <numeric>
#include <vector>

#include "kernels/support/fill.hpp"
#include "memory/arrays.hpp"

namespace gpugauge::bench::memory {
namespace {

constexpr int rounds = 32;

void gather(Trial& trial) {
  const std::size_t count = scattered_elements(trial);
  const std::size_t sectors = count / kernels::memory::sector_floats;
  const int blocks = 8 * cuda::device().sm_count;
  const std::uint64_t readings = kernels::memory::gather_readings(blocks, rounds);
  const cuda::DeviceBuffer<float> data(count);
  const cuda::DeviceBuffer<std::uint32_t> sums(static_cast<std::size_t>(blocks));
  // Every launch reads different places.
  std::uint64_t last_seed = 0;
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t i) {
    last_seed = second_seed(trial) + static_cast<std::uint64_t>(i) * 0x10001;
    cuda::check(kernels::memory::gather(data.get(), sectors, last_seed, blocks, rounds, sums.get(), stream),
                "launching the gather kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(data.get(), count, first_seed(trial), stream), "filling the array");
  cuda::check(kernels::poison(sums.get(), sums.bytes(), stream), "poisoning the sums");
  trial.work({.bytes = 32.0 * static_cast<double>(readings), .items = static_cast<double>(readings)});
  trial.time(timer);

  std::vector<std::uint32_t> parts(sums.count());
  cuda::check(cudaMemcpyAsync(parts.data(), sums.get(), sums.bytes(), cudaMemcpyDeviceToHost, stream),
              "reading the sums back");
  const cuda::DeviceValue<std::uint32_t> expected;
  cuda::check(kernels::memory::expected_gather(sectors, last_seed, readings, first_seed(trial),
                                               expected.get(), stream),
              "summing the generator");
  const std::uint32_t wanted = expected.read(stream);
  trial.verify("sum of the words of the last launch equals that of the generator",
               std::accumulate(parts.begin(), parts.end(), std::uint32_t{0}) == wanted);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("cold")
        .isolates(
            "Reading single 32-byte sectors at random places of an array of 1 GiB, or of 32 times L2 where "
            "that is more and fits: rows of memory are opened for little, and the address translation has no "
            "pattern to follow")
        .bad_value("a memory clock below its maximum, ECC or row-remapping trouble, another process on the "
                   "GPU, a MIG slice")
        .quantity(Quantity::rate, "hbm")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(gather)};

}  // namespace
}  // namespace gpugauge::bench::memory
