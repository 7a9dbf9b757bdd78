#include <memory>
#include <numeric>
#include <string>

#include "copy/transfer.hpp"
#include "support/interrupt.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::copy {
namespace {

constexpr std::size_t largest_bytes = 256 << 20;
constexpr int most_samples = 30;
constexpr int fewest_samples = 5;

class Managed {
 public:
  explicit Managed(std::size_t bytes) : bytes_(bytes) {
    void* memory = nullptr;
    cuda::check(cudaMallocManaged(&memory, bytes), "allocating managed memory");
    memory_.reset(static_cast<float*>(memory));
  }
  float* get() const { return memory_.get(); }
  std::size_t count() const { return bytes_ / sizeof(float); }
  /// Moves all pages to the GPU, or to the host.
  void prefetch(bool to_gpu, cudaStream_t stream) const {
#if CUDART_VERSION >= 13000
    cudaMemLocation place{};
    place.type = to_gpu ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
    place.id = 0;
    const cudaError_t code = cudaMemPrefetchAsync(get(), bytes_, place, 0, stream);
#else
    const cudaError_t code = cudaMemPrefetchAsync(get(), bytes_, to_gpu ? 0 : cudaCpuDeviceId, stream);
#endif
    cuda::check(code, "moving managed memory");
  }

 private:
  struct Free {
    void operator()(float* memory) const { cudaFree(memory); }
  };
  std::size_t bytes_;
  std::unique_ptr<float, Free> memory_;
};

/// Seconds on the host's clock until the stream is idle again.
template <typename Work>
double seconds_of(const cuda::Stream& stream, const Work& work) {
  const double start = steady_seconds();
  work();
  stream.synchronize();
  return steady_seconds() - start;
}

void add_metric(Trial& trial, const char* name, const char* metric_class, double bytes,
                std::vector<double> seconds) {
  const double middle = median(std::move(seconds));
  result::Metric metric;
  metric.name = name;
  metric.unit = "byte/second";
  metric.better = result::Direction::higher;
  metric.metric_class = metric_class;
  metric.statistic = "median";
  metric.value = rounded(bytes / middle);
  metric.resolution = rounded(metric.value * steady_resolution_seconds() / middle);
  trial.metric(std::move(metric));
}

void managed(Trial& trial) {
  int concurrent = 0;
  cuda::check(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0),
              "asking how managed memory is moved");
  if (concurrent == 0) trial.skip("this system moves managed memory as a whole, not by pages on demand");
  // Managed memory may exceed the free memory; then every touch would move pages out and in.
  constexpr std::size_t page = 2 << 20;
  const std::size_t bytes = std::min(largest_bytes, cuda::free_memory_bytes() / 4) / page * page;
  // Less memory moves at another rate. So a GPU with room for all of it never measures less instead.
  if (bytes == 0 || (bytes < largest_bytes && has_room(cuda::memory_now(), 4 * largest_bytes)))
    cuda::end_for_room(trial, "less than 1 GiB of GPU memory is free", 4 * largest_bytes);
  trial.note("bytes", std::to_string(bytes));
  const Managed memory(bytes);
  const cuda::Stream stream;
  const cuda::DeviceBuffer<unsigned long long> sums(kernels::memory::read_blocks(cuda::device().sm_count));
  const auto read = [&] {
    cuda::check(kernels::memory::read(memory.get(), memory.count(), sums.get(), stream.get()),
                "launching the read kernel");
  };
  cuda::check(kernels::fill_uniform(memory.get(), memory.count(), trial.data_seed(), stream.get()),
              "filling the data");
  read();
  stream.synchronize();

  std::vector<double> to_gpu;
  std::vector<double> to_host;
  std::vector<double> touched;
  bool right = true;
  const cuda::DeviceValue<unsigned long long> expected;
  cuda::check(kernels::memory::expected_read(memory.count(), trial.data_seed(), expected.get(), stream.get()),
              "summing the generator");
  const unsigned long long wanted = expected.read(stream.get());
  const auto check_sum = [&] {
    std::vector<unsigned long long> parts(sums.count());
    cuda::check(cudaMemcpy(parts.data(), sums.get(), sums.bytes(), cudaMemcpyDeviceToHost),
                "reading the sums back");
    right = right && std::accumulate(parts.begin(), parts.end(), 0ULL) == wanted;
    cuda::check(kernels::poison(sums.get(), sums.bytes(), nullptr), "poisoning the sums");
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
  };
  memory.prefetch(false, stream.get());
  stream.synchronize();
  const double begin = steady_seconds();
  for (int sample = 0; sample < most_samples; ++sample) {
    if (interrupted()) throw Interrupted{};
    if (sample >= fewest_samples && steady_seconds() - begin > trial.window().seconds) break;
    to_gpu.push_back(seconds_of(stream, [&] { memory.prefetch(true, stream.get()); }));
    to_host.push_back(seconds_of(stream, [&] { memory.prefetch(false, stream.get()); }));
    touched.push_back(seconds_of(stream, read));
    check_sum();
    memory.prefetch(false, stream.get());
    stream.synchronize();
  }
  const auto size = static_cast<double>(bytes);
  add_metric(trial, "prefetch_to_gpu", "h2d", size, std::move(to_gpu));
  add_metric(trial, "prefetch_to_host", "d2h", size, std::move(to_host));
  add_metric(trial, "first_touch_by_gpu", "h2d", size, std::move(touched));
  trial.verify("sum of all words equals that of the generator after every touch", right);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Managed memory that moves: asked for with cudaMemPrefetchAsync in both directions, and unasked, "
            "page "
            "by page, when a kernel touches what lies on the host. At most 256 MiB and a quarter of the free "
            "memory; on the host's clock")
        .bad_value(
            "a link that is slow for plain copies too; first touch alone: fault handling in the driver or "
            "the "
            "kernel, a slow processor, access counters or heterogeneous memory management switched over")
        .custom_metrics({"h2d", "d2h"})
        .requires_gpu()
        .from(Depth::deep)
        .body(managed)};

}  // namespace
}  // namespace gpugauge::bench::copy
