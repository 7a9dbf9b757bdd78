// Adds host.*, kernel.*, env.*, file.nccl_conf and cuda.jit_cache to the inventory.
#include "stack/inventory/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "stack/cgroup.hpp"
#include "stack/credentials.hpp"
#include "stack/host.hpp"
#include "stack/host_settings.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/packages.hpp"

namespace gpugauge::stack {
namespace {

/// Adds a fact of host.hpp, where "absent" and "unreadable" are values, as one of the three answers.
void add_fact(const result::Facts& facts, const std::string& key, const std::string& source,
              Inventory& inventory) {
  const auto found = facts.find(key);
  const std::string value = found == facts.end() ? "absent" : found->second;
  if (value == "absent") {
    inventory.absent(key, source);
  } else if (value == "unreadable") {
    inventory.unreadable(key, source, "root");
  } else {
    inventory.present(key, value, source);
  }
}

void add_command_line(const Tree& tree, Inventory& inventory) {
  const char* const key = "kernel.command_line";
  const char* const file = "/proc/cmdline";
  const Reading reading = tree.read(file);
  if (reading.present()) return inventory.present(key, words_without_credentials(reading.text), file);
  if (reading.presence == Presence::absent) return inventory.absent(key, file);
  inventory.unreadable(key, file, "root");
}

/// The value of NAME=value or NAME="value" in os-release; "" if there is none.
std::string release_value(std::string_view text, std::string_view name) {
  std::string found;
  for (const std::string_view line : settings_in(text)) {
    const auto value = after(line, fmt::format("{}=", name));
    if (!value) continue;
    found = stripped(*value);
    if (found.size() >= 2 && (found.front() == '"' || found.front() == '\'') && found.back() == found.front())
      found = found.substr(1, found.size() - 2);
  }
  return found;
}

void add_distribution(const Tree& tree, const result::Facts& stack, Inventory& inventory) {
  const char* const file = "/etc/os-release";
  add_fact(stack, "host.distribution", file, inventory);
  const Reading release = tree.read(file);
  const std::string id = release_value(release.text, "ID");
  if (id.empty()) return inventory.absent("host.distribution_id", file);
  const std::string version = release_value(release.text, "VERSION_ID");
  inventory.present("host.distribution_id", version.empty() ? id : id + " " + version, file);
}

/// This process's C library on the live machine; below another root, the one named by its package or loader.
void add_libc(const Tree& tree, const result::Facts& stack, Inventory& inventory) {
  const char* const key = "host.libc";
  if (tree.live()) return inventory.present(key, stack.at(key), "libc.so.6", "gnu_get_libc_version");
  const PackageDatabase packages = read_packages(tree);
  if (const Package* const libc = packages.find("libc6"); libc != nullptr) {
    inventory.present(key, "glibc " + upstream_version(libc->version), packages.source, "package libc6");
    return;
  }
  if (const Package* const libc = packages.find("glibc"); libc != nullptr) {
    inventory.present(key, "glibc " + upstream_version(libc->version), packages.source, "package glibc");
    return;
  }
  for (const std::string& name : tree.list("/lib")) {
    if (name.starts_with("ld-musl-")) return inventory.present(key, "musl", "/lib/" + name, "its loader");
  }
  if (packages.presence == Presence::unreadable)
    return inventory.unreadable(key, packages.source, packages.needs, "package libc6 or glibc");
  inventory.absent(key, packages.source, "no package libc6 or glibc");
}

void add_shared_memory(const Tree& tree, Inventory& inventory) {
  const char* const key = "host.shm_mib";
  const char* const folder = "/dev/shm";
  if (!tree.live()) return;
  struct statvfs status {};
  if (::statvfs(folder, &status) != 0) return inventory.absent(key, folder, "statvfs");
  const auto bytes = static_cast<unsigned long long>(status.f_blocks) * status.f_frsize;
  inventory.present(key, std::to_string(bytes >> 20U), folder, "statvfs");
}

void add_memlock(const Tree& tree, Inventory& inventory) {
  if (!tree.live()) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return;
  inventory.present("host.memlock_kib",
                    limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur / 1024),
                    "getrlimit", "of this process");
}

void add_nccl_configuration(const Tree& tree, Inventory& inventory) {
  const char* const key = "file.nccl_conf";
  const char* const file = "/etc/nccl.conf";
  const Reading reading = tree.read(file);
  if (reading.presence == Presence::absent) return inventory.absent(key, file);
  if (reading.presence == Presence::unreadable) return inventory.unreadable(key, file, "root");
  std::vector<std::string> words;
  for (const std::string_view line : settings_in(reading.text)) {
    if (line.find('=') != std::string_view::npos) words.emplace_back(line);
  }
  inventory.present(key, words_without_credentials(fmt::format("{}", fmt::join(words, " "))), file);
}

void add_system(const Context& context, Inventory& inventory) {
  const Tree& tree = context.tree;
  const result::Facts stack = stack_of_host(tree);
  add_fact(stack, "host.os", "/proc/sys/kernel/osrelease", inventory);
  add_distribution(tree, stack, inventory);
  add_fact(stack, "kernel.version", "/proc/sys/kernel/osrelease", inventory);
  add_command_line(tree, inventory);
  add_libc(tree, stack, inventory);
}

/// Adds "none" only if the groups could be read.
void add_group_limits(const Tree& tree, const result::Facts& settings, Inventory& inventory) {
  const char* const file = "/proc/self/cgroup";
  const Presence presence = tree.read(file).presence;
  const auto limit = presence == Presence::present ? memory_limit(tree.at("/")) : std::nullopt;
  const std::string memory = limit ? fmt::format("{:.0f}", *limit / (1024.0 * 1024.0)) : "none";
  const auto found = settings.find("host.cgroup_cpu_limit");
  const std::string processors = found == settings.end() ? "none" : found->second;
  for (const auto& [key, value] :
       {std::pair{"host.cgroup_cpu_limit", processors}, std::pair{"host.cgroup_memory_mib", memory}}) {
    if (presence == Presence::present)
      inventory.present(key, value, file, "the smallest limit of its groups");
    else if (presence == Presence::absent)
      inventory.absent(key, file);
    else
      inventory.unreadable(key, file, "root");
  }
}

void add_machine(const Context& context, Inventory& inventory) {
  const Tree& tree = context.tree;
  const std::string machine = virtualization(tree);
  add_fact({{"host.virtualization", machine}}, "host.virtualization", "/proc/cpuinfo /sys/class/dmi/id",
           inventory);
  const result::Facts device = device_of_host(tree);
  add_fact(device, "host.cpu_model", "/proc/cpuinfo", inventory);
  add_fact(device, "host.cpus", "/sys/devices/system/cpu/online", inventory);
  const result::Facts settings = settings_of_host(tree.at("/"));
  add_fact(settings, "host.governor", "/sys/devices/system/cpu/cpufreq", inventory);
  add_fact(topology_of_host(tree), "host.numa_nodes", "/sys/devices/system/node/online", inventory);
  add_fact(device, "host.memory_gib", "/proc/meminfo", inventory);
  add_group_limits(tree, settings, inventory);
  add_fact(settings, "host.cpus_allowed", "/proc/self/status", inventory);
  add_shared_memory(tree, inventory);
  add_memlock(tree, inventory);
}

}  // namespace

void collect_machine(const Context& context, Inventory& inventory) {
  add_system(context, inventory);
  add_machine(context, inventory);
  collect_iommu(context.tree, inventory);
  collect_acs(context.tree, inventory);
  collect_infiniband(context.tree, inventory);
  for (const auto& [key, value] : environment_of_stack(context.environment))
    inventory.present(key, value, "environment");
  add_nccl_configuration(context.tree, inventory);
  collect_jit_cache(context, inventory);
}

}  // namespace gpugauge::stack
