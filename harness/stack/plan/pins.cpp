#include "stack/plan/pins.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/inventory/lines.hpp"
#include "stack/inventory/packages.hpp"

namespace gpugauge::stack {
namespace {

bool only(std::string_view text, std::string_view more) {
  return !text.empty() && text.front() != '-' && text.size() <= 128 &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  more.find(c) != std::string_view::npos;
         });
}
bool is_package_name(std::string_view text) {
  return only(text, "+-._");
}
bool is_package_version(std::string_view text) {
  return only(text, "+-._:~^");
}

/// The source of a hold if it is a file of pins or exclusions, else "".
std::string pin_file(const std::string& source) {
  const bool written = source.starts_with("/etc/apt/preferences") || source == "/etc/dnf/dnf.conf";
  return written && only(source, "/+-._") ? source : "";
}

void sort(std::vector<StackPackage>& packages) {
  std::sort(packages.begin(), packages.end(),
            [](const StackPackage& a, const StackPackage& b) { return a.name < b.name; });
}

}  // namespace

const char* to_string(PackageManager manager) {
  switch (manager) {
    case PackageManager::apt:
      return "apt";
    case PackageManager::dnf:
      return "dnf";
    case PackageManager::zypper:
      return "zypper";
    case PackageManager::pip:
      return "pip";
    case PackageManager::none:
      break;
  }
  return "none";
}

std::vector<StackPackage> system_packages(const Inventory& inventory) {
  std::vector<StackPackage> out;
  for (const std::string& child : inventory.children("package")) {
    StackPackage package{package_name(inventory, child), inventory.value("package." + child + ".version"), "",
                         inventory.value("package." + child + ".held") == "yes", ""};
    if (!is_package_name(package.name) || !is_package_version(package.version)) continue;
    package.layer = package_layer(package.name);
    if (package.held) package.pinned_in = pin_file(inventory.find("package." + child + ".held")->source);
    out.push_back(std::move(package));
  }
  sort(out);
  return out;
}

std::vector<StackPackage> python_packages(const Inventory& inventory) {
  std::vector<StackPackage> out;
  const auto add = [&](const std::string& name, const std::string& version, const std::string& layer) {
    if (is_package_name(name) && is_package_version(version) && version != "unknown")
      out.push_back({name, version, layer, false});
  };
  for (const std::string& name : inventory.children("wheel"))
    add(name, inventory.value("wheel." + name + ".version"), "wheel");
  for (const std::string& name : inventory.children("framework")) {
    const std::string key = "framework." + name;
    const std::string package = inventory.value(key + ".package");
    const std::string by_metadata = inventory.value(key + ".package_version");
    add(package.empty() ? name : package,
        by_metadata.empty() ? inventory.value(key + ".version") : by_metadata, name);
  }
  sort(out);
  return out;
}

PackageManager system_manager(const Inventory& inventory) {
  if (system_packages(inventory).empty()) return PackageManager::none;
  if (inventory.value("packages.database") != "rpm") return PackageManager::apt;
  const std::string system = inventory.value("host.distribution_id");
  return system.starts_with("sles") || system.starts_with("opensuse") ? PackageManager::zypper
                                                                      : PackageManager::dnf;
}

std::string hold_command(PackageManager manager, const std::vector<std::string>& packages, bool on) {
  const std::string names = fmt::format("{}", fmt::join(packages, " "));
  switch (manager) {
    case PackageManager::apt:
      return fmt::format("sudo apt-mark {} {}", on ? "hold" : "unhold", names);
    case PackageManager::dnf:
      return fmt::format("sudo dnf versionlock {} {}", on ? "add" : "delete", names);
    case PackageManager::zypper:
      return fmt::format("sudo zypper {} {}", on ? "addlock" : "removelock", names);
    case PackageManager::pip:
    case PackageManager::none:
      break;
  }
  return "";
}

std::string pip_constraints(const Inventory& inventory) {
  std::string out;
  for (const StackPackage& package : python_packages(inventory))
    out += fmt::format("{}=={}\n", package.name, package.version);
  return out;
}

void add_rpm_packages(std::string_view text, Inventory& inventory) {
  const std::string source = "rpm -qa";
  inventory.present("packages.database", "rpm", source);
  for_each_line(text, [&](std::string_view line) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos) return;
    const std::string name(line.substr(0, space));
    const std::string version(line.substr(space + 1));
    if (!is_package_name(name) || !is_package_version(version) || !is_stack_package(name)) return;
    add_package(inventory, name, version, source, "rpm");
  });
}

}  // namespace gpugauge::stack
