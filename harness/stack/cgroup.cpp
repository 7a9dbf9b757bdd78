// Reads control groups of both versions from /proc and the mounted hierarchies.
#include "stack/cgroup.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "result/number.hpp"
#include "result/text.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mounts_limit = std::size_t{16} << 20;

/// A mounted hierarchy, as a line of /proc/self/mountinfo describes it.
struct Mount {
  int version = 0;
  std::string root;  ///< the group that is visible at `point`
  std::string point;
};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// mountinfo writes blank, tab, newline and backslash as three octal digits.
std::string unescape(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto octal = text[i] == '\\' && i + 3 < text.size()
                           ? result::number_in<unsigned>(std::string_view(text).substr(i + 1, 3), 8)
                           : std::nullopt;
    if (octal) {
      plain += static_cast<char>(*octal);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// Opens a file's text. A FIFO or device in an inspected tree does not block it.
std::istringstream open_text(const fs::path& file) {
  return std::istringstream(Tree("/").read(file.string()).text);
}

std::vector<Mount> read_mounts(const Tree& tree, const std::string& controller) {
  std::vector<Mount> mounts;
  std::istringstream file(tree.read("/proc/self/mountinfo", mounts_limit).text);
  std::string line;
  while (std::getline(file, line)) {
    // id parent major:minor ROOT POINT options [optional fields] - TYPE source SUPER_OPTIONS
    const auto words = result::split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const auto& type = *(dash + 1);
    Mount mount{0, unescape(words[3]), unescape(words[4])};
    if (type == "cgroup2") mount.version = 2;
    if (type == "cgroup" && contains(result::split(*(dash + 3), ','), controller)) mount.version = 1;
    if (mount.version != 0) mounts.push_back(mount);
  }
  return mounts;
}

/// The path of this process's group in the hierarchy of that version; nullopt if it is in none.
std::optional<std::string> read_membership(const Tree& tree, int version, const std::string& controller) {
  std::istringstream file(tree.read("/proc/self/cgroup").text);
  std::string line;
  while (std::getline(file, line)) {
    // id:controllers:path; version 2 has id 0 and no controllers
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool match = version == 2 ? controllers.empty() && line.substr(0, first) == "0"
                                    : contains(result::split(controllers, ','), controller);
    if (match) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The path below the mount point. A container may see a path outside the mounted part. Then the mount point
/// itself is the nearest readable group.
fs::path below_mount(const std::string& membership, const std::string& mount_root) {
  std::string path = membership;
  if (mount_root != "/") {
    if (path == mount_root) return {};
    if (path.rfind(mount_root + "/", 0) != 0) return {};
    path = path.substr(mount_root.size());
  }
  auto relative = fs::path(path).lexically_normal().relative_path();
  if (relative.empty() || *relative.begin() == "..") return {};
  return relative;
}

std::optional<double> read_number(const fs::path& file) {
  std::istringstream stream = open_text(file);
  double value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

bool limits_cpu(const CpuGroup& group) {
  std::error_code ignored;
  if (group.version == 1) return fs::exists(group.directory / "cpu.stat", ignored);
  return fs::exists(group.directory / "cpu.max",
                    ignored);  // absent in the top group, and without the controller
}

std::optional<double> limit_of(const CpuGroup& group) {
  if (group.version == 1) {
    const auto quota = read_number(group.directory / "cpu.cfs_quota_us");
    const auto period = read_number(group.directory / "cpu.cfs_period_us");
    if (quota && period && *quota > 0 && *period > 0) return *quota / *period;
    return std::nullopt;
  }
  std::istringstream stream = open_text(group.directory / "cpu.max");
  double quota = 0;
  double period = 0;
  if (stream >> quota >> period && quota > 0 && period > 0)
    return quota / period;  // "max 100000" is no number
  return std::nullopt;
}

/// The process's group and its visible ancestors, in each hierarchy with the controller.
std::vector<CpuGroup> groups_of(const fs::path& root, const std::string& controller) {
  std::vector<CpuGroup> groups;
  const Tree tree(root);
  const auto mounts = read_mounts(tree, controller);
  for (const int version : {1, 2}) {
    const auto membership = read_membership(tree, version, controller);
    const auto mount =
        std::find_if(mounts.begin(), mounts.end(), [&](const Mount& m) { return m.version == version; });
    if (!membership || mount == mounts.end()) continue;
    const fs::path top = mount->point;
    for (fs::path below = below_mount(*membership, mount->root);; below = below.parent_path()) {
      groups.push_back({version, tree.at((below.empty() ? top : top / below).string())});
      if (below.empty()) break;
    }
  }
  return groups;
}

}  // namespace

std::vector<CpuGroup> cpu_groups(const fs::path& root) {
  std::vector<CpuGroup> groups = groups_of(root, "cpu");
  std::erase_if(groups, [](const CpuGroup& group) { return !limits_cpu(group); });
  return groups;
}

std::vector<CpuGroup> own_cpu_groups(const fs::path& root) {
  std::vector<CpuGroup> own;
  for (CpuGroup& group : groups_of(root, "cpu")) {
    const bool has_own = std::any_of(own.begin(), own.end(),
                                     [&](const CpuGroup& other) { return other.version == group.version; });
    if (!has_own) own.push_back(std::move(group));
  }
  std::erase_if(own, [](const CpuGroup& group) {
    if (group.version == 1) return !limits_cpu(group);
    std::string controllers = open_text(group.directory / "cgroup.controllers").str();
    std::replace(controllers.begin(), controllers.end(), '\n', ' ');
    return !contains(result::split(controllers, ' '), "cpu");
  });
  return own;
}

std::optional<double> memory_limit(const fs::path& root) {
  constexpr double no_limit = 1e18;  // version 1 writes the largest number of pages as "none"
  std::optional<double> smallest;
  for (const CpuGroup& group : groups_of(root, "memory")) {
    const auto bytes =
        read_number(group.directory / (group.version == 1 ? "memory.limit_in_bytes" : "memory.max"));
    if (bytes && *bytes > 0 && *bytes < no_limit && (!smallest || *bytes < *smallest)) smallest = bytes;
  }
  return smallest;
}

std::optional<double> cpu_limit(const std::vector<CpuGroup>& groups) {
  std::optional<double> smallest;
  for (const auto& group : groups) {
    const auto limit = limit_of(group);
    if (limit && (!smallest || *limit < *smallest)) smallest = limit;
  }
  return smallest;
}

CpuThrottling read_throttling(const std::vector<CpuGroup>& groups) {
  CpuThrottling sum;
  for (const auto& group : groups) {
    std::istringstream file = open_text(group.directory / "cpu.stat");
    std::string name;
    double value = 0;
    while (file >> name >> value) {
      if (name == "nr_periods") sum.periods += value;
      if (name == "nr_throttled") sum.throttled_periods += value;
      if (name == "throttled_usec") sum.throttled_seconds += value * 1e-6;  // version 2
      if (name == "throttled_time") sum.throttled_seconds += value * 1e-9;  // version 1: nanoseconds
    }
  }
  return sum;
}

}  // namespace gpugauge::stack
