// Number of steps of a chase, chosen so that a kernel that does nothing is detected. Plain C++.
#pragma once

#include <cstdint>

namespace gpugauge::bench::memory {

// Steps per launch, for a launch of some milliseconds. Cycles are powers of two and these are odd, so no
// launch ends where it began. It would, if the steps were a multiple of the cycle.
inline constexpr std::uint32_t l1_steps = (1U << 18) - 1;
inline constexpr std::uint32_t l2_steps = (1U << 14) - 1;
inline constexpr std::uint32_t dram_steps = (1U << 12) - 1;
inline constexpr std::uint32_t tlb_steps = (1U << 13) - 1;

/// Extra steps to take after `steps` before the end of a chase over a cycle of `lines` lines, 2 or more, is
/// checked. After whole turns the chase is at its start, and so is one that never moved.
constexpr std::uint32_t further_steps(std::uint64_t steps, std::uint64_t lines) {
  return steps % lines == 0 ? 1 : 0;
}

}  // namespace gpugauge::bench::memory
