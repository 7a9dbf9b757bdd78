#include <vector>

#include "gpu_test.hpp"
#include "kernels/launch/arguments.hpp"
#include "kernels/launch/cooperative.hpp"
#include "kernels/launch/first.cuh"
#include "kernels/launch/programmatic.hpp"
#include "launch/driver_api.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceValue;
using bench::cuda::Stream;
using testing_gpu::read_back;

class Launch : public testing_gpu::GpuTest {};

TEST_F(Launch, every_argument_arrives_by_both_interfaces) {
  const Stream stream;
  for (const int count : kernels::launch::argument_counts) {
    std::vector<std::uint64_t> values(static_cast<std::size_t>(count));
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 0x0102'0304'0506'0708U * (i + 1);
      expected = kernels::launch::fold_argument(expected, values[i]);
    }
    for (const bool driver : {false, true}) {
      const DeviceValue<unsigned long long> sum;
      unsigned long long* address = sum.get();
      std::vector<void*> arguments{&address};
      for (std::uint64_t& value : values) arguments.push_back(&value);
      const void* kernel = kernels::launch::folding_kernel(count);
      ASSERT_NE(kernel, nullptr);
      if (driver)
        bench::cuda::check_driver(
            bench::launch::driver_launch()(bench::launch::driver_function(kernel), 1, 1, 1, 1, 1, 1, 0,
                                           stream.get(), arguments.data(), nullptr),
            "launching");
      else
        check(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments.data(), 0, stream.get()), "launching");
      EXPECT_EQ(sum.read(stream.get()), expected) << count << (driver ? " driver" : " runtime");
    }
  }
  EXPECT_EQ(kernels::launch::folding_kernel(3), nullptr);
  EXPECT_EQ(kernels::launch::ignoring_kernel(-1), nullptr);
}

TEST_F(Launch, no_block_passes_a_grid_synchronisation_early) {
  int supported = 0;
  check(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0), "asking");
  if (supported == 0) GTEST_SKIP() << "no cooperative launches here";
  constexpr int rounds = 1000;
  const DeviceBuffer<unsigned> arrived(rounds);
  check(cudaMemset(arrived.get(), 0, arrived.bytes()), "clearing");
  const DeviceValue<unsigned long long> missed;
  check(kernels::launch::launch_checked_grid_sync(rounds, arrived.get(), missed.get(), nullptr), "launching");
  EXPECT_EQ(missed.read(nullptr), 0U);
  for (const unsigned count : read_back(arrived))
    EXPECT_EQ(count, static_cast<unsigned>(bench::cuda::device().sm_count));
  check(kernels::launch::launch_grid_sync(0, nullptr), "launching without a synchronisation");
  check(cudaDeviceSynchronize(), "waiting");
}

TEST_F(Launch, a_dependent_kernel_sees_what_the_one_ahead_wrote) {
  if (bench::cuda::device().compute_capability < 90) GTEST_SKIP() << "needs compute capability 9.0";
  const Stream stream;
  const unsigned long long links = testing_gpu::of_size(5000ULL, 50ULL);
  check(kernels::launch::links_can_begin_early(), "asking for programmatic dependent launch");
  for (const bool programmatic : {false, true}) {
    const DeviceValue<unsigned long long> counter;
    const DeviceValue<unsigned long long> wrong;
    for (unsigned long long i = 0; i < links; ++i)
      check(kernels::launch::launch_counting_link(programmatic, i, counter.get(), wrong.get(), stream.get()),
            "launching");
    EXPECT_EQ(wrong.read(stream.get()), 0U) << programmatic;
    EXPECT_EQ(counter.read(stream.get()), links) << programmatic;
    check(kernels::launch::launch_link(programmatic, stream.get()), "launching");
    stream.synchronize();
  }
}

// The check itself must be able to fail: a chain that begins with a wrong number.
TEST_F(Launch, a_wrong_number_in_the_chain_is_seen) {
  const DeviceValue<unsigned long long> counter;
  const DeviceValue<unsigned long long> wrong;
  check(kernels::launch::launch_counting_link(false, 1, counter.get(), wrong.get(), nullptr), "launching");
  EXPECT_EQ(wrong.read(nullptr), 1U);
}

TEST_F(Launch, the_first_kernel_computes_what_the_host_computes) {
  const DeviceBuffer<std::uint64_t> values(kernels::launch::first_threads);
  check(cudaMemset(values.get(), 0xff, values.bytes()), "poisoning");
  kernels::launch::first_kernel<<<1, kernels::launch::first_threads>>>(values.get());
  check(cudaGetLastError(), "launching");
  const std::vector<std::uint64_t> found = read_back(values);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], kernels::launch::first_value(i)) << i;
}

}  // namespace
