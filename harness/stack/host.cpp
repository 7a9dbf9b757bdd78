// Reads facts about the host from /proc, /sys and os-release.
#include "stack/host.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "result/number.hpp"
#include "result/processor_list.hpp"
#include "stack/hardware.hpp"
#include "stack/host_settings.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view cpu_folder = "/sys/devices/system/cpu";
constexpr std::size_t cpuinfo_limit = std::size_t{8} << 20;  // 2,000 processors

/// The value in the first "key<space>: value" line; "" if there is none.
std::string value_in(const std::string& text, std::string_view key, char separator) {
  std::size_t line = 0;
  while (line < text.size()) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    const std::string_view row(text.data() + line, end - line);
    line = end + 1;
    const auto colon = row.find(separator);
    if (colon == std::string_view::npos || !row.starts_with(key)) continue;
    if (row.substr(key.size(), colon - key.size()).find_first_not_of(" \t") != std::string_view::npos)
      continue;
    const auto start = row.find_first_not_of(" \t\"", colon + 1);
    if (start == std::string_view::npos) return "";
    const auto last = row.find_last_not_of(" \t\"\r");
    return std::string(row.substr(start, last - start + 1));
  }
  return "";
}

std::string cpu_model(const Reading& cpuinfo) {
  if (!cpuinfo.present()) return cpuinfo.fact();
  std::string model = value_in(cpuinfo.text, "model name", ':');
  if (!model.empty()) return model;
  // Arm has no model name; the kernel only knows maker and part number.
  const std::string maker = value_in(cpuinfo.text, "CPU implementer", ':');
  if (maker.empty()) return "unknown";
  return fmt::format("implementer {} part {}", maker, value_in(cpuinfo.text, "CPU part", ':'));
}

std::string sockets(const Tree& tree) {
  std::set<std::string> packages;
  for (const std::string& name : tree.list(cpu_folder)) {
    if (!name.starts_with("cpu") || name.size() < 4 || name[3] < '0' || name[3] > '9') continue;
    const Reading package = tree.read(fmt::format("{}/{}/topology/physical_package_id", cpu_folder, name));
    if (package.present()) packages.insert(package.text);
  }
  return packages.empty() ? "absent" : std::to_string(packages.size());
}

std::string memory_gib(const Reading& meminfo) {
  if (!meminfo.present()) return meminfo.fact();
  const auto kib = result::leading_number<double>(value_in(meminfo.text, "MemTotal", ':'));
  if (!kib) return "unknown";
  return fmt::format("{:.0f}", std::round(*kib / (1024.0 * 1024.0)));
}

/// "always [madvise] never" -> "madvise".
std::string chosen(const Reading& reading) {
  const auto open = reading.text.find('[');
  const auto close = reading.text.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return reading.fact();
  return reading.text.substr(open + 1, close - open - 1);
}

struct Maker {
  std::string_view text;  ///< text in the vendor or product name of the firmware's table
  std::string_view name;
};
constexpr std::array makers{
    Maker{"VMware", "vmware"},         Maker{"Microsoft", "hyper-v"}, Maker{"innotek", "virtualbox"},
    Maker{"VirtualBox", "virtualbox"}, Maker{"Xen", "xen"},           Maker{"Amazon", "amazon"},
    Maker{"Google", "google"},         Maker{"QEMU", "kvm"},          Maker{"KVM", "kvm"},
    Maker{"OpenStack", "kvm"},         Maker{"RHEV", "kvm"},          Maker{"oVirt", "kvm"},
};

std::string count_fact(const Reading& list) {
  return list.present() ? std::to_string(result::parse_processors(list.text).size()) : list.fact();
}

}  // namespace

bool in_wsl(const Tree& tree) {
  const std::string kernel = tree.read("/proc/sys/kernel/osrelease").text;
  return kernel.find("microsoft") != std::string::npos || kernel.find("Microsoft") != std::string::npos;
}

