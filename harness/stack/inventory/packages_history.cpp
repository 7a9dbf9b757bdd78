// Parses package managers' logs for changes of the driver.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "result/text.hpp"
#include "result/time.hpp"
#include "stack/credentials.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/packages.hpp"

namespace gpugauge::stack {
namespace {

/// "nvidia-driver-580:amd64" -> "nvidia-driver-580".
std::string without_architecture(std::string_view name) {
  return std::string(name.substr(0, name.find(':')));
}

std::string version_or_none(std::string_view version) {
  return version == "<none>" ? "" : upstream_version(version);
}

/// "a:amd64 (1.0, 2.0), b:amd64 (3.0, automatic)": calls `function` with each name and its two versions.
template <typename Function>
void for_each_in_list(std::string_view list, const Function& function) {
  while (!list.empty()) {
    const auto open = list.find(" (");
    const auto close = list.find(')', open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) return;
    const std::string_view versions = list.substr(open + 2, close - open - 2);
    const auto comma = versions.find(", ");
    const std::string_view first = versions.substr(0, comma);
    const std::string_view second = comma == std::string_view::npos ? "" : versions.substr(comma + 2);
    function(stripped(list.substr(0, open)), first, second == "automatic" ? "" : second);
    list.remove_prefix(close + 1);
    if (list.starts_with(", ")) list.remove_prefix(2);
  }
}

/// "nvidia-driver-3:580.95.05-1.el9.x86_64" -> name and upstream version; an empty name for other text.
std::pair<std::string, std::string> split_rpm(std::string_view package) {
  const auto release = package.rfind('-');
  if (release == std::string_view::npos || release == 0) return {};
  const auto version = package.rfind('-', release - 1);
  if (version == std::string_view::npos) return {};
  return {std::string(package.substr(0, version)), upstream_version(package.substr(version + 1))};
}

}  // namespace

std::vector<PackageChange> parse_dpkg_log(std::string_view text) {
  std::vector<PackageChange> changes;
  for_each_line(text, [&](std::string_view line) {
    const auto words = words_of(line);
    constexpr std::array actions{"install", "upgrade", "remove", "purge"};
    if (words.size() != 6 || std::find(actions.begin(), actions.end(), words[2]) == actions.end()) return;
    PackageChange change;
    change.name = without_architecture(words[3]);
    if (!is_driver_package(change.name)) return;
    change.time = fmt::format("{} {}", words[0], words[1]);
    change.action = words[2];
    change.from = version_or_none(words[4]);
    change.to = version_or_none(words[5]);
    change.how = "dpkg log";
    changes.push_back(std::move(change));
  });
  return changes;
}

std::vector<PackageChange> parse_apt_history(std::string_view text) {
  std::vector<PackageChange> changes;
  std::string time;
  std::string how;
  for_each_line(text, [&](std::string_view line) {
    if (line.empty()) time.clear();
    if (const auto start = after(line, "Start-Date: ")) {
      time.clear();
      for (const std::string_view word : words_of(*start))
        time += fmt::format("{}{}", time.empty() ? "" : " ", word);
      how = "apt history";
    }
    if (const auto command = after(line, "Commandline: "))
      how = fmt::format("apt history: {}", words_without_credentials(*command).substr(0, 120));
    for (const std::string_view action :
         {"Install", "Upgrade", "Downgrade", "Reinstall", "Remove", "Purge"}) {
      const auto list = after(line, fmt::format("{}: ", action));
      if (!list || time.empty()) continue;
      for_each_in_list(*list, [&](std::string_view name, std::string_view first, std::string_view second) {
        if (!is_driver_package(name)) return;
        const bool leaves = action == "Remove" || action == "Purge";
        const bool has_both = !second.empty();
        changes.push_back({time, lower(action), without_architecture(name),
                           leaves || has_both ? upstream_version(first) : "",
                           leaves     ? ""
                           : has_both ? upstream_version(second)
                                      : upstream_version(first),
                           "", how});
      });
    }
  });
  return changes;
}

std::vector<PackageChange> parse_yum_log(std::string_view text) {
  std::vector<PackageChange> changes;
  for_each_line(text, [&](std::string_view line) {
    const auto words = words_of(line);
    if (words.size() != 5) return;
    const bool erased = words[3] == "Erased:";
    if (!erased && words[3] != "Installed:" && words[3] != "Updated:") return;
    auto [name, version] = split_rpm(words[4]);
    if (version.empty() || version.front() < '0' || version.front() > '9') {
      if (!erased) return;
      name = words[4];  // an erased package may lack its version
      version.clear();
    }
    if (const auto epoch = name.find(':'); epoch != std::string::npos) name.erase(0, epoch + 1);
    if (!is_driver_package(name)) return;
    changes.push_back({fmt::format("{} {} {}", words[0], words[1], words[2]),
                       erased                     ? "remove"
                       : words[3] == "Installed:" ? "install"
                                                  : "upgrade",
                       name, erased ? version : "", erased ? "" : version, "", "yum log, which has no year"});
  });
  return changes;
}

std::vector<PackageChange> parse_zypper_history(std::string_view text) {
  std::vector<PackageChange> changes;
  for_each_line(text, [&](std::string_view line) {
    constexpr std::size_t cells_least = 4;
    std::vector<std::string_view> cells;
    while (cells.size() < cells_least && !line.empty()) {
      const auto bar = line.find('|');
      cells.push_back(stripped(line.substr(0, bar)));
      line.remove_prefix(bar == std::string_view::npos ? line.size() : bar + 1);
    }
    if (cells.size() < cells_least || cells[0].starts_with('#')) return;
    const bool removed = cells[1] == "remove";
    if ((!removed && cells[1] != "install") || !is_driver_package(cells[2])) return;
    const std::string version = upstream_version(cells[3]);
    changes.push_back({std::string(cells[0]), std::string(cells[1]), std::string(cells[2]),
                       removed ? version : "", removed ? "" : version, "",
                       removed ? "zypper history" : "zypper history, which calls an upgrade so too"});
  });
  return changes;
}

std::vector<PackageChange> parse_dnf_log(std::string_view text) {
  std::vector<PackageChange> changes;
  for_each_line(text, [&](std::string_view line) {
    const auto words = words_of(line);
    if (words.size() != 4 || words[0].size() < 19 || words[0][10] != 'T') return;
    const std::pair<std::string, std::string> package = split_rpm(words[3]);
    const std::string& name = package.first;
    const std::string& version = package.second;
    if (!is_driver_package(name)) return;
    const std::string time = result::replaced(result::seconds_of(words[0]), "T", " ");
    if (words[2] == "Installed:" || words[2] == "Install:") {
      changes.push_back({time, "install", name, "", version, "", "dnf log"});
    } else if (words[2] == "Upgrade:") {
      changes.push_back({time, "upgrade", name, "", version, "", "dnf log"});
    } else if (words[2] == "Erase:" || words[2] == "Removed:") {
      changes.push_back({time, "remove", name, version, "", "", "dnf log"});
    } else if (words[2] == "Upgraded:") {  // the old version is removed after the new one is installed
      const auto match = std::find_if(changes.rbegin(), changes.rend(), [&](const PackageChange& change) {
        return change.action == "upgrade" && change.name == name && change.from.empty();
      });
      if (match != changes.rend()) match->from = version;
    }
  });
  return changes;
}

}  // namespace gpugauge::stack
