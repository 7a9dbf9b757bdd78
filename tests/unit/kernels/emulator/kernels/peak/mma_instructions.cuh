// The functions of kernels/peak/mma_instructions.cuh as the PTX ISA describes the instructions, on the host.
#pragma once

#include "emulator.hpp"
#include "kernels/peak/operands.hpp"
#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"

namespace emulator {

using gpugauge::kernels::peak::Element;

/// Element `index` of a register.
template <Element Type>
float element_of(std::uint32_t bits, std::size_t index) {
  namespace kernels = gpugauge::kernels;
  constexpr std::size_t width = kernels::peak::element_bits(Type);
  const std::uint32_t mine = bits >> (index * width);
  if constexpr (Type == Element::tf32) return kernels::float_of(mine);
  if constexpr (Type == Element::fp16)
    return kernels::to_float(kernels::Fp16{static_cast<std::uint16_t>(mine)});
  if constexpr (Type == Element::bf16)
    return kernels::to_float(kernels::Bf16{static_cast<std::uint16_t>(mine)});
  if constexpr (Type == Element::fp8_e4m3)
    return kernels::to_float(kernels::E4m3{static_cast<std::uint8_t>(mine)});
  return static_cast<float>(static_cast<std::int8_t>(mine));
}

/// C (8 Rows x 8) += A B, where a register holds `per` neighbouring elements along k, and Depth registers a lane
/// hold all of k. As in the figures of the PTX ISA for m16n8k8, m16n8k16, m16n8k32 and m8n8k16: with g = lane / 4
/// and q = lane % 4, register r + Rows d of A is row g + 8 r and k from (q + 4 d) per on, register d of B the same k
/// of column g, and sum 2 r + i row g + 8 r of column 2 q + i.
template <Element Type, std::size_t Rows, std::size_t Depth, typename Sum>
void multiply_add(Sum* (&c)[Rows * 2], const std::array<std::uint32_t, Rows * Depth>& a,
                  const std::array<std::uint32_t, Depth>& b) {
  constexpr std::size_t per = 32 / gpugauge::kernels::peak::element_bits(Type);
  auto& mine = warp->registers[static_cast<std::size_t>(lane)];
  std::copy(a.begin(), a.end(), mine.begin());
  std::copy(b.begin(), b.end(), mine.begin() + Rows * Depth);
  warp->barrier.arrive_and_wait();
  const std::size_t group = static_cast<std::size_t>(lane) / 4;
  for (std::size_t i = 0; i < Rows * 2; ++i) {
    const std::size_t column = static_cast<std::size_t>(lane) % 4 * 2 + i % 2;
    for (std::size_t d = 0; d < Depth; ++d)
      for (std::size_t quad = 0; quad < 4; ++quad) {
        const std::uint32_t from_a = warp->registers[group * 4 + quad][i / 2 + Rows * d];
        const std::uint32_t from_b = warp->registers[column * 4 + quad][Rows * Depth + d];
        for (std::size_t e = 0; e < per; ++e)
          *c[i] += static_cast<Sum>(element_of<Type>(from_a, e) * element_of<Type>(from_b, e));
      }
  }
  warp->barrier.arrive_and_wait();
}

}  // namespace emulator

namespace gpugauge::kernels::peak {

inline void change(std::uint32_t (&/*a*/)[4], std::uint32_t zero) {
  EXPECT_EQ(zero, 0U);
}

template <Element Type, typename Sum>
void multiply(Sum (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  Sum* sums[] = {&c[0], &c[1], &c[2], &c[3]};
  emulator::multiply_add<Type, 2, 2>(sums, {a[0], a[1], a[2], a[3]}, {b[0], b[1]});
}

inline void multiply_16x8x8(float (&c)[4], std::uint32_t a_low, std::uint32_t a_high, std::uint32_t b) {
  float* sums[] = {&c[0], &c[1], &c[2], &c[3]};
  emulator::multiply_add<Element::fp16, 2, 1>(sums, {a_low, a_high}, {b});
}

inline void multiply_8x8x16(int& c0, int& c1, std::uint32_t a, std::uint32_t b) {
  int* sums[] = {&c0, &c1};
  emulator::multiply_add<Element::int8, 1, 1>(sums, {a}, {b});
}

}  // namespace gpugauge::kernels::peak
