// The kernels' own device code, run on the host by an emulator of the instructions it uses.
#include <limits>
#include <new>
#include <ostream>

#include <gtest/gtest.h>

#include "emulator.hpp"
#include "kernels/gemm/element_error.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/support/small_float.hpp"
#include "kernels/support/uniform.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/gemm/mma_sync.cuh"
#include "kernels/gemm/simt_fp32.cuh"
#include "kernels/gemm/simt_ladder.cuh"
#include "kernels/memory/stream.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;

constexpr float poison = std::numeric_limits<float>::quiet_NaN();

template <typename T>
T made(std::uint64_t seed, std::size_t i);
template <>
float made<float>(std::uint64_t seed, std::size_t i) {
  return uniform(seed, i);
}
template <>
Bf16 made<Bf16>(std::uint64_t seed, std::size_t i) {
  return uniform_bf16(seed, i);
}

template <>
Fp16 made<Fp16>(std::uint64_t seed, std::size_t i) {
  return to_fp16(uniform(seed, i));
}

template <typename T>
T poisoned();
template <>
float poisoned<float>() {
  return poison;
}
template <>
Bf16 poisoned<Bf16>() {
  return Bf16{0xffff};
}
template <>
Fp16 poisoned<Fp16>() {
  return Fp16{0xffff};
}

// 16-byte aligned, of exactly the size asked for, so that a sanitizer sees an access behind it.
template <typename T>
struct Matrix {
  Matrix(int rows, int columns)
      : count(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)),
        data(static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{16}))) {}
  Matrix(int rows, int columns, std::uint64_t seed) : Matrix(rows, columns) {
    for (std::size_t i = 0; i < count; ++i) data[i] = made<T>(seed, i);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() { ::operator delete (data, std::align_val_t{16}); }
  std::size_t count;
  T* data;
};

struct Size {
  int m, n, k;
};

std::ostream& operator<<(std::ostream& out, const Size& size) {
  return out << size.m << "x" << size.n << "x" << size.k;
}

template <typename In, typename Out, typename Kernel>
double largest_error(const Size& size, Kernel kernel, int tile_m = 128, int tile_n = 128) {
  const Matrix<In> a(size.m, size.k, 1);
  const Matrix<In> b(size.k, size.n, 2);
  Matrix<Out> c(size.m, size.n);
  for (std::size_t i = 0; i < c.count; ++i) c.data[i] = poisoned<Out>();
  const gemm::TileOrder order{(size.m - 1) / tile_m + 1, (size.n - 1) / tile_n + 1, 2};
  kernel(a.data, b.data, c.data, order);
  double error = 0;
  for (int row = 0; row < size.m; ++row)
    for (int column = 0; column < size.n; ++column)
      error = std::fmax(error, gemm::element_error(a.data, b.data, c.data, row, column, size.n, size.k));
  return error;
}

class SimtFp32 : public testing::TestWithParam<Size> {};

TEST_P(SimtFp32, equals_the_reference_at_every_element) {
  const Size size = GetParam();
  const double error =
      largest_error<float, float>(size, [&](const float* a, const float* b, float* c, gemm::TileOrder order) {
        const bool wide = size.k % 4 == 0 && size.n % 4 == 0;
        const bool whole = wide && size.k % gemm::simt::tile_k == 0;
        const auto kernel = whole  ? gemm::simt::simt_fp32_kernel<gemm::simt::WholeSteps>
                            : wide ? gemm::simt::simt_fp32_kernel<gemm::simt::AnySteps<true>>
                                   : gemm::simt::simt_fp32_kernel<gemm::simt::AnySteps<false>>;
        emulator::launch(static_cast<unsigned>(order.rows * order.columns), gemm::simt::threads,
                         [&] { kernel(a, b, c, size.m, size.n, size.k, order); });
      });
  EXPECT_LT(error, gemm::tolerance_fp32_fma());
}

