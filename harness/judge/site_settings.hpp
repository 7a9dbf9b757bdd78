// What a site may have set on purpose, and a fault looks like.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace gpugauge::judge {

/// Names of physical verdicts that a power cap, locked clocks or a narrow slot explain. A policy may call them
/// advisory where they are inconclusive; what has failed counts.
inline constexpr std::array<std::string_view, 6> site_settings{
    "clocks/memory", "clocks/sm", "clocks/sm_products", "clocks/throttled", "link/pcie", "power/limit"};

/// True for one of site_settings.
inline bool is_site_setting(std::string_view name) {
  return std::find(site_settings.begin(), site_settings.end(), name) != site_settings.end();
}

}  // namespace gpugauge::judge
