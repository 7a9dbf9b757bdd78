// Reads the host's processors, caches and available memory from the kernel's files.
#include "support/host.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sched.h>

#include "result/number.hpp"
#include "result/processor_list.hpp"

namespace gpugauge::bench {

namespace {

namespace fs = std::filesystem;

struct CpuSet {
  cpu_set_t* set = CPU_ALLOC(result::processors_most);
  std::size_t bytes = CPU_ALLOC_SIZE(result::processors_most);
  CpuSet() { CPU_ZERO_S(bytes, set); }
  ~CpuSet() { CPU_FREE(set); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;
};

// Parses "48K", "2048K", "32M", plain bytes; 0 for anything else.
std::size_t size_of(const std::string& text) {
  std::string_view unit = text;
  const std::size_t value = result::take_number<std::size_t>(unit).value_or(0);
  if (unit.starts_with('K')) return value << 10;
  if (unit.starts_with('M')) return value << 20;
  if (unit.starts_with('G')) return value << 30;
  return value;
}

fs::path cache_folder(int cpu, const fs::path& root) {
  return root / fmt::format("sys/devices/system/cpu/cpu{}/cache", cpu);
}

struct Cache {
  int level = 0;
  std::size_t bytes = 0;
  std::string shared;
};

std::vector<Cache> data_caches(int cpu, const fs::path& root) {
  std::vector<Cache> found;
  for (int index = 0; index < 16; ++index) {
    const fs::path folder = cache_folder(cpu, root) / fmt::format("index{}", index);
    const std::string type = first_line(folder / "type");
    if (type != "Data" && type != "Unified") continue;
    const Cache cache{result::leading_number<int>(first_line(folder / "level")).value_or(0),
                      size_of(first_line(folder / "size")), first_line(folder / "shared_cpu_list")};
    if (cache.bytes > 0) found.push_back(cache);
  }
  std::sort(found.begin(), found.end(), [](const Cache& a, const Cache& b) { return a.level < b.level; });
  return found;
}

// Files that a control group read and that the kernel drops where memory is wanted, in bytes.
std::size_t cached_bytes(const fs::path& statistics) {
  std::ifstream in(statistics);
  std::size_t bytes = 0;
  std::string name;
  for (std::size_t value = 0; in >> name >> value;)
    if (name == "inactive_file" || name == "active_file") bytes += value;
  return bytes;
}

enum class Count { left, all };

// Lowers `least` to what one control group and its ancestors allow, or to what is left of that.
void shrink(std::size_t& least, Count count, const fs::path& mount, fs::path group, const char* limit_file,
            const char* used_file) {
  while (true) {
    const std::size_t limit = size_of(first_line(mount / group / limit_file));  // "max" reads as 0
    const std::size_t in_use = size_of(first_line(mount / group / used_file));
    const std::size_t cached = cached_bytes(mount / group / "memory.stat");
    const std::size_t used = count == Count::all || in_use < cached ? 0 : in_use - cached;
    if (limit > 0) least = std::min(least, limit > used ? limit - used : std::size_t{1});
    if (group.empty()) return;
    group = group.parent_path();
  }
}

// A line of /proc/meminfo in bytes, or less where a control group allows less. 0 when nothing can be read.
std::size_t memory_of(const fs::path& root, std::string_view line_name, Count count) {
  std::size_t least = 0;
  std::ifstream meminfo(root / "proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream words(line);
    std::string name;
    std::size_t kilobytes = 0;
    if (words >> name >> kilobytes && name == line_name) least = kilobytes << 10;
  }
  if (least == 0) return 0;
  // Each line is "hierarchy:controllers:path"; version 2 has hierarchy 0 and no controllers.
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    if (controllers.empty())
      shrink(least, count, root / "sys/fs/cgroup", group, "memory.max", "memory.current");
    else if (controllers == "memory")
      shrink(least, count, root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes",
             "memory.usage_in_bytes");
  }
  return least;
}

}  // namespace

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::vector<int> allowed_cpus() {
  CpuSet allowed;
  std::vector<int> cpus;
  if (sched_getaffinity(0, allowed.bytes, allowed.set) == 0)
    for (int cpu = 0; cpu < result::processors_most; ++cpu)
      if (CPU_ISSET_S(cpu, allowed.bytes, allowed.set)) cpus.push_back(cpu);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

void allow_only(const std::vector<int>& cpus) {
  CpuSet wanted;
  for (const int cpu : cpus) CPU_SET_S(cpu, wanted.bytes, wanted.set);
  if (sched_setaffinity(0, wanted.bytes, wanted.set) != 0)
    throw std::system_error(
        errno, std::generic_category(),
        fmt::format("cannot pin a thread to processors {}", result::processors_text(cpus)));
}

Pinned::Pinned(const std::vector<int>& cpus) : before_(allowed_cpus()) {
  allow_only(cpus);
}

Pinned::~Pinned() {
  try {
    allow_only(before_);
  } catch (const std::system_error&) {  // the cpuset shrank meanwhile; staying pinned is harmless
  }
}

std::vector<int> cpus_of(const std::string& cores) {
  std::vector<int> all = allowed_cpus();
  if (cores == "one_core") return {all.back()};
  return all;
}

Caches caches_of(int cpu, const fs::path& root) {
  Caches caches;
  const std::vector<Cache> found = data_caches(cpu, root);
  if (found.empty()) return caches;
  caches.known = true;
  caches.l1 = found.front().bytes;
  if (found.size() > 1) caches.l2 = found[1].bytes;
  caches.last = found.back().bytes;
  return caches;
}

std::size_t last_level_bytes(const std::vector<int>& cpus, const fs::path& root) {
  std::map<std::string, std::size_t> instances;
  for (const int cpu : cpus) {
    const std::vector<Cache> found = data_caches(cpu, root);
    if (!found.empty()) instances[found.back().shared] = found.back().bytes;
  }
  std::size_t sum = 0;
  for (const auto& [shared, bytes] : instances) sum += bytes;
  return sum > 0 ? sum : Caches{}.last;
}

std::size_t available_memory_bytes(const fs::path& root) {
  return memory_of(root, "MemAvailable:", Count::left);
}

std::size_t allowed_memory_bytes(const fs::path& root) {
  return memory_of(root, "MemTotal:", Count::all);
}

std::optional<std::string> why_host_too_small(std::size_t available, std::size_t bytes) {
  if (available == 0 || bytes <= available / 4 * 3) return std::nullopt;
  return fmt::format(
      "needs {} MiB of the host's memory beside a reserve of a quarter, {} MiB are available to this process",
      bytes >> 20U, available >> 20U);
}

}  // namespace gpugauge::bench
