// Names of what a site may have set on purpose.
#pragma once

#include <array>
#include <string_view>

namespace gpugauge::judge {

/// Names of the physical verdicts that may have Verdict::may_be_meant: what a power cap, locked clocks or a
/// narrow slot explain. An entry of a policy may name them.
inline constexpr std::array<std::string_view, 5> site_settings{
    "clocks/memory", "clocks/sm", "clocks/sm_products", "link/pcie", "power/limit"};

}  // namespace gpugauge::judge
