// Makes locks from inventories and compares nodes with them.
#include "stack/plan/lock.hpp"

#include <algorithm>
#include <array>
#include <compare>

#include <fmt/format.h>

#include "stack/inventory/from_run.hpp"
#include "stack/plan/diff.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {
namespace {

// In reading order. "*" stands for one part of a key. Only the first copy of a library is pinned; the others
// are the loader's second choice.
constexpr std::array pinned_facts{
    "driver.version",
    "driver.kernel_module_version",
    "driver.kernel_module_kind",
    "driver.libcuda_version",
    "driver.libcuda_kind",
    "driver.libnvml_version",
    "driver.cuda_max",
    "driver.gsp",
    "driver.confidential_computing",
    "fabric_manager.version",
    "vgpu.version",
    "gpu.count",
    "gpu.*.name",
    "gpu.*.compute_capability",
    "gpu.*.memory_mib",
    "gpu.*.vbios",
    "gpu.*.ecc",
    "gpu.*.mig",
    "gpu.*.persistence",
    "gpu.*.compute_mode",
    "gpu.*.power_limit_watt",
    "gpu.*.nvlinks_active",
    "toolkit.selected.version",
    "forward_compat.in_use",
    "library.*.0.version",
    "python.version",
    "framework.*.version",
    "framework.*.build",
    "framework.*.cuda",
    "framework.*.cudnn",
    "framework.*.nccl",
    "wheel.*.version",
    "container.toolkit_version",
    "kernel.version",
    "host.distribution",
    "host.libc",
    "host.iommu",
    "host.governor",
    "host.infiniband.*.state",
    "host.infiniband.*.rate",
    "host.infiniband.*.mtu",
    "host.infiniband.*.firmware",
};

void add(Lock& lock, const Inventory& inventory, const std::string& key) {
  const auto item = lock_value(inventory, key);
  // A version that could not be read cannot be pinned.
  if (item && item->presence == Presence::present && !item->value.empty() && item->value != "unknown")
    lock.fields.push_back({key, item->value, Match::exact, ""});
}

/// A card's virtual functions come and go with the containers and virtual machines that they are given to.
bool comes_and_goes(const Inventory& inventory, const std::string& prefix, const std::string& child) {
  return prefix == "host.infiniband" &&
         inventory.value(fmt::format("{}.{}.virtual_function", prefix, child)) == "yes";
}

}  // namespace

const char* to_string(Match match) {
  switch (match) {
    case Match::exact:
      return "exact";
    case Match::range:
      return "range";
    case Match::ignore:
      break;
  }
  return "ignore";
}

const char* to_string(DriftKind kind) {
  switch (kind) {
    case DriftKind::differs:
      return "differs";
    case DriftKind::absent:
      return "absent";
    case DriftKind::unreadable:
      return "unreadable";
    case DriftKind::not_looked_for:
      break;
  }
  return "not looked for";
}

std::optional<VersionBounds> VersionBounds::parse(std::string_view text) {
  static constexpr std::array<std::string_view, 6> relations{">=", "<=", "!=", ">", "<", "="};
  VersionBounds bounds;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" ,", at)) != std::string_view::npos) {
    const auto relation = std::find_if(relations.begin(), relations.end(), [&](std::string_view one) {
      return text.substr(at).starts_with(one);
    });
    if (relation == relations.end()) return std::nullopt;
    at = text.find_first_not_of(' ', at + relation->size());
    if (at == std::string_view::npos) return std::nullopt;
    const std::size_t end = std::min(text.find_first_of(" ,<>=!", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const auto version = Version::parse(word);
    // The whole word must be the version: otherwise ">=580.x" would mean 580.
    if (!version || word.find_first_not_of("0123456789.") != std::string_view::npos || word.back() == '.')
      return std::nullopt;
    bounds.bounds_.push_back({std::string(*relation), *version});
    at = end;
  }
  if (bounds.bounds_.empty()) return std::nullopt;
  return bounds;
}

bool VersionBounds::hold(const Version& version) const {
  return std::all_of(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
    const bool begins = version.first(bound.version.size()) == bound.version;
    if (bound.relation == "=") return begins;
    if (bound.relation == "!=") return !begins;
    const auto order = version <=> bound.version;
    if (bound.relation == "<") return std::is_lt(order);
    if (bound.relation == "<=") return std::is_lteq(order);
    if (bound.relation == ">") return std::is_gt(order);
    return std::is_gteq(order);
  });
}

