// Runs one collector on a fake machine.
#pragma once

#include <string>
#include <vector>

#include "stack/inventory/collect.hpp"
#include "unit/stack/fake_tree.hpp"

namespace gpugauge::stack {

using Collector = void (*)(const Context&, Inventory&);

inline Inventory collected(const FakeTree& tree, Collector collector, const Environment& environment = {},
                           const std::string& python = "") {
  Context context{Tree(tree.root()), environment, python, std::nullopt, false, 20, {}};
  Inventory inventory;
  collector(context, inventory);
  return inventory;
}

inline bool is_absent(const Inventory& inventory, const std::string& key) {
  const Item* const item = inventory.find(key);
  return item != nullptr && item->presence == Presence::absent;
}

inline std::string how(const Inventory& inventory, const std::string& key) {
  const Item* const item = inventory.find(key);
  return item == nullptr ? "" : item->how;
}

}  // namespace gpugauge::stack
