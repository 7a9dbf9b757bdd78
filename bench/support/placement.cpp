#include "support/placement.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

#include "support/host.hpp"

namespace gpugauge::bench {

namespace {

namespace fs = std::filesystem;

// Largest number of processors of any kernel (CONFIG_NR_CPUS is at most 8192); longer lists are rejected.
constexpr int most_cpus = 8192;

// Parses a whole number, digits with an optional leading '-'; nullopt for anything else.
std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

fs::path nodes_folder(const fs::path& root) {
  return root / "sys/devices/system/node";
}

std::vector<int> cpus_of_node(int node, const fs::path& root) {
  return parse_cpu_list(first_line(nodes_folder(root) / fmt::format("node{}", node) / "cpulist"));
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

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view range = std::string_view(text).substr(from, comma - from);
    const std::size_t dash = range.find('-');
    const std::optional<int> first = number_of(range.substr(0, dash));
    const std::optional<int> last =
        dash == std::string_view::npos ? first : number_of(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most_cpus) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    from = comma + 1;
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::optional<int> node_of_device(const std::string& address, const fs::path& root) {
  if (address.empty() || address.find('/') != std::string::npos) return std::nullopt;
  const std::optional<int> node = number_of(first_line(root / "sys/bus/pci/devices" / address / "numa_node"));
  return node && *node >= 0 ? node : std::nullopt;
}

std::optional<int> node_of_cpu(int cpu, const fs::path& root) {
  std::error_code fault;
  for (fs::directory_iterator entry(nodes_folder(root), fault), end; !fault && entry != end;
       entry.increment(fault)) {
    const std::string name = entry->path().filename().string();
    if (name.rfind("node", 0) != 0) continue;
    const std::optional<int> node = number_of(std::string_view(name).substr(4));
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
  out.said = fmt::format("processors {}: those of the GPU's NUMA node among {}", cpu_list(out.cpus),
                         cpu_list(allowed));
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
