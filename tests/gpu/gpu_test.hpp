// What every GPU test needs: a GPU, or a skip that says why there is none.
#pragma once

#include <cstdlib>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::testing_gpu {

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = bench::cuda::why_unavailable(bench::cuda::start_up())) GTEST_SKIP() << *reason;
  }
};

/// `full`, or `small` where GPUGAUGE_TEST_SMALL is set, as under a sanitizer, which is many times as slow;
/// the test's record then says that it was small. Only inside a test.
template <typename T>
T of_size(T full, T small) {
  const char* const variable = std::getenv("GPUGAUGE_TEST_SMALL");
  if (variable == nullptr || *variable == '\0') return full;
  testing::Test::RecordProperty("small", "true");
  return small;
}

/// How many elements are wrong, or the largest error; infinity where not every element was compared.
inline double error_of(const bench::cuda::DeviceComparison& found) {
  return bench::cuda::error_of(found.read(nullptr));
}

/// Device memory read back to the host, once all of the GPU's work has ended.
template <typename T>
std::vector<T> read_back(const bench::cuda::DeviceBuffer<T>& buffer) {
  std::vector<T> values(buffer.count());
  bench::cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
  bench::cuda::check(cudaMemcpy(values.data(), buffer.get(), buffer.bytes(), cudaMemcpyDeviceToHost),
                     "reading back");
  return values;
}

}  // namespace gpugauge::testing_gpu
