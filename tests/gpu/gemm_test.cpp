#include <cmath>
#include <random>

#include "gpu_test.hpp"
#include "kernels/gemm/element_error.hpp"
#include "kernels/gemm/mma_bf16.hpp"
#include "kernels/gemm/mma_fp16.hpp"
#include "kernels/gemm/reference.hpp"
#include "kernels/gemm/simt_fp32.hpp"
#include "kernels/gemm/simt_ladder.hpp"
#include "kernels/gemm/tiling.hpp"
#include "kernels/gemm/wgmma.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/support/fill.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceValue;
using kernels::Bf16;
using kernels::E4m3;
using kernels::Fp16;
using testing_gpu::read_back;

struct Size {
  int m, n, k;
};

template <typename In, typename Out>
struct Product {
  explicit Product(const Size& of)
      : size(of),
        a(static_cast<std::size_t>(of.m) * of.k),
        b(static_cast<std::size_t>(of.k) * of.n),
        c(static_cast<std::size_t>(of.m) * of.n) {
    check(kernels::fill_uniform(a.get(), a.count(), 1, nullptr), "filling");
    check(kernels::fill_uniform(b.get(), b.count(), 2, nullptr), "filling");
    check(kernels::poison(c.get(), c.bytes(), nullptr), "poisoning");
  }
  template <typename Kernel>
  void run(Kernel kernel) const {
    check(kernel(a.get(), b.get(), c.get(), size.m, size.n, size.k, nullptr), "multiplying");
  }
  /// On the device, over every row.
  double error() const {
    const bench::cuda::DeviceComparison found;
    check(kernels::gemm::sampled_error(a.get(), b.get(), c.get(), size.m, size.n, size.k, size.m, 3,
                                       found.get(), nullptr),
          "comparing");
    return testing_gpu::error_of(found);
  }
  std::uint64_t checksum() const {
    const DeviceValue<unsigned long long> sum;
    check(kernels::checksum(c.get(), c.bytes(), sum.get(), nullptr), "summing");
    return sum.read(nullptr);
  }
  Size size;
  DeviceBuffer<In> a;
  DeviceBuffer<In> b;
  DeviceBuffer<Out> c;
};

std::vector<Size> sizes(int multiple_of) {
  std::vector<Size> all{{1, multiple_of, multiple_of}, {128, 128, 128}, {256, 384, 512}};
  const int large = testing_gpu::of_size(1008, 144);  // a multiple of 16
  all.push_back({large - 8, large, large});
  std::mt19937 random(20240607);
  std::uniform_int_distribution<int> any(1, testing_gpu::of_size(700, 150));
  const int count = testing_gpu::of_size(12, 3);
  for (int i = 0; i < count; ++i) {
    const auto rounded = [&](int value) { return (value + multiple_of - 1) / multiple_of * multiple_of; };
    all.push_back({any(random), rounded(any(random)), rounded(any(random))});
  }
  return all;
}

std::ostream& operator<<(std::ostream& out, const Size& size) {
  return out << size.m << "x" << size.n << "x" << size.k;
}

class Gemm : public testing_gpu::GpuTest {};

TEST_F(Gemm, simt_fp32_is_right_at_every_element_of_any_shape) {
  for (const int multiple_of : {1, 4, 16})  // three ways to read
    for (const Size& size : sizes(multiple_of)) {
      const Product<float, float> product(size);
      product.run(kernels::gemm::simt_fp32);
      EXPECT_LE(product.error(), kernels::gemm::tolerance_fp32_fma()) << size;
    }
}

TEST_F(Gemm, steps_of_the_simt_ladder_are_right_at_every_element_of_any_shape) {
  for (const auto kernel : {kernels::gemm::simt_naive, kernels::gemm::simt_shared_tile})
    for (const Size& size : sizes(1)) {
      const Product<float, float> product(size);
      product.run(kernel);
      EXPECT_LE(product.error(), kernels::gemm::tolerance_fp32_fma()) << size;
    }
}

class Gemm16 : public Gemm {
 protected:
  void SetUp() override {
    Gemm::SetUp();
    if (!IsSkipped() && bench::cuda::device().compute_capability < 80)
      GTEST_SKIP() << "mma.sync in bf16 needs compute capability 8.0";
  }
};

