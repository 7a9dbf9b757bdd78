// What the wgmma products refuse before they ask for a GPU.
#include <array>

#include <gtest/gtest.h>

#include "kernels/gemm/tensor_map_encode.hpp"
#include "kernels/gemm/wgmma.hpp"

namespace {

using namespace gpugauge::kernels;

alignas(16) std::array<Bf16, 64> memory{};

cudaError_t bf16(int m, int n, int k, int offset = 0) {
  return gemm::wgmma(memory.data() + offset, memory.data(), memory.data(), m, n, k, nullptr);
}

cudaError_t fp8(int m, int n, int k) {
  const auto* const bytes = reinterpret_cast<const E4m3*>(memory.data());
  return gemm::wgmma(bytes, bytes, memory.data(), m, n, k, nullptr);
}

TEST(WgmmaArguments, of_sizes_and_pointers_that_tma_cannot_take_are_refused) {
  EXPECT_EQ(bf16(0, 8, 8), cudaErrorInvalidValue);
  EXPECT_EQ(bf16(8, 0, 8), cudaErrorInvalidValue);
  EXPECT_EQ(bf16(8, 8, 0), cudaErrorInvalidValue);
  EXPECT_EQ(bf16(8, 12, 8), cudaErrorInvalidValue);
  EXPECT_EQ(bf16(8, 8, 12), cudaErrorInvalidValue);
  EXPECT_EQ(bf16((1 << 30) + 1, 8, 8), cudaErrorInvalidValue);
  EXPECT_EQ(bf16(8, 8, 8, 4), cudaErrorInvalidValue);
  EXPECT_EQ(fp8(8, 8, 8), cudaErrorInvalidValue);
  EXPECT_EQ(fp8(8, 12, 16), cudaErrorInvalidValue);
}

TEST(WgmmaArguments, that_are_good_are_not_the_reason_to_refuse) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)
    GTEST_SKIP() << "these pointers are the host's: with a GPU the tests of tests/gpu apply";
  EXPECT_EQ(bf16(8, 8, 8), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(fp8(8, 8, 16), cudaErrorNoKernelImageForDevice);
}

TEST(TensorMap, is_not_made_of_what_tma_cannot_take) {
  CUtensorMap map;
  EXPECT_EQ(gemm::encode({memory.data(), 2, 8, 12, 64}, &map), cudaErrorInvalidValue);
  EXPECT_EQ(gemm::encode({memory.data() + 4, 2, 8, 8, 64}, &map), cudaErrorInvalidValue);
}

}  // namespace
