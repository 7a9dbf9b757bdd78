#include <numeric>
#include <vector>

#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "memory/arrays.hpp"

namespace gpugauge::bench::memory {
namespace {

void read(Trial& trial) {
  const std::size_t count = array_elements(trial, 1);
  const cuda::DeviceBuffer<float> data(count);
  const cuda::DeviceBuffer<unsigned long long> sums(kernels::memory::read_blocks(cuda::device().sm_count));
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::memory::read(data.get(), count, sums.get(), stream), "launching the read kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(data.get(), count, first_seed(trial), stream), "filling the array");
  cuda::check(kernels::poison(sums.get(), sums.bytes(), stream), "poisoning the sums");
  trial.work({.bytes = static_cast<double>(data.bytes())});
  trial.time(timer);

  std::vector<unsigned long long> parts(sums.count());
  cuda::check(cudaMemcpyAsync(parts.data(), sums.get(), sums.bytes(), cudaMemcpyDeviceToHost, stream),
              "reading the sums back");
  const cuda::DeviceValue<unsigned long long> expected;
  cuda::check(kernels::memory::expected_read(count, first_seed(trial), expected.get(), stream),
              "summing the generator");
  const unsigned long long wanted = expected.read(stream);
  trial.verify("sum of all words equals that of the generator",
               std::accumulate(parts.begin(), parts.end(), 0ULL) == wanted);
}

const Registration registered{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                                  .variant("cold")
                                  .isolates("Reading device memory as a stream, by 16-byte loads of every "
                                            "SM, from an array far larger than L2")
                                  .bad_value("a memory clock below its maximum, ECC or row-remapping "
                                             "trouble, another process on the GPU, a MIG slice")
                                  .quantity(Quantity::bandwidth, "hbm")
                                  .saturating()
                                  .statistics({Statistic::median, Statistic::mean})
                                  .batch_seconds(5e-3)
                                  .requires_gpu()
                                  .from(Depth::standard)
                                  .body(read)};

}  // namespace
}  // namespace gpugauge::bench::memory
