#include <vector>

#include "kernels/memory/shared_read.hpp"
#include "kernels/support/fill.hpp"
#include "memory/arrays.hpp"
#include "support/cuda/written.hpp"

namespace gpugauge::bench::memory {
namespace {

constexpr int rounds = 4096;

void shared(Trial& trial) {
  // Blocks of 1024 threads, two on an SM where two fit.
  const int blocks = 2 * cuda::device().sm_count;
  const cuda::DeviceBuffer<std::uint32_t> sums(static_cast<std::size_t>(blocks));
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::memory::read_shared(blocks, rounds, sums.get(), stream),
                "launching the shared-memory kernel");
  });
  cuda::check(kernels::poison(sums.get(), sums.bytes(), timer.stream()), "poisoning the sums");
  trial.work({.bytes = kernels::memory::shared_read_bytes(blocks, rounds)});
  trial.time(timer);

  const auto compare = [&](const char* method) {
    std::vector<std::uint32_t> found(sums.count());
    cuda::check(
        cudaMemcpyAsync(found.data(), sums.get(), sums.bytes(), cudaMemcpyDeviceToHost, timer.stream()),
        "reading the sums back");
    cuda::check(cudaStreamSynchronize(timer.stream()), "waiting for the GPU");
    int wrong = 0;
    for (std::size_t block = 0; block < found.size(); ++block)
      if (found[block] != kernels::memory::expected_shared_sum(static_cast<std::uint32_t>(block), rounds))
        ++wrong;
    trial.verify(method, wrong, 0);
  };
  compare("blocks whose sum differs from the words written");
  cuda::into_poison(timer, sums);
  compare("the same after one more launch into poisoned memory");
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Reading shared memory by conflict-free 16-byte loads of every SM; the hardware's bound is "
                  "128 bytes a clock and SM, 64 on 7.5")
        .bad_value("a low SM clock (power cap, heat, locked clocks), another process on the GPU, a MIG slice")
        .quantity(Quantity::bandwidth, "smem")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(shared)};

}  // namespace
}  // namespace gpugauge::bench::memory
