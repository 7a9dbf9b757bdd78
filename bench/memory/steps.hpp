// How many steps a chase makes, so that a kernel that does nothing is found out. Plain C++.
#pragma once

#include <cstdint>

namespace gpugauge::bench::memory {

// Steps of one launch: some milliseconds. Cycles are powers of two, and these are odd: no launch ends where
// it began, as every one would whose steps are a multiple of its cycle.
inline constexpr std::uint32_t l1_steps = (1U << 18) - 1;
inline constexpr std::uint32_t l2_steps = (1U << 14) - 1;
inline constexpr std::uint32_t dram_steps = (1U << 12) - 1;
inline constexpr std::uint32_t tlb_steps = (1U << 13) - 1;

/// Steps to follow beyond `steps` before the end of a chase over a cycle of `lines` lines, 2 or more, is held
/// against its place: after whole turns it stands at its start, and so does one that never moved.
constexpr std::uint32_t further_steps(std::uint64_t steps, std::uint64_t lines) {
  return steps % lines == 0 ? 1 : 0;
}

}  // namespace gpugauge::bench::memory
