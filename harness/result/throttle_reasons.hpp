// NVML's reasons why a clock is below its maximum.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gpugauge::result {

/// The word for each bit of NVML's throttle (event) reasons, from bit 0 on; higher bits have no word.
inline constexpr std::array<std::string_view, 9> throttle_reasons{
    "idle",       "applications_clocks", "sw_power_cap",   "hw_slowdown",  "sync_boost",
    "sw_thermal", "hw_thermal",          "hw_power_brake", "display_clock"};

/// Whether a mask of reasons, as telemetry holds it in a double, has this bit. False for what is no mask: NVML's
/// has 64 bits, uses nine, and a double holds whole numbers up to 1e15 exactly.
inline bool has_throttle_reason(double mask, std::size_t bit) {
  constexpr double most = 1e15;
  return mask >= 0 && mask < most && (static_cast<unsigned long long>(mask) >> bit & 1U) != 0;
}

}  // namespace gpugauge::result
