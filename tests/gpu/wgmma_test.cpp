#include "kernels/gemm/wgmma.hpp"

#include <ostream>
#include <random>

#include "gpu_test.hpp"
#include "kernels/gemm/reference.hpp"
#include "kernels/gemm/tcgen05.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/support/fill.hpp"
#include "kernels/support/tcgen05_descriptors.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceValue;
using kernels::Bf16;
using kernels::E4m3;

struct Size {
  int m, n, k;
};

std::ostream& operator<<(std::ostream& out, const Size& size) {
  return out << size.m << "x" << size.n << "x" << size.k;
}

template <typename In>
struct Product {
  using Kernel = cudaError_t (*)(const In*, const In*, Bf16*, int, int, int, cudaStream_t);
  // C stands between two guards of 256 elements.
  explicit Product(const Size& of)
      : size(of),
        a(static_cast<std::size_t>(of.m) * of.k),
        b(static_cast<std::size_t>(of.k) * of.n),
        c(static_cast<std::size_t>(of.m) * of.n + 512) {
    check(kernels::fill_uniform(a.get(), a.count(), 1, nullptr), "filling");
    check(kernels::fill_uniform(b.get(), b.count(), 2, nullptr), "filling");
    check(kernels::poison(c.get(), c.bytes(), nullptr), "poisoning");
  }
  Bf16* result() const { return c.get() + 256; }
  cudaError_t run(Kernel kernel) const {
    return kernel(a.get(), b.get(), result(), size.m, size.n, size.k, nullptr);
  }
  double error() const {
    const bench::cuda::DeviceComparison found;
    check(kernels::gemm::sampled_error(a.get(), b.get(), result(), size.m, size.n, size.k, size.m, 3,
                                       found.get(), nullptr),
          "comparing");
    return testing_gpu::error_of(found);
  }
  bool guards_stand() const {
    const std::vector<Bf16> all = testing_gpu::read_back(c);
    for (std::size_t i = 0; i < 256; ++i)
      if (all[i].bits != 0xffff || all[all.size() - 1 - i].bits != 0xffff) return false;
    return true;
  }
  std::uint64_t checksum() const {
    const DeviceValue<unsigned long long> sum;
    check(kernels::checksum(c.get(), c.bytes(), sum.get(), nullptr), "summing");
    return sum.read(nullptr);
  }
  Size size;
  DeviceBuffer<In> a;
  DeviceBuffer<In> b;
  DeviceBuffer<Bf16> c;
};

// Edges, fewer steps than stages, many tiles for each block (unless sizes are small), and random shapes.
std::vector<Size> sizes(int k_multiple) {
  std::vector<Size> all{{1, 8, k_multiple}, {128, 256, 64}, {129, 264, 128}};
  // Two and three tiles a block (small: one and two, of 132 blocks), of one, a few and many steps: one leaves while the
  // next is multiplied.
  const int wide = testing_gpu::of_size(40000, 20000);
  for (const int k : testing_gpu::of_size(std::vector<int>{16, 208, 448}, std::vector<int>{16, 208}))
    all.push_back({8, wide, k});
  const std::vector<Size> full{{256, 256, 4096}, {1000, 1000, 1008}, {4096, 3072, 512}, {2049, 4104, 208}};
  const std::vector<Size> small{{256, 256, 1024}, {257, 520, 208}};
  for (const Size& size : testing_gpu::of_size(full, small)) all.push_back(size);
  std::mt19937 random(20240607);
  std::uniform_int_distribution<int> any(1, testing_gpu::of_size(1500, 300));
  const auto rounded = [](int value, int multiple) { return (value + multiple - 1) / multiple * multiple; };
  const int count = testing_gpu::of_size(16, 4);
  for (int i = 0; i < count; ++i)
    all.push_back({any(random), rounded(any(random), 8), rounded(any(random), k_multiple)});
  return all;
}

class Wgmma : public testing_gpu::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && bench::cuda::device().compute_capability != 90)
      GTEST_SKIP() << "wgmma exists on compute capability 9.0 only";
  }
};

constexpr Product<Bf16>::Kernel best = kernels::gemm::wgmma;
constexpr Product<E4m3>::Kernel best_fp8 = kernels::gemm::wgmma;

struct Step {
  const char* name;
  Product<Bf16>::Kernel kernel;
};

constexpr Step steps[] = {{"wgmma", best},
                          {"wgmma_tile_64", kernels::gemm::wgmma_tile_64},
                          {"wgmma_tile_128", kernels::gemm::wgmma_tile_128},
                          {"wgmma_ring", kernels::gemm::wgmma_ring},
                          {"wgmma_ring_wide", kernels::gemm::wgmma_ring_wide},
                          {"wgmma_two_consumers", kernels::gemm::wgmma_two_consumers},
                          {"wgmma_persistent_rows", kernels::gemm::wgmma_persistent_rows},
                          {"wgmma_persistent", kernels::gemm::wgmma_persistent},
                          {"wgmma_cluster", kernels::gemm::wgmma_cluster},
                          {"wgmma_tma_store", kernels::gemm::wgmma_tma_store},
                          {"wgmma_overlap", kernels::gemm::wgmma_overlap}};

