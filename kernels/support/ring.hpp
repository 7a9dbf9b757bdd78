// A ring of shared-memory stages between a producer and consumers. Each stage has two mbarriers: full (the
// producer's bytes have arrived) and empty (every consumer has released the stage).
#pragma once

#include <cstdint>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels {

/// Position of a producer or a consumer in the ring. Fill number i uses slot i % stages, and is phase i /
/// stages of that slot's mbarriers. A wait names a phase by its parity and passes when that phase has ended.
struct RingPosition {
  /// i % stages.
  std::uint32_t slot = 0;
  std::uint32_t round_parity = 0;  ///< (i / stages) % 2

  /// Advances to the next fill; `stages` >= 1, the same at every call.
  GPUGAUGE_HOST_DEVICE constexpr void advance(std::uint32_t stages) {
    if (++slot == stages) {
      slot = 0;
      round_parity ^= 1U;
    }
  }
  /// Parity that a consumer waits for: the phase of `full` that its own fill ends.
  GPUGAUGE_HOST_DEVICE constexpr std::uint32_t full_parity() const { return round_parity; }
  /// Parity that the producer waits for: the phase of `empty` that the previous fill of this slot ended. The
  /// first round has no previous fill; a new mbarrier passes for the parity of the phase before its first.
  GPUGAUGE_HOST_DEVICE constexpr std::uint32_t empty_parity() const { return round_parity ^ 1U; }
};

}  // namespace gpugauge::kernels
