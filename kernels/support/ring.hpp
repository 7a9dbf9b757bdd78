// A ring of shared-memory stages between a producer and consumers, each stage with two barriers: full (the
// producer's bytes have arrived) and empty (every consumer has let go of it).
#pragma once

#include <cstdint>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels {

/// Where a producer or a consumer stands: fill number i goes through slot i % stages, and it is the (i /
/// stages)-th phase of that slot's barriers. A wait names a phase by its parity and passes when that phase
/// has ended.
struct RingPosition {
  /// i % stages.
  std::uint32_t slot = 0;
  std::uint32_t round_parity = 0;  ///< (i / stages) % 2

  /// To the next fill; `stages` >= 1, the same at every call.
  GPUGAUGE_HOST_DEVICE constexpr void advance(std::uint32_t stages) {
    if (++slot == stages) {
      slot = 0;
      round_parity ^= 1U;
    }
  }
  /// A consumer waits for the phase of `full` that its own fill ends.
  GPUGAUGE_HOST_DEVICE constexpr std::uint32_t full_parity() const { return round_parity; }
  /// The producer waits for the phase of `empty` that the fill before in this slot ended. In the first round
  /// there was none: a new barrier passes for the parity of the phase before its first.
  GPUGAUGE_HOST_DEVICE constexpr std::uint32_t empty_parity() const { return round_parity ^ 1U; }
};

}  // namespace gpugauge::kernels