std::string virtualization(const Tree& tree) {
  if (in_wsl(tree)) return "hyper-v";
  const Reading cpuinfo = tree.read("/proc/cpuinfo", cpuinfo_limit);
  const std::string flags = " " + value_in(cpuinfo.text, "flags", ':') + " ";
  const bool flagged = flags.find(" hypervisor ") != std::string::npos;
  const std::string firmware =
      tree.read("/sys/class/dmi/id/sys_vendor").text + " " + tree.read("/sys/class/dmi/id/product_name").text;
  const auto maker = std::find_if(makers.begin(), makers.end(), [&](const Maker& entry) {
    return firmware.find(entry.text) != std::string::npos;
  });
  const bool named = maker != makers.end();
  // On x86 the processor's flag decides. A cloud's bare-metal machine bears its maker's name too, so the name
  // proves nothing without the flag. On other processors (Arm) there is no flag, and only makers of nothing
  // but virtual machines count.
  if (flagged) return named ? std::string(maker->name) : "hypervisor";
  if (tree.read("/sys/hypervisor/type").text == "xen") return "xen";
  if (!cpuinfo.present()) return cpuinfo.fact();
  if (flags.size() > 2) return "none";
  return named && (maker->name == "kvm" || maker->name == "vmware") ? std::string(maker->name) : "none";
}

result::Facts device_of_host(const Tree& tree) {
  const Reading online = tree.read(std::string(cpu_folder) + "/online");
  return {{"host.cpu_model", cpu_model(tree.read("/proc/cpuinfo", cpuinfo_limit))},
          {"host.cpus", count_fact(online)},
          {"host.sockets", sockets(tree)},
          {"host.memory_gib", memory_gib(tree.read("/proc/meminfo"))}};
}

result::Facts stack_of_host(const Tree& tree) {
  const Reading release = tree.read("/etc/os-release");
  const std::string pretty = value_in(release.text, "PRETTY_NAME", '=');
  return {{"kernel.version", tree.read("/proc/sys/kernel/osrelease").fact()},
          {"host.os", in_wsl(tree) ? "wsl2" : "linux"},
          {"host.distribution", pretty.empty() ? release.present() ? "unknown" : release.fact() : pretty},
          {"host.libc", tree.live() ? fmt::format("glibc {}", gnu_get_libc_version()) : "unknown"}};
}

result::Facts settings_of_machine(const Tree& tree, const Environment& environment) {
  result::Facts facts = settings_of_host(tree.at("/"));
  facts.erase("host.numa_nodes");  // topology
  for (const char* const name : {"host.governor", "host.cgroup_cpu_limit", "host.cpus_allowed"})
    facts.emplace(name, "absent");
  facts["host.transparent_hugepage"] = chosen(tree.read("/sys/kernel/mm/transparent_hugepage/enabled"));
  facts["host.virtualization"] = virtualization(tree);
  const std::string container = container_kind(tree, environment.contains("KUBERNETES_SERVICE_HOST"));
  facts["host.container"] = container.empty() ? "none" : container;
  facts.merge(environment_facts(environment));
  return facts;
}

result::Facts topology_of_host(const Tree& tree) {
  result::Facts facts;
  const Reading nodes = tree.read("/sys/devices/system/node/online");
  facts["host.numa_nodes"] = count_fact(nodes);
  const Reading smt = tree.read(std::string(cpu_folder) + "/smt/active");
  facts["host.smt"] = smt.text == "1" ? "on" : smt.text == "0" ? "off" : smt.fact();
  for (const char* const name : {"host.l1d", "host.l2", "host.l3"}) facts[name] = "absent";
  const std::string caches = std::string(cpu_folder) + "/cpu0/cache";
  for (const std::string& index : tree.list(caches)) {
    const std::string folder = fmt::format("{}/{}", caches, index);
    const std::string type = tree.read(folder + "/type").text;
    const std::string level = tree.read(folder + "/level").text;
    const std::string size = tree.read(folder + "/size").text;
    if (type.empty() || type == "Instruction" || size.empty()) continue;
    facts[level == "1" ? "host.l1d" : "host.l" + level] = size;
  }
  return facts;
}

}  // namespace gpugauge::stack
