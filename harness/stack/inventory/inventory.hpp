// The facts found on a machine: each item names its source and the method. docs/inventory.md documents the
// keys; it is the contract between collectors and rules.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stack/tree.hpp"

namespace gpugauge::stack {

/// One fact. "Absent", "unreadable" and "does not say" are different answers.
struct Item {
  std::string key;  ///< dotted, lower case: "driver.kernel_module_version", "gpu.0.uuid"
  /// present, absent or unreadable; nothing looked for means no item.
  Presence presence = Presence::present;
  std::string value;  ///< "" unless present
  /// Path on the inspected machine, "nvml", "environment"; also where an absent item was looked for.
  std::string source;
  std::string how;    ///< method in a few words: "file name", "dpkg status", "nvmlDeviceGetUUID"
  std::string needs;  ///< if unreadable: the permission needed: "root", "group adm"

  bool operator==(const Item&) const = default;  ///< member by member
};

/// Items in order of discovery; each key once.
class Inventory {
 public:
  /// Adds an item, or replaces the item with the same key in its place.
  void add(Item item);
  /// Adds a present item.
  void present(std::string key, std::string value, std::string source, std::string how = "");
  /// Adds an absent item. `source`: where it was looked for.
  void absent(std::string key, std::string source, std::string how = "");
  /// Adds an unreadable item. `needs`: the permission needed, as Item::needs.
  void unreadable(std::string key, std::string source, std::string needs, std::string how = "");

  /// nullptr if nobody looked for that key.
  const Item* find(std::string_view key) const;
  bool has(std::string_view key) const;           ///< looked for and present
  std::string value(std::string_view key) const;  ///< "" unless present
  bool unreadable(std::string_view key) const;    ///< looked for and refused
  /// Names directly below a prefix, in order of discovery, each once: children("gpu") -> {"0", "1"}.
  std::vector<std::string> children(std::string_view prefix) const;
  /// In the order in which their keys were first added.
  const std::vector<Item>& items() const { return items_; }

  /// True for the same items in the same order.
  bool operator==(const Inventory& other) const { return items_ == other.items_; }

 private:
  std::vector<Item> items_;
  std::unordered_map<std::string, std::size_t> index_;
};

inline constexpr std::string_view inventory_schema = "gpugauge.inventory/1";  ///< what its "schema" must be

/// JSON object {"schema": inventory_schema, "items": [...]} (docs/schema/inventory.schema.json), one
/// item per line. Replaces invalid UTF-8.
std::string to_json(const Inventory& inventory);
std::string to_json_line(const Inventory& inventory);  ///< to_json() on one line, without a line end
/// Throws result::FormatError, naming the place; refuses unknown and repeated keys.
Inventory inventory_from_json(const std::string& text);

}  // namespace gpugauge::stack
