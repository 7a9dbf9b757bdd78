// Two inventories side by side: only what differs, most consequential first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// How much a difference can matter, most first; also the headings of the listing.
enum class Consequence { driver, gpu, cuda, library, framework, host, setting, identity, noise };
/// The heading: "driver", "settings and packages", "which one it is".
const char* to_string(Consequence consequence);

/// One key that does not have the same answer on both sides.
struct Difference {
  std::string key;    ///< of docs/inventory.md; entries of a list that has no fixed order stand under their
                      ///< path: "toolkit[/usr/local/cuda-12.8].version"
  std::string left;   ///< value, "absent", "unreadable ...", or "not looked for"
  std::string right;  ///< likewise
  Consequence consequence = Consequence::noise;  ///< the heading that it stands under

  bool operator==(const Difference&) const = default;  ///< member by member
};

/// True where a missing item means that the thing is not there: entries of a list and named things (a
/// library, a wheel, a GPU) have items only where they are. Of any other key, nobody looked.
bool absent_when_missing(std::string_view key);

/// Sorted by consequence, within it as the left inventory has it, what only the right one has last. Left out
/// is what differs between any two looks at one machine: temperatures, performance states, times, and
/// collected.*.
std::vector<Difference> diff(const Inventory& left, const Inventory& right);

}  // namespace gpugauge::stack
