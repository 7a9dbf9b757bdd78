// What was found on a machine: one item a fact, each with the file it came from and the way it was found.
// The keys are documented in docs/inventory.md, which is the contract between who collects and who reasons.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stack/tree.hpp"

namespace gpugauge::stack {

/// One fact. "It is not there" and "it may not be read" are different answers, and so is "it does not say".
struct Item {
  std::string key;  ///< dotted, lower case: "driver.kernel_module_version", "gpu.0.uuid"
  /// Which of the three answers it is; what was not looked for has no item.
  Presence presence = Presence::present;
  std::string value;   ///< "" unless present
  std::string source;  ///< path on the inspected machine, "nvml", "environment"; where it was looked for
  std::string how;     ///< in a few words: "file name", "dpkg status", "nvmlDeviceGetUUID"
  std::string needs;   ///< where unreadable: what permission it would take: "root", "group adm"

  bool operator==(const Item&) const = default;  ///< member by member
};

/// Items in the order in which they were found, each key once.
class Inventory {
 public:
  /// Adds an item; a later item of the same key replaces the earlier one in its place.
  void add(Item item);
  /// Short forms for the three answers.
  void present(std::string key, std::string value, std::string source, std::string how = "");
  /// `source`: where it was looked for.
  void absent(std::string key, std::string source, std::string how = "");
  /// `needs`: what permission it would take, as Item::needs.
  void unreadable(std::string key, std::string source, std::string needs, std::string how = "");

  /// nullptr where nothing of that key was looked for.
  const Item* find(std::string_view key) const;
  bool has(std::string_view key) const;           ///< looked for, and present
  std::string value(std::string_view key) const;  ///< "" unless present
  bool unreadable(std::string_view key) const;    ///< looked for, and refused
  /// Names directly below a prefix, in order of discovery, each once: children("gpu") -> {"0", "1"}.
  std::vector<std::string> children(std::string_view prefix) const;
  /// In the order in which their keys were first added.
  const std::vector<Item>& items() const { return items_; }

  /// The same items in the same order.
  bool operator==(const Inventory& other) const { return items_ == other.items_; }

 private:
  std::vector<Item> items_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// JSON object {"schema": "gpugauge.inventory/1", "items": [...]} (docs/schema/inventory.schema.json), one
/// item a line or all on one line without an end, and back. What is no UTF-8 is replaced. Reading throws
/// result::FormatError, naming the place; an unknown or repeated key is refused.
std::string to_json(const Inventory& inventory);
std::string to_json_line(const Inventory& inventory);    ///< as above, on one line without an end
Inventory inventory_from_json(const std::string& text);  ///< as above

}  // namespace gpugauge::stack