TEST_F(Wgmma, bf16_is_right_at_every_element_of_any_shape_on_every_step) {
  for (const Step& step : steps)
    for (const Size& size : sizes(8)) {
      const Product<Bf16> product(size);
      check(product.run(step.kernel), step.name);
      EXPECT_LE(product.error(), kernels::gemm::tolerance_bf16_mma(size.k)) << step.name << " " << size;
      EXPECT_TRUE(product.guards_stand()) << step.name << " " << size;
    }
}

TEST_F(Wgmma, fp8_is_right_at_every_element_of_any_shape) {
  for (const Size& size : sizes(16)) {
    const Product<E4m3> product(size);
    check(product.run(best_fp8), "multiplying");
    EXPECT_LE(product.error(), kernels::gemm::tolerance_fp8_wgmma(size.k)) << size;
    EXPECT_TRUE(product.guards_stand()) << size;
  }
}

TEST_F(Wgmma, repeats_bit_for_bit) {
  const Product<Bf16> product({1031, 2056, 1544});
  for (const Step& step : steps) {
    std::uint64_t first = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
      check(kernels::poison(product.c.get(), product.c.bytes(), nullptr), "poisoning");
      check(product.run(step.kernel), step.name);
      if (repeat == 0) first = product.checksum();
      EXPECT_EQ(product.checksum(), first) << step.name;
    }
  }
}

// Products that need each other's results, and write over them, at once and one after another: blocks of one
// start before the last one has ended.
TEST_F(Wgmma, a_product_waits_for_the_one_ahead) {
  const Product<Bf16> first({1000, 1024, 1024});
  const Product<Bf16> second({1000, 1024, 1024});
  check(cudaStreamSynchronize(nullptr), "filling");  // no other stream waits for it
  const bench::cuda::Stream stream;
  const auto chain = [&](bool at_once) {
    const auto next = [&](const Bf16* a, const Bf16* b, Bf16* c) {
      check(best(a, b, c, 1000, 1024, 1024, stream.get()), "multiplying");
      if (!at_once) stream.synchronize();
    };
    for (int turn = 0; turn < 8; ++turn) {
      next(turn == 0 ? first.a.get() : second.result(), first.b.get(), first.result());
      next(first.result(), first.b.get(), second.result());
      next(first.a.get(), first.b.get(), first.result());  // over what was read
    }
    stream.synchronize();
    return second.checksum();
  };
  const std::uint64_t right = chain(false);
  for (int repeat = 0; repeat < testing_gpu::of_size(20, 2); ++repeat) EXPECT_EQ(chain(true), right);
}

class Tcgen05 : public testing_gpu::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() &&
        !kernels::sm100::exists(kernels::sm100::Kind::f16, bench::cuda::device().compute_capability))
      GTEST_SKIP() << "tcgen05 exists on compute capability 10.0, 10.3 and 11.0 only";
  }
};

TEST_F(Tcgen05, is_right_at_every_element_of_any_shape) {
  constexpr Product<Bf16>::Kernel bf16 = kernels::gemm::tcgen05;
  constexpr Product<E4m3>::Kernel fp8 = kernels::gemm::tcgen05;
  for (const Size& size : sizes(8)) {
    const Product<Bf16> product(size);
    check(product.run(bf16), "multiplying");
    EXPECT_LE(product.error(), kernels::gemm::tolerance_bf16_mma(size.k)) << size;
    EXPECT_TRUE(product.guards_stand()) << size;
    const std::uint64_t first = product.checksum();
    for (const Product<Bf16>::Kernel kernel :
         {bf16, Product<Bf16>::Kernel{kernels::gemm::tcgen05_persistent}}) {
      check(kernels::poison(product.c.get(), product.c.bytes(), nullptr), "poisoning");
      check(product.run(kernel), "multiplying");
      EXPECT_EQ(product.checksum(), first) << size << ": the order of additions depends only on k";
    }
  }
  for (const Size& size : sizes(16)) {
    const Product<E4m3> product(size);
    check(product.run(fp8), "multiplying");
    EXPECT_LE(product.error(), kernels::gemm::tolerance_fp8_wgmma(size.k)) << size;
    EXPECT_TRUE(product.guards_stand()) << size;
  }
}

class OtherGpu : public testing_gpu::GpuTest {};

TEST_F(OtherGpu, refuses_wgmma) {
  if (bench::cuda::device().compute_capability == 90) GTEST_SKIP() << "this GPU has wgmma";
  const Product<Bf16> product({128, 256, 64});
  for (const Step& step : steps) EXPECT_EQ(product.run(step.kernel), cudaErrorNoKernelImageForDevice);
}

TEST_F(OtherGpu, refuses_tcgen05) {
  if (kernels::sm100::exists(kernels::sm100::Kind::f16, bench::cuda::device().compute_capability))
    GTEST_SKIP() << "this GPU has tcgen05";
  constexpr Product<Bf16>::Kernel bf16 = kernels::gemm::tcgen05;
  EXPECT_EQ(Product<Bf16>({128, 256, 64}).run(bf16), cudaErrorNoKernelImageForDevice);
}

}  // namespace