std::optional<Item> lock_value(const Inventory& inventory, const std::string& key) {
  Item derived;
  derived.key = key;
  derived.presence = Presence::absent;
  if (key == "gpu.count") {
    if (const std::size_t count = inventory.children("gpu").size(); count > 0) {
      derived.presence = Presence::present;
      derived.value = std::to_string(count);
    } else if (is_of_run(inventory)) {
      return std::nullopt;  // a run of the host tells nothing about GPUs
    }
    return derived;
  }
  if (key == "toolkit.selected.version") {
    const Item* selected = inventory.find("toolkit.selected");
    if (selected == nullptr) return std::nullopt;
    for (const std::string& index : inventory.children("toolkit")) {
      if (selected->value.empty() || inventory.value("toolkit." + index + ".path") != selected->value)
        continue;
      if (const Item* item = inventory.find("toolkit." + index + ".version")) derived = *item;
      derived.key = key;
    }
    return derived;
  }
  const Item* item = inventory.find(key);
  if (item == nullptr) return std::nullopt;
  return *item;
}

Lock make_lock(const Inventory& inventory, std::string created) {
  Lock lock;
  lock.created = std::move(created);
  for (const std::string pattern : pinned_facts) {
    const auto star = pattern.find('*');
    if (star == std::string::npos) {
      add(lock, inventory, pattern);
      continue;
    }
    const std::string prefix = pattern.substr(0, star - 1);
    for (const std::string& child : inventory.children(prefix))
      if (!comes_and_goes(inventory, prefix, child))
        add(lock, inventory, fmt::format("{}.{}{}", prefix, child, pattern.substr(star + 1)));
  }
  return lock;
}

namespace {

Drift drift_of(const LockField& field, DriftKind kind, const std::string& what) {
  Drift drift{field.key, kind, field.match == Match::range ? field.range : field.value, "", ""};
  drift.sentence =
      fmt::format("{} is locked to {} and {}", printable(field.key), printable(drift.expected), what);
  return drift;
}

/// True for the driver's own releases, whose versions are always told whole: 575.64 and 575.64.03 are two releases.
bool is_whole(std::string_view key) {
  constexpr std::array<std::string_view, 6> releases{
      "driver.version", "driver.kernel_module_version", "driver.libcuda_version", "driver.libnvml_version",
      "driver.gsp",     "fabric_manager.version"};
  return std::find(releases.begin(), releases.end(), key) != releases.end();
}

/// "13.0" of "13.0.96": the same version, known less exactly on one side.
bool is_less_exact(const std::string& one, const std::string& other) {
  const std::string& shorter = one.size() < other.size() ? one : other;
  const std::string& longer = one.size() < other.size() ? other : one;
  const auto numbers = [](const std::string& text) {
    return text.find('.') != std::string::npos &&
           text.find_first_not_of("0123456789.") == std::string::npos && text.back() != '.';
  };
  return numbers(shorter) && numbers(longer) && longer.starts_with(shorter + ".");
}

std::optional<Drift> compare(const LockField& field, const std::string& value) {
  Drift drift;
  if (field.match == Match::exact) {
    if (value == field.value || (!is_whole(field.key) && is_less_exact(value, field.value)))
      return std::nullopt;
    drift = drift_of(field, DriftKind::differs, "is " + printable(value));
  } else {
    const auto version = Version::parse(value);
    const auto bounds = VersionBounds::parse(field.range);
    if (version && bounds && bounds->hold(*version)) return std::nullopt;
    drift = drift_of(field, DriftKind::differs,
                     fmt::format("is {}{}", printable(value), version ? "" : ", which is no version"));
  }
  drift.found = value;
  return drift;
}

}  // namespace

LockReport verify(const Lock& lock, const Inventory& inventory) {
  LockReport report;
  for (const LockField& field : lock.fields) {
    if (field.match == Match::ignore) {
      ++report.ignored;
      continue;
    }
    const auto item = lock_value(inventory, field.key);
    if (!item && absent_when_missing(field.key) && !is_of_run(inventory)) {
      ++report.compared;
      report.drifts.push_back(drift_of(field, DriftKind::absent, "is absent"));
      continue;
    }
    if (!item) {
      report.unknown.push_back(
          drift_of(field, DriftKind::not_looked_for,
                   is_of_run(inventory) ? "is not told by a run file" : "was not looked for here"));
      continue;
    }
    if (item->presence == Presence::unreadable) {
      report.unknown.push_back(
          drift_of(field, DriftKind::unreadable,
                   "may not be read" + (item->needs.empty() ? "" : "; it takes " + printable(item->needs))));
      continue;
    }
    ++report.compared;
    if (item->presence == Presence::absent)
      report.drifts.push_back(drift_of(field, DriftKind::absent, "is absent"));
    else if (auto drift = compare(field, item->value))
      report.drifts.push_back(std::move(*drift));
  }
  return report;
}

}  // namespace gpugauge::stack