TEST_P(SimtFp32, steps_of_the_ladder_equal_the_reference_too) {
  const Size size = GetParam();
  const auto blocks = static_cast<unsigned>((size.m + 31) / 32 * ((size.n + 31) / 32));
  for (const auto kernel : {gemm::simt::naive_kernel, gemm::simt::shared_tile_kernel}) {
    const double error = largest_error<float, float>(size, [&](const float* a, const float* b, float* c,
                                                               gemm::TileOrder) {
      emulator::launch(blocks, gemm::simt::ladder_threads, [&] { kernel(a, b, c, size.m, size.n, size.k); });
    });
    EXPECT_LT(error, gemm::tolerance_fp32_fma());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SimtFp32,
                         testing::Values(Size{1, 1, 1}, Size{128, 128, 16}, Size{128, 128, 48},
                                         Size{129, 132, 20}, Size{130, 127, 33}, Size{300, 4, 4},
                                         Size{5, 260, 17}, Size{1, 4, 16}, Size{131, 260, 32},
                                         Size{250, 8, 80}));

struct MmaCase {
  Size size;
  emulator::Arrival arrival;
};

std::ostream& operator<<(std::ostream& out, const MmaCase& one) {
  return out << one.size << (one.arrival == emulator::Arrival::early ? ", early" : ", late");
}

class MmaSync : public testing::TestWithParam<MmaCase> {
 protected:
  template <typename In, typename Out>
  static double error() {
    const Size size = GetParam().size;
    emulator::arrival = GetParam().arrival;
    emulator::shared.fill(0xff);
    return largest_error<In, Out>(
        size,
        [&](const In* a, const In* b, Out* c, gemm::TileOrder order) {
          emulator::launch(static_cast<unsigned>(order.rows * order.columns), gemm::mma::threads, [&] {
            gemm::mma::mma_sync_kernel<In, Out>(a, b, c, size.m, size.n, size.k, order);
          });
        },
        gemm::mma::tile_m, gemm::mma::tile_n);
  }
};

TEST_P(MmaSync, bf16_equals_the_reference_in_fp32) {
  EXPECT_LT((error<Bf16, float>()), gemm::tolerance_bf16_mma(GetParam().size.k));
}
TEST_P(MmaSync, bf16_equals_the_reference_in_bf16) {
  EXPECT_LT((error<Bf16, Bf16>()), gemm::tolerance_bf16_mma(GetParam().size.k));
}
TEST_P(MmaSync, fp16_equals_the_reference_in_fp32) {
  EXPECT_LT((error<Fp16, float>()), gemm::tolerance_bf16_mma(GetParam().size.k));
}
TEST_P(MmaSync, fp16_equals_the_reference_in_fp16) {
  EXPECT_LT((error<Fp16, Fp16>()), gemm::tolerance_bf16_mma(GetParam().size.k));
}

INSTANTIATE_TEST_SUITE_P(Sizes, MmaSync,
                         testing::Values(MmaCase{{128, 128, 32}, emulator::Arrival::early},
                                         MmaCase{{1, 8, 8}, emulator::Arrival::late},
                                         MmaCase{{128, 128, 200}, emulator::Arrival::early},
                                         MmaCase{{128, 128, 200}, emulator::Arrival::late},
                                         MmaCase{{131, 136, 72}, emulator::Arrival::late},
                                         MmaCase{{257, 136, 104}, emulator::Arrival::late},
                                         MmaCase{{65, 264, 40}, emulator::Arrival::early}));

class Stream : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr unsigned blocks = 2;
  static std::size_t count() { return GetParam(); }
  static unsigned map_blocks() { return static_cast<unsigned>(memory::map_blocks(count())); }
  static int length() { return static_cast<int>(GetParam()); }
};

TEST_P(Stream, read_sums_every_word_once) {
  const Matrix<float> data(1, length(), 3);
  std::vector<unsigned long long> sums(blocks, ~0ULL);
  emulator::launch(blocks, memory::threads, [&] { memory::read_kernel(data.data, count(), sums.data()); });
  unsigned long long expected = 0;
  for (std::size_t i = 0; i < count(); ++i) expected += bits_of(uniform(3, i));
  EXPECT_EQ(sums[0] + sums[1], expected);
}

TEST_P(Stream, copy_moves_every_element) {
  const Matrix<float> from(1, length(), 3);
  Matrix<float> to(1, length());
  for (std::size_t i = 0; i < count(); ++i) to.data[i] = poison;
  emulator::launch(map_blocks(), memory::map_threads,
                   [&] { memory::copy_kernel(from.data, to.data, count()); });
  for (std::size_t i = 0; i < count(); ++i) ASSERT_EQ(to.data[i], uniform(3, i)) << i;
}

TEST_P(Stream, triad_is_a_fused_multiply_add_of_every_element) {
  const Matrix<float> b(1, length(), 3);
  const Matrix<float> c(1, length(), 4);
  Matrix<float> a(1, length());
  for (std::size_t i = 0; i < count(); ++i) a.data[i] = poison;
  emulator::launch(map_blocks(), memory::map_threads,
                   [&] { memory::triad_kernel(b.data, c.data, 0.75F, a.data, count()); });
  for (std::size_t i = 0; i < count(); ++i)
    ASSERT_EQ(a.data[i], std::fmaf(0.75F, uniform(4, i), uniform(3, i))) << i;
}

// Two blocks of 256 threads with 4 vectors in flight read 8192 elements in a pass; a block of the others has
// 4096.
INSTANTIATE_TEST_SUITE_P(Lengths, Stream,
                         testing::Values(0, 1, 3, 4, 5, 2047, 2048, 8191, 8192, 8195, 16391));

}  // namespace
