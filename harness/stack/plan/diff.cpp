// Compares two inventories key by key and ranks the differences.
#include "stack/plan/diff.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

namespace gpugauge::stack {
namespace {

struct Rule {
  const char* pattern;  // parts between dots; "*" is any one part, "**" at the end any rest
  Consequence consequence;
};

// The first match counts.
constexpr std::array rules{
    Rule{"gpu.*.uuid", Consequence::identity},
    Rule{"gpu.*.serial", Consequence::identity},
    Rule{"gpu.*.pci", Consequence::identity},
    Rule{"gpu.*.board_part", Consequence::identity},
    Rule{"gpu.*.throttle_reasons", Consequence::noise},
    Rule{"gpu.*.pcie_generation", Consequence::noise},
    Rule{"gpu.*.pcie_width", Consequence::noise},
    Rule{"gpu.*.processes", Consequence::noise},
    Rule{"gpu.*.process.**", Consequence::noise},
    Rule{"gpu.*.persistence", Consequence::setting},
    Rule{"gpu.*.compute_mode", Consequence::setting},
    Rule{"gpu.**", Consequence::gpu},
    Rule{"pci.**", Consequence::gpu},
    Rule{"nvml.devices", Consequence::gpu},
    Rule{"cuda.devices", Consequence::gpu},
    Rule{"driver.history.**", Consequence::noise},
    Rule{"driver.device_nodes", Consequence::setting},
    Rule{"driver.**", Consequence::driver},
    Rule{"driver_child.**", Consequence::driver},
    Rule{"cuda.init.**", Consequence::driver},
    Rule{"cuda.jit_cache", Consequence::setting},
    Rule{"nvml.**", Consequence::driver},
    Rule{"fabric_manager.**", Consequence::driver},
    Rule{"topology.**", Consequence::driver},
    Rule{"vgpu.**", Consequence::driver},
    Rule{"toolkit.**", Consequence::cuda},
    Rule{"forward_compat.**", Consequence::cuda},
    Rule{"host_compiler.**", Consequence::cuda},
    Rule{"library.**", Consequence::library},
    Rule{"process.library.**", Consequence::library},
    Rule{"framework.**", Consequence::framework},
    Rule{"python.**", Consequence::framework},
    Rule{"wheel.**", Consequence::framework},
    Rule{"package.**", Consequence::setting},
    Rule{"packages.**", Consequence::setting},
    Rule{"env.**", Consequence::setting},
    Rule{"process.env.**", Consequence::setting},
    Rule{"file.**", Consequence::setting},
    Rule{"process.**", Consequence::identity},
    Rule{"kernel_log.**", Consequence::noise},
    Rule{"kernel.**", Consequence::host},
    Rule{"container.**", Consequence::host},
    Rule{"host.infiniband.*.pci", Consequence::identity},
    Rule{"host.infiniband.*.interface", Consequence::identity},
    Rule{"host.**", Consequence::host},
};

// A table's statement on a driver's branch is no fact of the machine.
constexpr std::array left_out{"host.infiniband.*.link_downed",
                              "host.infiniband.*.symbol_errors",
                              "collected.**",
                              "cuda.init.seconds",
                              "gpu.*.temperature_c",
                              "driver_branch.**",
                              "gpu.*.pstate",
                              "gpu.*.pcie_sampled",
                              "process.pid",
                              "package.*.name"};

std::string_view take_part(std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find('.'));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

bool fits(std::string_view pattern, std::string_view key) {
  while (!pattern.empty()) {
    const std::string_view wanted = take_part(pattern);
    if (wanted == "**") return true;
    if (key.empty()) return false;
    const std::string_view part = take_part(key);
    if (wanted != "*" && wanted != part) return false;
  }
  return key.empty();
}

bool is_index(std::string_view part) {
  return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
}

/// True for lists whose order means nothing across machines: their entries are compared by path. A library's
/// first copy stays "0", because it is the loader's pick.
bool listed_by_path(std::string_view prefix, std::string_view index) {
  if (prefix == "toolkit" || prefix == "forward_compat" || prefix == "process.library") return true;
  return (prefix.starts_with("library.") || prefix == "driver.libcuda") && index != "0";
}

/// The key under which both sides are compared.
std::string comparable(const Inventory& inventory, const Item& item) {
  const std::string_view key = item.key;
  if (key.starts_with("driver.history.") || key.starts_with("kernel_log.xid.") ||
      key.starts_with("kernel_log.sxid.") || key.starts_with("kernel_log.nvrm.")) {
    const auto dot = key.rfind('.');
    if (is_index(key.substr(dot + 1))) return fmt::format("{}[{}]", key.substr(0, dot), item.value);
  }
  const auto last = key.rfind('.');
  if (last == std::string_view::npos || last == 0) return item.key;
  const auto before = key.rfind('.', last - 1);
  if (before == std::string_view::npos) return item.key;
  const std::string_view index = key.substr(before + 1, last - before - 1);
  const std::string_view prefix = key.substr(0, before);
  if (!is_index(index) || !listed_by_path(prefix, index)) return item.key;
  const std::string path = inventory.value(fmt::format("{}.{}.path", prefix, index));
  if (path.empty()) return item.key;
  return fmt::format("{}[{}]{}", prefix, path, key.substr(last));
}

/// The answer of one side; `item` is nullptr where it has none.
std::optional<Presence> presence_of(const Item* item, std::string_view key) {
  if (item != nullptr) return item->presence;
  return absent_when_missing(key) ? std::optional(Presence::absent) : std::nullopt;
}

std::string answer(const Item* item, std::string_view key) {
  const std::optional<Presence> presence = presence_of(item, key);
  if (!presence) return "not looked for";
  switch (*presence) {
    case Presence::present:
      return item->value.empty() ? "(empty)" : item->value;
    case Presence::absent:
      return "absent";
    case Presence::unreadable:
      break;
  }
  return item->needs.empty() ? "unreadable" : "unreadable (it takes " + item->needs + ")";
}

bool is_left_out(std::string_view key) {
  return std::any_of(left_out.begin(), left_out.end(),
                     [&](std::string_view pattern) { return fits(pattern, key); });
}

Consequence consequence_of(std::string_view key) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return fits(rule.pattern, key); });
  return found == rules.end() ? Consequence::noise : found->consequence;
}

