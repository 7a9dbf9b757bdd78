// More of what kernels call: shuffles of floats and upward, votes, atomic operations. Behind emulator.hpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "emulator.hpp"
#include "kernels/support/bf16.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's own names
// Floats travel as their bits.
inline float __shfl_xor_sync(unsigned, float value, int mask) {
  const auto all = emulator::exchange(gpugauge::kernels::bits_of(value));
  return gpugauge::kernels::float_of(
      static_cast<std::uint32_t>(all[static_cast<std::size_t>(emulator::lane ^ mask)]));
}

template <typename T>
T __shfl_up_sync(unsigned, T value, unsigned offset) {
  const int from = emulator::lane - static_cast<int>(offset);
  return static_cast<T>(
      emulator::exchange(value)[static_cast<std::size_t>(from >= 0 ? from : emulator::lane)]);
}

template <typename T>
T __shfl_sync(unsigned, T value, int from) {
  return static_cast<T>(emulator::exchange(value)[static_cast<std::size_t>(from)]);
}

inline unsigned __ballot_sync(unsigned, bool vote) {
  const auto all = emulator::exchange(vote ? 1 : 0);
  unsigned votes = 0;
  for (std::size_t i = 0; i < 32; ++i) votes |= static_cast<unsigned>(all[i]) << i;
  return votes;
}

inline bool __any_sync(unsigned mask, bool vote) {
  return __ballot_sync(mask, vote) != 0;
}

inline int __ffs(int value) {
  return __builtin_ffs(value);
}

inline void __threadfence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
// NOLINTEND(bugprone-reserved-identifier)

template <typename T>
T atomicAdd(T* to, T value) {
  return std::atomic_ref<T>(*to).fetch_add(value);
}

inline unsigned atomicInc(unsigned* to, unsigned most) {
  std::atomic_ref<unsigned> word(*to);
  unsigned before = word.load();
  while (!word.compare_exchange_weak(before, before >= most ? 0 : before + 1)) {
  }
  return before;
}
