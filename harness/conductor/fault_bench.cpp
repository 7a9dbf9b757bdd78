// Decides which faults can be tried on this machine, and with which profile, processors and neighbours.
#include "conductor/fault_bench.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "result/number.hpp"
#include "result/processor_list.hpp"
#include "run/load.hpp"
#include "run/surroundings.hpp"
#include "stack/now.hpp"
#include "stack/tree.hpp"

namespace gpugauge::conductor {
namespace {

constexpr std::size_t bytes_per_thread = std::size_t{256} << 20U;
constexpr std::string_view family_window = "--gpugauge_window=3600";

/// The shallowest profile that measures what the word selects; nullptr where none does.
const std::string* shallowest_of(std::string_view word, const Fault& fault, const Catalogue& catalogue) {
  const std::string* out = nullptr;
  for (const Benchmark& benchmark : catalogue.benchmarks)
    if (benchmark.kind == fault.device && selects(std::string(word), benchmark) &&
        (out == nullptr || run::depth_of(benchmark.profile) < run::depth_of(*out)))
      out = &benchmark.profile;
  return out;
}

/// The processors of every NUMA node other than that of the GPU with this UUID. Empty where there is no other
/// node, or the GPU's node is unknown.
std::vector<int> processors_of_other_node(const Target& target) {
  const stack::Tree tree("/");
  std::optional<int> own;
  for (const stack::KernelGpu& gpu : stack::machine_now("/").gpus) {
    if (gpu.uuid != target.selection) continue;
    const std::string text = tree.read(fmt::format("/sys/bus/pci/devices/{}/numa_node", gpu.address)).text;
    if (const auto node = result::number_in<int>(text); node && *node >= 0) own = node;
  }
  if (!own) return {};
  const std::vector<int> allowed = run::allowed_processors();
  for (const int node : result::parse_processors(tree.read("/sys/devices/system/node/online").text)) {
    if (node == *own) continue;
    std::vector<int> there = result::parse_processors(
        tree.read(fmt::format("/sys/devices/system/node/node{}/cpulist", node)).text);
    std::erase_if(there,
                  [&](int one) { return std::find(allowed.begin(), allowed.end(), one) == allowed.end(); });
    if (!there.empty()) return there;
  }
  return {};
}

std::vector<int> half_of(std::vector<int> processors) {
  processors.erase(processors.begin(),
                   processors.begin() + static_cast<std::ptrdiff_t>(processors.size() / 2));
  return processors;
}

}  // namespace

std::vector<int> confined_processors(const Fault& fault, const Target* target) {
  if (fault.confined == ConfinedTo::another_node && target != nullptr)
    return processors_of_other_node(*target);
  if (fault.confined == ConfinedTo::one_processor) {
    const std::vector<int> allowed = run::allowed_processors();
    if (!allowed.empty()) return {allowed.back()};
  }
  return {};
}

const Target* target_of_kind(const FaultBench& bench, DeviceKind kind) {
  const auto found = std::find_if(bench.targets.begin(), bench.targets.end(),
                                  [&](const Target& target) { return target.kind == kind; });
  return found == bench.targets.end() ? nullptr : &*found;
}

std::string why_not_here(const Fault& fault, const FaultBench& bench) {
  const Target* target = target_of_kind(bench, fault.device);
  if (target == nullptr) {
    if (fault.device == DeviceKind::host) return "the host is not among the devices that were chosen";
    if (!bench.no_gpu.empty()) return bench.no_gpu;
    return fault.device == DeviceKind::links ? "there are no two GPUs with links between them"
                                             : "no GPU is among the devices that were chosen";
  }
  const std::vector<int> allowed = run::allowed_processors();
  if (fault.confined == ConfinedTo::one_processor && allowed.size() < 2)
    return "this command itself may use one processor only";
  if (fault.confined == ConfinedTo::another_node && processors_of_other_node(*target).empty())
    return "there is no NUMA node beside the GPU's whose processors this command may use";
  if (fault.neighbour == Neighbour::family &&
      std::none_of(bench.catalogue.families.begin(), bench.catalogue.families.end(),
                   [&](const run::Family& family) { return family.name == fault.neighbour_family; }))
    return fmt::format("the family {} is not installed here", fault.neighbour_family);
  if (std::string missing = why_not_made(fault, place_of(fault, bench)); !missing.empty()) return missing;
  if (fault.found_by != FoundBy::check || !profile_of(fault, bench).empty()) return "";
  const auto missing = std::find_if(fault.measures.begin(), fault.measures.end(), [&](std::string_view word) {
    return shallowest_of(word, fault, bench.catalogue) == nullptr;
  });
  return fmt::format("no profile measures {} here, which would show it", *missing);
}

std::string profile_of(const Fault& fault, const FaultBench& bench) {
  std::string out = bench.profile;
  for (const std::string_view word : fault.measures) {
    const std::string* needed = shallowest_of(word, fault, bench.catalogue);
    if (needed == nullptr) return "";
    if (run::depth_of(*needed) > run::depth_of(out)) out = *needed;
  }
  return out;
}

FaultPlace place_of(const Fault& fault, const FaultBench& bench) {
  return {.folder = bench.folder / fault.id, .root = bench.root};
}

std::vector<run::Command> neighbours(const Fault& fault, const std::vector<int>& confined,
                                     const FaultBench& bench) {
  const auto load = [&](const char* kind, const std::vector<int>& processors) {
    return run::Command{
        bench.executable,
        {"probe", "load", "--kind", kind, "--processors", result::processors_text(processors), "--bytes",
         fmt::format("{}", bytes_per_thread), "--parent", fmt::format("{}", ::getpid())},
        {}};
  };
  switch (fault.neighbour) {
    case Neighbour::none:
      return {};
    case Neighbour::on_its_processor:
      return {load("compute", confined)};
    case Neighbour::on_all_processors:
      return {load("compute", run::allowed_processors())};
    case Neighbour::in_memory:
      return {load("memory", half_of(run::allowed_processors()))};
    case Neighbour::family:
      break;
  }
  std::vector<run::Command> out;
  for (const run::Family& family : bench.catalogue.families) {
    if (family.name != fault.neighbour_family) continue;
    run::Command command{family.executable, family.arguments, {}};
    command.arguments.insert(command.arguments.end(),
                             {std::string(family_window), "--gpugauge_depth=deep",
                              fmt::format("--benchmark_filter=^{}", fault.neighbour_filter),
                              fmt::format("--gpugauge_parent={}", ::getpid())});
    command.environment["CUDA_VISIBLE_DEVICES"] = target_of_kind(bench, fault.device)->visible;
    command.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
    out.push_back(std::move(command));
  }
  return out;
}

}  // namespace gpugauge::conductor
