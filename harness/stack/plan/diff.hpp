// Differences between two inventories, most important first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// How important a difference can be, most important first; also the headings of the list.
enum class Consequence { driver, gpu, cuda, library, framework, host, setting, identity, noise };
/// The heading: "driver", "settings and packages", "which one it is".
const char* to_string(Consequence consequence);

/// One key with different answers on the two sides.
struct Difference {
  /// From docs/inventory.md. Entries of a list without a fixed order appear under their path:
  /// "toolkit[/usr/local/cuda-12.8].version".
  std::string key;
  std::string left;                              ///< value, "absent", "unreadable ...", or "not looked for"
  std::string right;                             ///< as left
  Consequence consequence = Consequence::noise;  ///< the heading it appears under
  /// What `left` is: a value, or one of these words; nullopt: not looked for.
  std::optional<Presence> left_presence = Presence::present;
  std::optional<Presence> right_presence = Presence::present;  ///< as left_presence

  bool operator==(const Difference&) const = default;  ///< member by member
};

/// True if a missing item means that the thing is absent: list entries and named things (a library, a wheel,
/// a GPU) have items only if they exist. For other keys it means that nobody looked.
bool absent_when_missing(std::string_view key);

/// Sorted by consequence, then in the left inventory's order; keys only in the right one come last. Leaves
/// out what differs between any two looks at one machine: temperatures, performance states, times, and
/// collected.*.
std::vector<Difference> diff(const Inventory& left, const Inventory& right);

}  // namespace gpugauge::stack