TEST_F(Gemm16, mma_bf16_is_right_at_every_element_of_any_shape) {
  using Kernel32 = cudaError_t (*)(const Bf16*, const Bf16*, float*, int, int, int, cudaStream_t);
  using Kernel16 = cudaError_t (*)(const Bf16*, const Bf16*, Bf16*, int, int, int, cudaStream_t);
  for (const Size& size : sizes(8)) {
    const Product<Bf16, float> wide(size);
    wide.run(static_cast<Kernel32>(kernels::gemm::mma_bf16));
    EXPECT_LE(wide.error(), kernels::gemm::tolerance_bf16_mma(size.k)) << size;
    const Product<Bf16, Bf16> narrow(size);
    narrow.run(static_cast<Kernel16>(kernels::gemm::mma_bf16));
    EXPECT_LE(narrow.error(), kernels::gemm::tolerance_bf16_mma(size.k)) << size;
  }
}

TEST_F(Gemm16, mma_fp16_is_right_at_every_element_of_any_shape) {
  using Kernel32 = cudaError_t (*)(const Fp16*, const Fp16*, float*, int, int, int, cudaStream_t);
  using Kernel16 = cudaError_t (*)(const Fp16*, const Fp16*, Fp16*, int, int, int, cudaStream_t);
  for (const Size& size : sizes(8)) {
    const Product<Fp16, float> wide(size);
    wide.run(static_cast<Kernel32>(kernels::gemm::mma_fp16));
    EXPECT_LE(wide.error(), kernels::gemm::tolerance_bf16_mma(size.k)) << size;
    const Product<Fp16, Fp16> narrow(size);
    narrow.run(static_cast<Kernel16>(kernels::gemm::mma_fp16));
    EXPECT_LE(narrow.error(), kernels::gemm::tolerance_bf16_mma(size.k)) << size;
  }
}

TEST_F(Gemm16, mma_bf16_refuses_sizes_and_pointers_that_it_cannot_take) {
  const DeviceBuffer<Bf16> data(4096);
  const DeviceBuffer<float> out(4096);
  check(cudaMemset(data.get(), 0, data.bytes()), "filling");  // one product is allowed, and reads it
  const auto status = [&](int m, int n, int k, int offset) {
    return kernels::gemm::mma_bf16(data.get() + offset, data.get(), out.get(), m, n, k, nullptr);
  };
  EXPECT_EQ(status(16, 12, 16, 0), cudaErrorInvalidValue);
  EXPECT_EQ(status(16, 16, 20, 0), cudaErrorInvalidValue);
  EXPECT_EQ(status(0, 16, 16, 0), cudaErrorInvalidValue);
  EXPECT_EQ(status(16, 16, 16, 4), cudaErrorInvalidValue);
  EXPECT_EQ(status(16, 16, 16, 8), cudaSuccess);
  check(cudaDeviceSynchronize(), "waiting");
}

TEST_F(Gemm, repeats_bit_for_bit) {
  const Product<float, float> product(
      {testing_gpu::of_size(777, 177), testing_gpu::of_size(512, 128), testing_gpu::of_size(640, 64)});
  product.run(kernels::gemm::simt_fp32);
  const std::uint64_t first = product.checksum();
  const int repeats = testing_gpu::of_size(5, 1);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    check(kernels::poison(product.c.get(), product.c.bytes(), nullptr), "poisoning");
    product.run(kernels::gemm::simt_fp32);
    EXPECT_EQ(product.checksum(), first);
  }
}

// The judge itself: the device's error is the host's, and a wrong or missing element is found.
TEST_F(Gemm, error_on_the_device_is_the_hosts) {
  const Size size{65, 40, 50};
  const Product<float, float> product(size);
  product.run(kernels::gemm::simt_fp32);
  const auto a = read_back(product.a);
  const auto b = read_back(product.b);
  const auto c = read_back(product.c);
  double largest = 0;
  for (int row = 0; row < size.m; ++row)
    for (int column = 0; column < size.n; ++column)
      largest = std::fmax(
          largest, kernels::gemm::element_error(a.data(), b.data(), c.data(), row, column, size.n, size.k));
  EXPECT_NEAR(product.error(), largest, 1e-12);
  EXPECT_LE(largest, kernels::gemm::tolerance_fp32_fma());
}

TEST_F(Gemm, error_finds_a_wrong_and_a_missing_element) {
  const Size size{65, 40, 50};
  const Product<float, float> product(size);
  product.run(kernels::gemm::simt_fp32);
  const float wrong = read_back(product.c)[123] + 0.01F;
  check(cudaMemcpy(product.c.get() + 123, &wrong, sizeof wrong, cudaMemcpyHostToDevice), "spoiling");
  EXPECT_GT(product.error(), 100 * kernels::gemm::tolerance_fp32_fma());
  check(kernels::poison(product.c.get() + 7, sizeof(float), nullptr), "poisoning");
  EXPECT_TRUE(std::isinf(product.error()));
}

}  // namespace