struct Side {
  struct Entry {
    std::string key;
    const Item* item;
  };
  std::vector<Entry> entries;
  std::unordered_map<std::string, const Item*> index;

  explicit Side(const Inventory& inventory) {
    for (const Item& item : inventory.items()) {
      if (is_left_out(item.key)) continue;
      std::string key = comparable(inventory, item);
      if (key.ends_with("].path") &&
          inventory.find(item.key.substr(0, item.key.size() - 4) + "version") != nullptr)
        continue;  // the version's key already holds the path
      if (index.emplace(key, &item).second) entries.push_back({std::move(key), &item});
    }
  }
  const Item* find(const std::string& key) const {
    const auto found = index.find(key);
    return found == index.end() ? nullptr : found->second;
  }
};

/// Compares two answers. Absent and not looked for count as equal.
bool same(const Item* a, const Item* b) {
  if (a == nullptr) return b->presence == Presence::absent;
  if (b == nullptr) return a->presence == Presence::absent;
  return a->presence == b->presence && a->value == b->value;
}

}  // namespace

const char* to_string(Consequence consequence) {
  switch (consequence) {
    case Consequence::driver:
      return "driver";
    case Consequence::gpu:
      return "GPU";
    case Consequence::cuda:
      return "CUDA";
    case Consequence::library:
      return "libraries";
    case Consequence::framework:
      return "frameworks";
    case Consequence::host:
      return "host";
    case Consequence::setting:
      return "settings and packages";
    case Consequence::identity:
      return "which one it is";
    case Consequence::noise:
      break;
  }
  return "passing states";
}

bool absent_when_missing(std::string_view key) {
  if (key.find('[') != std::string_view::npos) return true;
  for (const std::string_view list :
       {"env.", "framework.", "host.infiniband.", "library.", "package.", "process.", "wheel."}) {
    if (key.starts_with(list)) return true;
  }
  while (!key.empty()) {
    if (is_index(take_part(key))) return true;
  }
  return false;
}

std::vector<Difference> diff(const Inventory& left, const Inventory& right) {
  const Side a(left);
  const Side b(right);
  std::vector<Difference> differences;
  const auto add = [&](const std::string& key, const Item* one, const Item* other) {
    if (same(one, other)) return;
    // Entries named by path keep the consequence of the plain key.
    const Item* item = one != nullptr ? one : other;
    differences.push_back({key, answer(one, key), answer(other, key), consequence_of(item->key),
                           presence_of(one, key), presence_of(other, key)});
  };
  for (const Side::Entry& entry : a.entries) add(entry.key, entry.item, b.find(entry.key));
  for (const Side::Entry& entry : b.entries) {
    if (a.find(entry.key) == nullptr) add(entry.key, nullptr, entry.item);
  }
  std::stable_sort(
      differences.begin(), differences.end(),
      [](const Difference& one, const Difference& other) { return one.consequence < other.consequence; });
  return differences;
}

}  // namespace gpugauge::stack
