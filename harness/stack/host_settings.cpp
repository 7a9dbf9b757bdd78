#include "stack/host_settings.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "stack/cgroup.hpp"

namespace gpugauge::stack {
namespace {

namespace fs = std::filesystem;

bool is_numbered(const std::string& name, const std::string& prefix) {
  return name.size() > prefix.size() && name.rfind(prefix, 0) == 0 &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

std::string read_governors(const fs::path& root) {
  std::set<std::string> governors;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu/cpufreq", ignored)) {
    if (!is_numbered(entry.path().filename().string(), "policy")) continue;
    std::ifstream file(entry.path() / "scaling_governor");
    std::string governor;
    if (file >> governor) governors.insert(governor);
  }
  std::string joined;
  for (const auto& governor : governors) joined += (joined.empty() ? "" : ",") + governor;
  return joined;
}

int count_numa_nodes(const fs::path& root) {
  int nodes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/node", ignored))
    nodes += is_numbered(entry.path().filename().string(), "node") ? 1 : 0;
  return nodes;
}

std::string read_cpus_allowed(const fs::path& root) {
  std::ifstream file(root / "proc/self/status");
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
  result::Facts facts;
  if (auto governors = read_governors(root); !governors.empty())
    facts["host.governor"] = std::move(governors);
  if (const int nodes = count_numa_nodes(root); nodes > 0) facts["host.numa_nodes"] = std::to_string(nodes);
  if (auto cpus = read_cpus_allowed(root); !cpus.empty()) facts["host.cpus_allowed"] = std::move(cpus);
  const auto limit = cpu_limit(cpu_groups(root));
  facts["host.cgroup_cpu_limit"] = limit ? fmt::format("{:.6g}", *limit) : "none";
  return facts;
}

}  // namespace gpugauge::stack
