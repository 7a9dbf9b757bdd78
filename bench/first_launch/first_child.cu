// The fresh process: makes a context, launches the first kernel and a second one, and reports the times.
#include <array>
#include <vector>

#include "first_launch/samples.hpp"
#include "kernels/launch/first.cuh"
#include "support/cuda/resources.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::first_launch {
namespace {

using kernels::launch::first_threads;

void run_kernel(std::uint64_t* values) {
  kernels::launch::first_kernel<<<1, first_threads>>>(values);
  cuda::check(cudaGetLastError(), "launching a first kernel");
  cuda::check(cudaDeviceSynchronize(), "waiting for a first kernel");
}

Report first_launch() {
  const double start = steady_seconds();
  int devices = 0;
  cuda::check(cudaGetDeviceCount(&devices), "counting the GPUs");
  const double counted = steady_seconds();
  cuda::check(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid), "making a context");
  cuda::check(cudaSetDevice(0), "choosing the GPU");
  const double made = steady_seconds();
  const cuda::DeviceBuffer<std::uint64_t> values(first_threads);
  cuda::check(cudaMemset(values.get(), 0xff, values.bytes()), "poisoning");
  cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
  const double ready = steady_seconds();
  run_kernel(values.get());
  const double first = steady_seconds();
  std::vector<std::uint64_t> found(first_threads);
  cuda::check(cudaMemcpy(found.data(), values.get(), values.bytes(), cudaMemcpyDeviceToHost), "reading back");
  const double again = steady_seconds();
  run_kernel(values.get());
  const double second = steady_seconds();

  double wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] == kernels::launch::first_value(i) ? 0 : 1;
  cudaFuncAttributes attributes{};
  cuda::check(cudaFuncGetAttributes(&attributes, kernels::launch::first_kernel), "asking about a kernel");
  return {{key::driver_start, counted - start},      {key::context, made - counted},
          {key::first_launch, first - ready},        {key::second_launch, second - again},
          {key::until_first_result, first - start},  {key::wrong_values, wrong},
          {key::ptx_version, attributes.ptxVersion}, {key::binary_version, attributes.binaryVersion}};
}

const Child child{child_name, first_launch};

}  // namespace
}  // namespace gpugauge::bench::first_launch
