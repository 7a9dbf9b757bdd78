#include "support/placement.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "result/number.hpp"
#include "result/processor_list.hpp"
#include "support/host.hpp"

namespace gpugauge::bench {

namespace {

namespace fs = std::filesystem;

fs::path nodes_folder(const fs::path& root) {
  return root / "sys/devices/system/node";
}

std::vector<int> cpus_of_node(int node, const fs::path& root) {
  return result::parse_processors(first_line(nodes_folder(root) / fmt::format("node{}", node) / "cpulist"));
}

struct Process {
  bool wanted = false;
  std::optional<Placement> placed;
};

Process& process() {
  static Process state;
  return state;
}

std::string node_text(const std::optional<int>& node) {
  return node ? std::to_string(*node) : "unknown";
}

// The thread keeps this affinity after the function returns; Pinned would restore the old one.
void narrow(Placement& placement) {
  try {
    allow_only(placement.cpus);
  } catch (const std::system_error& refused) {
    placement.cpus.clear();
    placement.said = fmt::format("left as it was: {}", refused.what());
  }
}

}  // namespace

std::optional<int> node_of_device(const std::string& address, const fs::path& root) {
  if (address.empty() || address.find('/') != std::string::npos) return std::nullopt;
  const std::optional<int> node =
      result::number_in<int>(first_line(root / "sys/bus/pci/devices" / address / "numa_node"));
  return node && *node >= 0 ? node : std::nullopt;
}

std::optional<int> node_of_cpu(int cpu, const fs::path& root) {
  std::error_code fault;
  for (fs::directory_iterator entry(nodes_folder(root), fault), end; !fault && entry != end;
       entry.increment(fault)) {
    const std::string name = entry->path().filename().string();
    if (name.rfind("node", 0) != 0) continue;
    const std::optional<int> node = result::number_in<int>(std::string_view(name).substr(4));
    if (!node || *node < 0) continue;
    const std::vector<int> cpus = cpus_of_node(*node, root);
    if (std::binary_search(cpus.begin(), cpus.end(), cpu)) return node;
  }
  return std::nullopt;
}

Placement placement_near(const std::string& address, const std::vector<int>& allowed, const fs::path& root) {
  Placement out;
  out.gpu_node = node_of_device(address, root);
  const auto leave = [&](std::string why) {
    out.said = "left as it was: " + std::move(why);
    return out;
  };
  if (!out.gpu_node) return leave("the kernel does not say which NUMA node the GPU belongs to");
  const std::vector<int> local = cpus_of_node(*out.gpu_node, root);
  std::vector<int> both;
  std::set_intersection(allowed.begin(), allowed.end(), local.begin(), local.end(), std::back_inserter(both));
  if (both == allowed) return leave("every processor that it may use belongs to the GPU's NUMA node");
  if (both.empty()) return leave("no processor that it may use belongs to the GPU's NUMA node");
  if (both.size() < 2) return leave("only one processor that it may use belongs to the GPU's NUMA node");
  out.cpus = std::move(both);
  out.said = fmt::format("processors {}: those of the GPU's NUMA node among {}",
                         result::processors_text(out.cpus), result::processors_text(allowed));
  return out;
}

bool prefer_gpu_node() {
  process().wanted = true;
  return true;
}

void place_near(const std::string& address, const fs::path& root) {
  Process& state = process();
  if (!state.wanted || state.placed) return;
  Placement found = placement_near(address, allowed_cpus(), root);
  if (!found.cpus.empty()) narrow(found);
  state.placed = std::move(found);
}

result::Facts placement_notes(const fs::path& root) {
  const std::optional<Placement>& placed = process().placed;
  if (!placed) return {};
  return {{"numa_node", node_text(node_of_cpu(sched_getcpu(), root))},
          {"gpu_numa_node", node_text(placed->gpu_node)},
          {"placement", placed->said}};
}

}  // namespace gpugauge::bench
