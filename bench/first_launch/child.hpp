// The fresh process: makes a context, launches the first kernel and a second one, and reports the times.
#pragma once

#include <vector>

#include "first_launch/samples.hpp"
#include "kernels/launch/first.hpp"
#include "support/cuda/resources.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::first_launch {

/// The versions of the code that ran, 75 for 7.5.
struct CodeVersions {
  int ptx = 0;     ///< of the PTX that it was made from
  int binary = 0;  ///< of the machine code itself
};

/// The times of a process that begins now. `Kernel` is made once there is a context, untimed; run(values)
/// launches it (the first call also loads it) and waits for its end; versions() gives CodeVersions.
template <typename Kernel>
Report time_first_launch() {
  using kernels::launch::first_threads;
  const double start = steady_seconds();
  int devices = 0;
  cuda::check(cudaGetDeviceCount(&devices), "counting the GPUs");
  const double counted = steady_seconds();
  cuda::check(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid), "making a context");
  cuda::check(cudaSetDevice(0), "choosing the GPU");
  const double made = steady_seconds();
  Kernel kernel;
  const cuda::DeviceBuffer<std::uint64_t> values(first_threads);
  cuda::check(cudaMemset(values.get(), 0xff, values.bytes()), "poisoning");
  cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
  const double ready = steady_seconds();
  kernel.run(values.get());
  const double first = steady_seconds();
  std::vector<std::uint64_t> found(first_threads);
  cuda::check(cudaMemcpy(found.data(), values.get(), values.bytes(), cudaMemcpyDeviceToHost), "reading back");
  const double again = steady_seconds();
  kernel.run(values.get());
  const double second = steady_seconds();

  double wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] == kernels::launch::first_value(i) ? 0 : 1;
  const CodeVersions versions = kernel.versions();
  return {{key::driver_start, counted - start},     {key::context, made - counted},
          {key::first_launch, first - ready},       {key::second_launch, second - again},
          {key::until_first_result, first - start}, {key::wrong_values, wrong},
          {key::ptx_version, versions.ptx},         {key::binary_version, versions.binary}};
}

}  // namespace gpugauge::bench::first_launch
