// Adds package.*, packages.* and driver.history.* to the inventory.
#include "stack/inventory/packages.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/inventory/collect.hpp"
#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t packages_most = 400;
constexpr std::size_t changes_most = 20;
constexpr const char* apt_folder = "/etc/apt/apt.conf.d";

void add_packages(const PackageDatabase& database, const std::vector<Pin>& pins, Inventory& inventory) {
  const char* const key = "packages.database";
  if (database.presence == Presence::unreadable) {
    inventory.unreadable(key, database.source, database.needs);
    return;
  }
  if (database.presence == Presence::absent) {
    inventory.absent(key, database.source, "no database of dpkg's or rpm's");
    return;
  }
  inventory.present(key, database.kind, database.source);
  const bool rpm = database.kind == "rpm";
  std::size_t count = 0;
  for (const Package& package : database.packages) {
    if (!is_stack_package(package.name) || ++count > packages_most) continue;
    const std::string prefix = add_package(inventory, package.name, package.version, database.source,
                                           rpm ? "rpm header" : "dpkg status");
    const Pin* const pin = find_pin(pins, package.name, package.version);
    if (!package.held && pin != nullptr && keeps_release(*pin, package.version)) {
      inventory.present(prefix + ".held", "yes", pin->source,
                        rpm ? "a lock names it" : "apt pin to a version");
    } else if (!package.held && pin != nullptr) {
      inventory.present(prefix + ".held", "no", pin->source,
                        fmt::format("apt pin to {}: newer releases of that branch still come", pin->version));
    } else {
      inventory.present(prefix + ".held", package.held ? "yes" : "no", database.source,
                        rpm ? "no lock names it" : "dpkg selection");
    }
  }
}

void add_history(const Tree& tree, Inventory& inventory) {
  std::vector<UnreadLog> unread;
  const auto changes = driver_history(tree, unread);
  for (std::size_t i = 0; i < std::min(changes.size(), changes_most); ++i) {
    const PackageChange& change = changes[i];
    const std::string arrow = change.from.empty() || change.to.empty() ? "" : " -> ";
    inventory.present(fmt::format("driver.history.{}", i),
                      fmt::format("{} {} {} {}{}{}", change.time, change.action, change.name, change.from,
                                  arrow, change.to),
                      change.source, change.how);
  }
  if (!changes.empty()) return;
  if (unread.empty()) {
    inventory.absent("driver.history",
                     "/var/log/apt /var/log/dpkg.log /var/log/dnf.rpm.log /var/log/yum.log /var/log/zypp",
                     "no change of a driver package in the logs that are there");
    return;
  }
  std::vector<std::string> paths;
  paths.reserve(unread.size());
  for (const UnreadLog& log : unread) paths.push_back(log.path);
  inventory.unreadable("driver.history", fmt::format("{}", fmt::join(paths, " ")), unread.front().needs,
                       "not read; the other logs name no change of a driver package");
}

const AptSetting* last_of(const std::vector<AptSetting>& settings, std::string_view key) {
  const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                  [&](const AptSetting& setting) { return setting.key == key; });
  return found == settings.rend() ? nullptr : &*found;
}

/// True if an entry of unattended-upgrades' blacklist, a regular expression matched at the start, clearly
/// covers the driver's packages.
bool blacklists_driver(const std::string& entry, const PackageDatabase& database) {
  std::string start = entry.substr(entry.starts_with('^') ? 1 : 0);
  start.erase(std::min(start.find_first_of("*.$[(+?"), start.size()));
  if (start.empty()) return false;
  return std::any_of(database.packages.begin(), database.packages.end(), [&](const Package& package) {
    return is_driver_package(package.name) && package.name.starts_with(start);
  });
}

/// True if the package that requires all parts at its version is held, or if every package of module and
/// libcuda is. If only one of these is held, the other moves away from it.
bool driver_is_held(const PackageDatabase& database, const std::vector<Pin>& pins) {
  bool whole = false;
  bool any = false;
  bool all = true;
  for (const Package& package : database.packages) {
    const DriverPart part = driver_part(package.name);
    if (part == DriverPart::none || part == DriverPart::beside) continue;
    const Pin* const pin = find_pin(pins, package.name, package.version);
    const bool held = package.held || (pin != nullptr && keeps_release(*pin, package.version));
    if (part == DriverPart::whole) {
      whole = whole || held;
    } else {
      any = true;
      all = all && held;
    }
  }
  return whole || (any && all);
}

/// Whether unattended upgrades, which are enabled, may replace the driver.
std::string covers_driver(const std::vector<AptSetting>& settings, const PackageDatabase& database,
                          const std::vector<Pin>& pins) {
  const std::string from = driver_packages_from(database);
  if (from.empty()) return "unknown";
  if (driver_is_held(database, pins)) return "no";
  bool any_origin = false;
  bool of_nvidia = false;
  for (const AptSetting& setting : settings) {
    if (setting.key == "unattended-upgrade::package-blacklist" && blacklists_driver(setting.value, database))
      return "no";
    if (setting.key != "unattended-upgrade::allowed-origins" &&
        setting.key != "unattended-upgrade::origins-pattern")
      continue;
    any_origin = true;
    const std::string value = lower(setting.value);
    of_nvidia |= value.find("nvidia") != std::string::npos || value.find('*') != std::string::npos;
  }
  if (!any_origin) return "unknown";
  return from == "distribution" || of_nvidia ? "yes" : "no";
}

