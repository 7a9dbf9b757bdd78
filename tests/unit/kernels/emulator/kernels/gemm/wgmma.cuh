// The functions of kernels/gemm/wgmma.cuh as the PTX ISA describes the instructions, on the host: operands
// are read through their descriptors from shared memory, when the instruction starts or when it is waited
// for.
#pragma once

#include "cluster.hpp"
#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"

namespace emulator {

/// The fields of a matrix descriptor, in bytes.
struct Operand {
  explicit Operand(std::uint64_t descriptor)
      : start((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4),
        stride((descriptor >> 32 & 0x3fff) << 4) {
    EXPECT_EQ(descriptor >> 49 & 7, 0U) << "base offset";
    EXPECT_EQ(descriptor >> 62, 1U) << "128-byte swizzle";
  }
  std::size_t start, leading, stride;

  /// K-major: eight rows of 128 bytes, then `stride` further. The swizzle works on the address.
  std::size_t along_k(std::size_t row, std::size_t byte) const {
    return swizzle(start + row / 8 * stride + row % 8 * 128 + byte);
  }
  /// MN-major, two bytes an element: 64 columns in a row of 128 bytes, a row each k.
  std::size_t along_n(std::size_t k, std::size_t column) const {
    return swizzle(start + column / 64 * leading + k / 8 * stride + k % 8 * 128 + column % 64 * 2);
  }
  static std::size_t swizzle(std::size_t address) { return address ^ (address >> 7 & 7) << 4; }
};

/// When a wgmma reads its operands: as it starts, or as it is waited for. Late products beside early copies
/// find a stage that was given back too early.
inline Arrival products = Arrival::early;

/// The sums have not been touched since the last wgmma_fence.
inline thread_local bool fenced = false;
inline thread_local std::vector<std::function<void()>> open_wgmma;
inline thread_local std::vector<std::vector<std::function<void()>>> wgmma_groups;

template <typename T>
float element(std::size_t place) {
  T value;
  std::memcpy(&value, &here->memory.at(place), sizeof value);
  return to_float(value);
}

/// One thread's part of d = a b (+ d). Row and column of an accumulator: figure "WGMMA .m64nNk16 register
/// fragment layout for accumulator matrix D".
template <typename In, int N>
void multiply(float* d, std::uint64_t a_descriptor, std::uint64_t b_descriptor, bool add) {
  const Operand a(a_descriptor);
  const Operand b(b_descriptor);
  constexpr std::size_t k_size = 32 / sizeof(In);
  const std::size_t thread = threadIdx.x % 128;
  float rows[2][k_size];
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t k = 0; k < k_size; ++k)
      rows[half][k] = element<In>(a.along_k(thread / 32 * 16 + thread % 32 / 4 + half * 8, k * sizeof(In)));
  for (std::size_t pair = 0; pair < N / 8; ++pair)
    for (std::size_t of_pair = 0; of_pair < 2; ++of_pair) {
      const std::size_t column = pair * 8 + thread % 4 * 2 + of_pair;
      float sums[2] = {0, 0};
      for (std::size_t k = 0; k < k_size; ++k) {
        const float from_b = element<In>(sizeof(In) == 1 ? b.along_k(column, k) : b.along_n(k, column));
        for (std::size_t half = 0; half < 2; ++half) sums[half] += rows[half][k] * from_b;
      }
      for (std::size_t half = 0; half < 2; ++half) {
        float& to = d[pair * 4 + half * 2 + of_pair];
        to = add ? to + sums[half] : sums[half];
      }
    }
}

}  // namespace emulator

namespace gpugauge::kernels::sm90 {

inline void wgmma_fence() {
  emulator::fenced = true;
}

inline void wgmma_commit() {
  emulator::wgmma_groups.push_back(std::move(emulator::open_wgmma));
  emulator::open_wgmma.clear();
}

template <int Pending>
void wgmma_wait() {
  EXPECT_TRUE(emulator::open_wgmma.empty()) << "a wgmma that no group holds is never waited for";
  while (emulator::wgmma_groups.size() > Pending) {
    for (const auto& multiply : emulator::wgmma_groups.front()) multiply();
    emulator::wgmma_groups.erase(emulator::wgmma_groups.begin());
  }
  emulator::warp->barrier.arrive_and_wait();  // all lanes of the warp wait together
}

template <int Blocks, int Count>
void wgmma_wait_for(float (&/*sums*/)[Blocks][Count]) {
  wgmma_wait<0>();
  emulator::fenced = false;
}

template <typename In, int N>
struct Wgmma {
  static void run(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, bool add) {
    EXPECT_TRUE(emulator::fenced) << "sums are handed to wgmma without a fence";
    if (emulator::products == emulator::Arrival::early) {
      emulator::multiply<In, N>(d, a, b, add);
      return;
    }
    emulator::open_wgmma.emplace_back([to = &d[0], a, b, add] { emulator::multiply<In, N>(to, a, b, add); });
  }
};

}  // namespace gpugauge::kernels::sm90
