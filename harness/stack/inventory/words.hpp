// Words in an item's `how` and `needs` that rules search for: an inventory file has no other sign of what they
// say.
#pragma once

#include <string_view>

namespace gpugauge::stack {

/// How Item::how of "toolkit.by.*" ends where a variable is set and leads to no toolkit.
inline constexpr std::string_view leads_to_no_toolkit = " is no toolkit";

/// How Item::needs begins where the host would show what a container or a guest does not.
inline constexpr std::string_view look_from_the_host = "a look from the host";

}  // namespace gpugauge::stack