void add_dnf_automatic(const Tree& tree, const PackageDatabase& database, const std::vector<Pin>& pins,
                       Inventory& inventory) {
  const char* const key = "packages.unattended_upgrades";
  const DnfAutomatic found = read_dnf_automatic(tree);
  if (found.source.empty()) {
    inventory.absent(key, fmt::format("{} /etc/systemd/system/timers.target.wants", apt_folder));
    return;
  }
  inventory.present(key, found.on ? "on" : "off", found.source, "timer and apply_updates of dnf-automatic");
  if (!found.on) return;
  const bool any = database.presence == Presence::present && !driver_packages_from(database).empty();
  inventory.present("packages.unattended_covers_driver",
                    !any                             ? "unknown"
                    : driver_is_held(database, pins) ? "no"
                    : found.all                      ? "yes"
                                                     : "unknown",
                    found.source, "upgrade_type of dnf-automatic, locks");
}

void add_unattended(const Tree& tree, const PackageDatabase& database, const std::vector<Pin>& pins,
                    Inventory& inventory) {
  const char* const key = "packages.unattended_upgrades";
  const char* const covers = "packages.unattended_covers_driver";
  if (!tree.exists(apt_folder)) {
    add_dnf_automatic(tree, database, pins, inventory);
    return;
  }
  const auto settings = read_apt_configuration(tree);
  const AptSetting* const periodic = last_of(settings, "apt::periodic::unattended-upgrade");
  const AptSetting* const enabled = last_of(settings, "apt::periodic::enable");
  const bool wanted = periodic != nullptr && periodic->value != "0" && !periodic->value.empty() &&
                      (enabled == nullptr || enabled->value != "0");
  const bool installed =
      database.presence != Presence::present || database.find("unattended-upgrades") != nullptr;
  inventory.present(key, wanted && installed ? "on" : "off",
                    periodic == nullptr ? apt_folder : periodic->source,
                    !wanted      ? "APT::Periodic::Unattended-Upgrade is not set"
                    : !installed ? "set, and the package unattended-upgrades is not installed"
                                 : "APT::Periodic::Unattended-Upgrade");
  if (wanted && installed)
    inventory.present(covers, covers_driver(settings, database, pins), apt_folder,
                      "origins, blacklist, holds");
}

}  // namespace

bool is_stack_package(std::string_view name) {
  constexpr std::array prefixes{"nvidia-",
                                "libnvidia-",
                                "cuda-",
                                "libcublas",
                                "libcudnn",
                                "cudnn",
                                "libnccl",
                                "libcufft",
                                "libcufile",
                                "libcurand",
                                "libcusolver",
                                "libcusparse",
                                "libnvinfer",
                                "libnvjitlink",
                                "libnvrtc",
                                "libcupti",
                                "libcudart",
                                "tensorrt",
                                "datacenter-gpu-manager",
                                "gdrdrv",
                                "libgdrapi",
                                "nvlsm",
                                "libnpp",
                                "libnvvm",
                                "libnvonnxparser",
                                "python3-libnvinfer"};
  return is_driver_package(name) ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string add_package(Inventory& inventory, const std::string& name, const std::string& version,
                        const std::string& source, const std::string& how) {
  std::string key = name;
  std::replace(key.begin(), key.end(), '.', '_');  // keys are split at dots
  std::string prefix = "package." + key;
  inventory.present(prefix + ".version", version, source, how);
  if (key != name) inventory.present(prefix + ".name", name, source, how);
  return prefix;
}

std::string package_name(const Inventory& inventory, const std::string& child) {
  const Item* const told = inventory.find("package." + child + ".name");
  if (told != nullptr && told->presence == Presence::present) return told->value;
  // The inventory is older than that item. dpkg's names hold no '_', so it stands for a dot.
  std::string name = child;
  if (inventory.value("packages.database") != "rpm") std::replace(name.begin(), name.end(), '_', '.');
  return name;
}

void collect_packages(const Context& context, Inventory& inventory) {
  const PackageDatabase database = read_packages(context.tree);
  const bool rpm = database.kind == "rpm";
  std::vector<Pin> pins = rpm ? read_dnf_locks(context.tree) : read_pins(context.tree);
  if (rpm)
    for (Pin& pin : read_zypper_locks(context.tree)) pins.push_back(std::move(pin));
  add_packages(database, pins, inventory);
  if (const std::string stream = enabled_stream(context.tree, "nvidia-driver"); !stream.empty())
    inventory.present("packages.driver_stream", stream, "/etc/dnf/modules.d", "module nvidia-driver");
  add_unattended(context.tree, database, pins, inventory);
  add_history(context.tree, inventory);
}

}  // namespace gpugauge::stack
