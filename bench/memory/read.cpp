#include <numeric>
#include <vector>

#include "kernels/memory/bulk.hpp"
#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "memory/stream.hpp"
#include "support/cuda/written.hpp"

namespace gpugauge::bench::memory {
namespace {

struct Reader {
  cudaError_t (*read)(const float* data, std::size_t count, unsigned long long* sums, cudaStream_t stream);
  std::size_t (*sums)(int sm_count);
};

void measure(Trial& trial, const Reader& by) {
  const std::size_t count = array_elements(trial, 1);
  const cuda::DeviceBuffer<float> data(count);
  const cuda::DeviceBuffer<unsigned long long> sums(by.sums(cuda::device().sm_count));
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(by.read(data.get(), count, sums.get(), stream), "launching the read kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::fill_uniform(data.get(), count, first_seed(trial), stream), "filling the array");
  cuda::check(kernels::poison(sums.get(), sums.bytes(), stream), "poisoning the sums");
  trial.work({.bytes = static_cast<double>(data.bytes())});
  trial.time(timer);

  const cuda::DeviceValue<unsigned long long> expected;
  cuda::check(kernels::memory::expected_read(count, first_seed(trial), expected.get(), stream),
              "summing the generator");
  const unsigned long long wanted = expected.read(stream);
  const auto compare = [&](const char* method) {
    std::vector<unsigned long long> parts(sums.count());
    cuda::check(cudaMemcpyAsync(parts.data(), sums.get(), sums.bytes(), cudaMemcpyDeviceToHost, stream),
                "reading the sums back");
    cuda::check(cudaStreamSynchronize(stream), "reading the sums back");
    trial.verify(method, std::accumulate(parts.begin(), parts.end(), 0ULL) == wanted);
  };
  compare("sum of all words equals that of the generator");
  cuda::into_poison(timer, sums);
  compare("the same after one more launch into poisoned memory");
}

constexpr const char* what = "Reading device memory as a stream";

const Registration cold{by_registers(define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP), what)
                            .from(Depth::standard)
                            .body([](Trial& trial) {
                              measure(trial, {kernels::memory::read, kernels::memory::read_blocks});
                            })};

const Registration bulk{
    by_bulk_copies(define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP), what).body([](Trial& trial) {
      measure(trial, {kernels::memory::bulk_read, [](int sm_count) {
                        return kernels::memory::bulk_read_sums(sm_count,
                                                               kernels::memory::bulk_reading_blocks_here());
                      }});
    })};

}  // namespace
}  // namespace gpugauge::bench::memory
