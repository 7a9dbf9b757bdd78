// The functions of kernels/support/tile_state.cuh on the host.
#pragma once

#include <atomic>

#include "emulator.hpp"

namespace gpugauge::kernels {

inline unsigned long long load_relaxed(const unsigned long long* from) {
  return std::atomic_ref<unsigned long long>(*const_cast<unsigned long long*>(from))
      .load(std::memory_order_relaxed);
}

inline void store_relaxed(unsigned long long* to, unsigned long long value) {
  std::atomic_ref<unsigned long long>(*to).store(value, std::memory_order_relaxed);
}

}  // namespace gpugauge::kernels
