#if __has_include(<cub/device/device_transform.cuh>)
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#define GPUGAUGE_CUB_TRANSFORM 1
#endif

#include "cub/algorithm.hpp"
#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"

namespace gpugauge::bench::cub_library {
namespace {

#ifdef GPUGAUGE_CUB_TRANSFORM

constexpr float factor = 0.75F;

struct Same {
  __host__ __device__ float operator()(float value) const { return value; }
};

struct MultiplyAdd {
  __host__ __device__ float operator()(float b, float c) const { return fmaf(factor, c, b); }
};

void transform(Trial& trial) {
  const bool is_triad = trial.parameter("kind") == "triad";
  const std::size_t count = array_elements<float>();
  const std::size_t inputs = is_triad ? 2 : 1;
  const float* b = nullptr;
  const float* c = nullptr;
  float* to = nullptr;
  Algorithm algorithm(trial, (inputs + 1) * count * sizeof(float),
                      [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
                        if (temporary == nullptr) {  // DeviceTransform needs none
                          bytes = 0;
                          return cudaSuccess;
                        }
                        const auto items = static_cast<int>(count);
                        return is_triad ? cub::DeviceTransform::Transform(::cuda::std::make_tuple(b, c), to,
                                                                          items, MultiplyAdd{}, stream)
                                        : cub::DeviceTransform::Transform(::cuda::std::make_tuple(b), to,
                                                                          items, Same{}, stream);
                      });
  const cuda::DeviceBuffer<float> first(count);
  const cuda::DeviceBuffer<float> second(is_triad ? count : 1);
  const cuda::DeviceBuffer<float> target(count);
  b = first.get();
  c = second.get();
  to = target.get();
  cuda::GpuTimer timer = algorithm.timer(trial, 1);
  const cudaStream_t stream = timer.stream();
  const std::uint64_t seed_b = trial.data_seed();
  const std::uint64_t seed_c = seed_b + 1;
  cuda::check(kernels::fill_uniform(first.get(), first.count(), seed_b, stream), "filling an input");
  cuda::check(kernels::fill_uniform(second.get(), second.count(), seed_c, stream), "filling an input");
  cuda::check(kernels::poison(target.get(), target.bytes(), stream), "poisoning the output");
  trial.work({.bytes = static_cast<double>(inputs + 1) * static_cast<double>(target.bytes()),
              .flops = is_triad ? 2.0 * static_cast<double>(count) : 0.0,
              .items = static_cast<double>(count)});
  trial.time(timer);

  const auto verify = [&](const std::string& when) {
    const cuda::DeviceComparison found;
    cuda::check(is_triad ? kernels::memory::count_triad_mismatches(to, count, seed_b, seed_c, factor,
                                                                   found.get(), stream)
                         : kernels::memory::count_copy_mismatches(to, count, seed_b, found.get(), stream),
                "comparing the output with the generator");
    cuda::verify(trial, "elements that differ from the generator's" + when, found, stream);
  };
  verify("");
  algorithm.run_into_poison(stream, target);
  verify(once_more);
  algorithm.note_kernels(trial, stream);
}

#else

void transform(Trial& trial) {
  trial.skip("the CUB that this was built with has no DeviceTransform");
}

#endif

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("CUB's transformation of fp32 arrays far larger than L2: copy, one array read and one "
                  "written, or triad, two read and one written with a multiplication and an addition for "
                  "each element")
        .bad_value(bad_value)
        .axis("kind", {"copy", "triad"})
        .quantity(Quantity::bandwidth, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body(transform)};

}  // namespace
}  // namespace gpugauge::bench::cub_library
