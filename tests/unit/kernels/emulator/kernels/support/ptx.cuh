// The functions of kernels/support/ptx.cuh as the PTX ISA describes the instructions, on the host.
#pragma once

#include <set>

#include <gtest/gtest.h>

#include "emulator.hpp"
#include "kernels/support/bf16.hpp"
#include "kernels/support/small_float.hpp"

namespace emulator {

/// When an asynchronous copy lands: as early or as late as the instructions allow. What is right under both
/// does not depend on the time in between.
enum class Arrival { early, late };
inline Arrival arrival = Arrival::early;

alignas(128) inline std::array<unsigned char, std::size_t{100} * 1024> shared{};

struct Copy {
  std::uint32_t to;
  const void* from;
  bool valid;
};

inline void land(const Copy& copy) {
  if (copy.valid)
    std::memcpy(&shared[copy.to], copy.from, 16);
  else
    std::memset(&shared[copy.to], 0, 16);
}

inline thread_local std::vector<std::vector<Copy>> groups;
inline thread_local std::vector<Copy> open_group;

/// Eight lanes read or write 16 bytes each in one pass, without a bank conflict when they touch each of the
/// eight 16-byte columns of the banks once. Lanes that touch the same address share it.
inline std::size_t columns_of_phase(const std::array<std::uint64_t, 32>& addresses, std::size_t phase) {
  std::set<std::uint64_t> columns;
  for (std::size_t i = 0; i < 8; ++i) columns.insert(addresses[phase * 8 + i] / 16 % 8);
  return columns.size();
}

inline void expect_no_bank_conflict(std::uint32_t address) {
  const auto addresses = exchange(address);
  if (lane != 0) return;
  for (std::size_t phase = 0; phase < 4; ++phase) EXPECT_EQ(columns_of_phase(addresses, phase), 8U);
}

inline std::uint32_t pair_at(std::uint64_t row, std::size_t index) {
  std::uint32_t value = 0;
  std::memcpy(&value, &shared[row + index * 4], sizeof value);
  return value;
}

inline std::uint16_t element_at(std::uint64_t row, std::size_t index) {
  std::uint16_t value = 0;
  std::memcpy(&value, &shared[row + index * 2], sizeof value);
  return value;
}

/// One of the two elements of a register.
template <typename T>
float half_of(std::uint32_t pair, bool upper) {
  return gpugauge::kernels::to_float(T{static_cast<std::uint16_t>(upper ? pair >> 16 : pair & 0xffffU)});
}

}  // namespace emulator

namespace gpugauge::kernels::ptx {

inline std::uint32_t dynamic_shared() {
  return 0;
}

inline void copy_async_16(std::uint32_t to, const void* from, bool valid) {
  emulator::expect_no_bank_conflict(to);
  const emulator::Copy copy{to, from, valid};
  if (emulator::arrival == emulator::Arrival::early)
    emulator::land(copy);
  else
    emulator::open_group.push_back(copy);
}

inline void copy_async_commit() {
  emulator::groups.push_back(std::move(emulator::open_group));
  emulator::open_group.clear();
}

template <int Pending>
void copy_async_wait() {
  while (emulator::groups.size() > Pending) {
    for (const emulator::Copy& copy : emulator::groups.front()) emulator::land(copy);
    emulator::groups.erase(emulator::groups.begin());
  }
}

inline void load_matrices(std::uint32_t (&to)[4], std::uint32_t row) {
  emulator::expect_no_bank_conflict(row);
  const auto rows = emulator::exchange(row);
  const auto lane = static_cast<std::size_t>(emulator::lane);
  for (std::size_t matrix = 0; matrix < 4; ++matrix)
    to[matrix] = emulator::pair_at(rows[matrix * 8 + lane / 4], lane % 4);
}

inline void load_matrices_transposed(std::uint32_t (&to)[4], std::uint32_t row) {
  emulator::expect_no_bank_conflict(row);
  const auto rows = emulator::exchange(row);
  const auto lane = static_cast<std::size_t>(emulator::lane);
  for (std::size_t matrix = 0; matrix < 4; ++matrix) {
    const std::uint32_t first = emulator::element_at(rows[matrix * 8 + lane % 4 * 2], lane / 4);
    const std::uint32_t second = emulator::element_at(rows[matrix * 8 + lane % 4 * 2 + 1], lane / 4);
    to[matrix] = first | second << 16;
  }
}

template <typename In>
void mma_16x8x16_of(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  emulator::Warp& warp = *emulator::warp;
  const auto lane = static_cast<std::size_t>(emulator::lane);
  warp.registers[lane] = {a[0], a[1], a[2], a[3], b0, b1};
  warp.barrier.arrive_and_wait();
  // a0..a3 hold rows g, g+8, g, g+8 and k 2q, 2q, 2q+8, 2q+8; b0, b1 hold k 2q, 2q+8 of column g (PTX ISA,
  // matrix fragments of mma.m16n8k16 with 16-bit floats).
  const auto a_at = [&](std::size_t row, std::size_t k) {
    const std::uint32_t pair = warp.registers[row % 8 * 4 + k % 8 / 2][row / 8 + k / 8 * 2];
    return emulator::half_of<In>(pair, k % 2 != 0);
  };
  const auto b_at = [&](std::size_t k, std::size_t column) {
    const std::uint32_t pair = warp.registers[column * 4 + k % 8 / 2][4 + k / 8];
    return emulator::half_of<In>(pair, k % 2 != 0);
  };
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t row = lane / 4 + i / 2 * 8;
    const std::size_t column = lane % 4 * 2 + i % 2;
    for (std::size_t k = 0; k < 16; ++k) c[i] += a_at(row, k) * b_at(k, column);
  }
  warp.barrier.arrive_and_wait();
}

inline void mma_bf16_16x8x16(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  mma_16x8x16_of<Bf16>(c, a, b0, b1);
}

inline void mma_fp16_16x8x16(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  mma_16x8x16_of<Fp16>(c, a, b0, b1);
}

inline std::uint32_t pack_bf16(float first, float second) {
  return to_bf16(first).bits | static_cast<std::uint32_t>(to_bf16(second).bits) << 16;
}

inline std::uint32_t pack_fp16(float first, float second) {
  return to_fp16(first).bits | static_cast<std::uint32_t>(to_fp16(second).bits) << 16;
}

}  // namespace gpugauge::kernels::ptx
