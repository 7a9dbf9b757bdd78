#include "stack/host_settings.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include <fmt/core.h>

#include "stack/cgroup.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {
namespace {

namespace fs = std::filesystem;

bool is_numbered(const std::string& name, const std::string& prefix) {
  return name.size() > prefix.size() && name.rfind(prefix, 0) == 0 &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

std::string read_governors(const Tree& tree) {
  const std::string folder = "/sys/devices/system/cpu/cpufreq";
  std::set<std::string> governors;
  for (const std::string& name : tree.list(folder)) {
    if (!is_numbered(name, "policy")) continue;
    const Reading governor = tree.read(fmt::format("{}/{}/scaling_governor", folder, name));
    if (!governor.text.empty()) governors.insert(governor.text);
  }
  std::string joined;
  for (const auto& governor : governors) joined += (joined.empty() ? "" : ",") + governor;
  return joined;
}

int count_numa_nodes(const Tree& tree) {
  int nodes = 0;
  for (const std::string& name : tree.list("/sys/devices/system/node"))
    nodes += is_numbered(name, "node") ? 1 : 0;
  return nodes;
}

std::string read_cpus_allowed(const Tree& tree) {
  std::istringstream file(tree.read("/proc/self/status").text);
  const std::string key = "Cpus_allowed_list:";
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(key, 0) != 0) continue;
    const auto start = line.find_first_not_of(" \t", key.size());
    return start == std::string::npos ? "" : line.substr(start);
  }
  return {};
}

}  // namespace

result::Facts settings_of_host(const fs::path& root) {
  const Tree tree(root);
  result::Facts facts;
  if (auto governors = read_governors(tree); !governors.empty())
    facts["host.governor"] = std::move(governors);
  if (const int nodes = count_numa_nodes(tree); nodes > 0) facts["host.numa_nodes"] = std::to_string(nodes);
  if (auto cpus = read_cpus_allowed(tree); !cpus.empty()) facts["host.cpus_allowed"] = std::move(cpus);
  const auto limit = cpu_limit(cpu_groups(root));
  facts["host.cgroup_cpu_limit"] = limit ? fmt::format("{:.6g}", *limit) : "none";
  return facts;
}

}  // namespace gpugauge::stack
