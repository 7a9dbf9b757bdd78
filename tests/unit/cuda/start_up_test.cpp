// What the CUDA side of bench/support says when there is no usable GPU: pure functions, and the real attempt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/cuda/device.hpp"
#include "support/cuda/environment.hpp"
#include "support/cuda/error.hpp"
#include "support/environment.hpp"

namespace {

using namespace gpugauge::bench;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

cuda::StartUp started() {
  cuda::StartUp start;
  start.driver_library = true;
  start.devices = 1;
  start.driver_version = 12040;
  start.runtime_version = 13000;
  start.compute_capability = "7.0";
  return start;
}

TEST(WhyUnavailable, says_nothing_when_a_kernel_ran) {
  EXPECT_EQ(cuda::why_unavailable(started()), std::nullopt);
}

TEST(WhyUnavailable, names_a_missing_driver_library_and_not_an_old_driver) {
  cuda::StartUp start = started();
  start.driver_library = false;
  start.loader_message = "libcuda.so.1: cannot open shared object file";
  start.code = cudaErrorInsufficientDriver;
  EXPECT_THAT(cuda::why_unavailable(start).value(),
              AllOf(HasSubstr("No NVIDIA driver library"), HasSubstr("cannot open shared object file"),
                    Not(HasSubstr("35"))));
}

TEST(WhyUnavailable, gives_both_versions_for_an_old_driver) {
  cuda::StartUp start = started();
  start.code = cudaErrorInsufficientDriver;
  start.doing = "counting the GPUs";
  EXPECT_THAT(cuda::why_unavailable(start).value(),
              AllOf(HasSubstr("Counting the GPUs failed: cudaErrorInsufficientDriver (35)"),
                    HasSubstr("supports CUDA 12.4, this build has runtime 13.0")));
}

TEST(WhyUnavailable, names_the_gpu_and_the_builds_architectures_when_there_is_no_code_for_it) {
  cuda::StartUp start = started();
  start.code = cudaErrorNoKernelImageForDevice;
  start.doing = "launching a first kernel";
  EXPECT_THAT(cuda::why_unavailable(start).value(),
              AllOf(HasSubstr("cudaErrorNoKernelImageForDevice (209)"), HasSubstr("compute capability 7.0")));
}

TEST(WhyUnavailable, says_that_a_gpu_before_7_5_is_not_gauged) {
  cuda::StartUp start = started();
  start.code = cudaErrorNoKernelImageForDevice;
  const auto said = [&start](const char* capability) {
    start.compute_capability = capability;
    return cuda::why_unavailable(start).value();
  };
  EXPECT_THAT(said("6.1"), HasSubstr("does not gauge GPUs before 7.5; --device names another."));
  for (const char* capability : {"7.5", "10.0", ""})
    EXPECT_THAT(said(capability), Not(HasSubstr("does not gauge"))) << capability;
}

TEST(WhyUnavailable, says_that_a_working_driver_shows_no_gpu) {
  cuda::StartUp start = started();
  start.devices = 0;
  EXPECT_THAT(cuda::why_unavailable(start).value(), HasSubstr("cudaErrorNoDevice (100)"));
}

TEST(CudaVersion, is_written_with_a_dot) {
  EXPECT_EQ(cuda::cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda::cuda_version_text(12040), "12.4");
  EXPECT_EQ(cuda::cuda_version_text(0), "unknown");
}

TEST(Check, lets_success_pass) {
  EXPECT_NO_THROW(cuda::check(cudaSuccess, "nothing"));
}

TEST(Check, makes_out_of_memory_a_bad_alloc_that_says_what) {
  try {
    cuda::check(cudaErrorMemoryAllocation, "allocating GPU memory");
    FAIL() << "nothing was thrown";
  } catch (const std::bad_alloc& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("allocating GPU memory"), HasSubstr("(2)")));
  }
}

TEST(Check, keeps_the_code_and_names_the_error) {
  try {
    cuda::check(cudaErrorIllegalAddress, "waiting for the GPU");
    FAIL() << "nothing was thrown";
  } catch (const cuda::CudaError& error) {
    EXPECT_EQ(error.code(), cudaErrorIllegalAddress);
    EXPECT_THAT(error.what(), HasSubstr("waiting for the GPU failed: cudaErrorIllegalAddress (700)"));
  }
}

TEST(Check, falls_back_to_the_runtimes_text_for_an_unexplained_code) {
  EXPECT_THAT(cuda::explain(cudaErrorInvalidValue), HasSubstr("cudaErrorInvalidValue (1)"));
}

// With and without a GPU: the environment has a reason or a description of the device, never neither.
TEST(Environment, gives_a_reason_or_a_device) {
  ASSERT_TRUE(cuda::environment_registered);
  const auto reason = environment().unavailable();
  gpugauge::result::Facts facts;
  environment().describe(facts);
  EXPECT_EQ(facts.count("cuda.runtime_version"), 1U);
  EXPECT_EQ(facts.count("gpu.uuid"), reason ? 0U : 1U);
  EXPECT_EQ(facts.count("gpu.integrated"), reason ? 0U : 1U);
  if (reason) {
    EXPECT_FALSE(reason->empty());
  } else {
    EXPECT_GE(environment().compute_capability(), 50);
  }
}

}  // namespace
