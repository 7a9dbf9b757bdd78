#include "stack/inventory/inventory.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "result/text.hpp"

namespace gpugauge::stack {
namespace {

/// Files of the kernel may end in zero bytes.
constexpr std::string_view blanks_and_zeros("\0 \t\r\n\v\f", 7);

}  // namespace

void Inventory::add(Item item) {
  const auto [entry, added] = index_.try_emplace(item.key, items_.size());
  if (added) {
    items_.push_back(std::move(item));
  } else {
    items_[entry->second] = std::move(item);
  }
}

void Inventory::present(std::string key, std::string value, std::string source, std::string how) {
  value = std::string(result::stripped(value, blanks_and_zeros));
  add({std::move(key), Presence::present, std::move(value), std::move(source), std::move(how), ""});
}

void Inventory::absent(std::string key, std::string source, std::string how) {
  add({std::move(key), Presence::absent, "", std::move(source), std::move(how), ""});
}

void Inventory::unreadable(std::string key, std::string source, std::string needs, std::string how) {
  add({std::move(key), Presence::unreadable, "", std::move(source), std::move(how), std::move(needs)});
}

const Item* Inventory::find(std::string_view key) const {
  const auto found = index_.find(std::string(key));
  return found == index_.end() ? nullptr : &items_[found->second];
}

bool Inventory::has(std::string_view key) const {
  const Item* const item = find(key);
  return item != nullptr && item->presence == Presence::present;
}

std::string Inventory::value(std::string_view key) const {
  const Item* const item = find(key);
  return item != nullptr && item->presence == Presence::present ? item->value : "";
}

bool Inventory::unreadable(std::string_view key) const {
  const Item* const item = find(key);
  return item != nullptr && item->presence == Presence::unreadable;
}

std::vector<std::string> Inventory::children(std::string_view prefix) const {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const Item& item : items_) {
    const std::string_view key = item.key;
    if (key.size() <= prefix.size() + 1 || !key.starts_with(prefix) || key[prefix.size()] != '.') continue;
    const std::string_view rest = key.substr(prefix.size() + 1);
    std::string name(rest.substr(0, rest.find('.')));
    if (!name.empty() && seen.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace gpugauge::stack
