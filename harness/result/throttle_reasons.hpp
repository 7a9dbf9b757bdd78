// NVML's reasons why a clock is below its maximum.
#pragma once

#include <array>
#include <string_view>

namespace gpugauge::result {

/// The word for each bit of NVML's throttle (event) reasons, from bit 0 on; higher bits have no word.
inline constexpr std::array<std::string_view, 9> throttle_reasons{
    "idle",       "applications_clocks", "sw_power_cap",   "hw_slowdown",  "sync_boost",
    "sw_thermal", "hw_thermal",          "hw_power_brake", "display_clock"};

}  // namespace gpugauge::result
