// Which versions may coexist during an upgrade.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/plan/rollout.hpp"
#include "stack/rules/fabric.hpp"

namespace gpugauge::stack {
namespace {

using Nodes = std::vector<const RolloutNode*>;

/// Each version of a layer with its number of nodes; nodes with an unknown version are left out.
std::map<std::string, std::size_t> versions_of(const Nodes& nodes, const std::string& layer) {
  std::map<std::string, std::size_t> out;
  for (const RolloutNode* node : nodes)
    if (const std::string version = layer_version(node->inventory, layer); Version::parse(version))
      ++out[version];
  return out;
}

/// CUDA versions of the programs on the nodes: from frameworks, toolkits, images.
std::set<std::string> cudas_of(const Nodes& nodes) {
  std::set<std::string> out;
  const auto add = [&](const std::string& text) {
    const auto version = Version::parse(text);
    if (version && version->size() >= 2) out.insert(version->first(2).text());
  };
  for (const RolloutNode* node : nodes) {
    add(layer_version(node->inventory, "cuda"));
    add(node->inventory.value("container.image_cuda"));
    for (const std::string& name : node->inventory.children("framework"))
      add(node->inventory.value("framework." + name + ".cuda"));
  }
  return out;
}

/// `fit` according to that rule; unknown if nobody read it in a source, or the tables lack it.
Mixture by_rule(const Tables& tables, const std::string& subject, Fit fit, std::string what,
                const std::string& more) {
  const StatedRule* rule = tables.rule(subject);
  if (rule == nullptr) return {std::move(what), Fit::unknown, "The tables have no rule for it. " + more, {}};
  return {
      std::move(what), rule->source.read ? fit : Fit::unknown, rule->rule + " " + more, {rule->source.text}};
}

std::string forward_way_out(const Nodes& nodes, const std::string& driver, const Version& cuda) {
  std::set<Market> markets;
  for (const RolloutNode* node : nodes) {
    if (node->inventory.value("driver.version") != driver) continue;
    for (const std::string& index : node->inventory.children("gpu")) {
      const std::string prefix = "gpu." + index + ".";
      markets.insert(
          market_of(node->inventory.value(prefix + "name"), node->inventory.value(prefix + "brand")));
    }
  }
  if (markets == std::set{Market::data_centre})
    return fmt::format(" On these data-centre GPUs the package cuda-compat-{}-{} is another way.",
                       cuda.major(), cuda.minor());
  if (markets.count(Market::geforce) > 0)
    return " Forward-compatibility packages are no way out on GeForce cards: initialisation answers 804.";
  return "";
}

/// Everything the tables say about it, as one answer.
Mixture forward_compatibility(const Tables& tables) {
  Mixture out{"a newer CUDA on an older driver by a forward-compatibility package", Fit::unknown, "", {}};
  for (const StatedRule& rule : tables.rules) {
    if (rule.subject != "forward compatibility" || !rule.source.read) continue;
    out.fit = Fit::limited;
    out.reason += (out.reason.empty() ? "" : " ") + rule.rule;
    if (std::find(out.sources.begin(), out.sources.end(), rule.source.text) == out.sources.end())
      out.sources.push_back(rule.source.text);
  }
  if (out.reason.empty()) out.reason = "The tables have no rule for it.";
  return out;
}

void add_drivers(const Nodes& nodes, const PlanRequest& request, const Tables& tables,
                 std::vector<Mixture>& out) {
  const auto wanted = request.version("driver");
  const auto cuda = request.version("cuda");
  const auto there = versions_of(nodes, "driver");
  bool forward = false;
  if (cuda)
    for (const auto& [text, count] : there) {
      const Version old = *Version::parse(text);
      if (wanted && old.first(wanted->size()) == *wanted) continue;
      const PairFit pair = fit_driver_cuda(tables, old, *cuda);
      Mixture mixture{fmt::format("programs of CUDA {} on nodes that still have driver {} ({} now)",
                                  cuda->first(2).text(), text, count),
                      pair.fit, pair.reason, pair.sources};
      if (pair.fit == Fit::fails) {
        mixture.reason += forward_way_out(nodes, text, *cuda);
        mixture.reason += " Keep such jobs to nodes that are through.";
        forward = true;
      }
      out.push_back(std::move(mixture));
    }
  if (forward) out.push_back(forward_compatibility(tables));
  if (!wanted) return;
  for (const std::string& text : cudas_of(nodes)) {
    const PairFit pair = fit_driver_cuda(tables, *wanted, *Version::parse(text));
    out.push_back({fmt::format("programs of CUDA {}, which are there now, on nodes that have driver {}", text,
                               driver_text(*wanted)),
                   pair.fit, pair.reason, pair.sources});
  }
  const bool all_there = std::all_of(there.begin(), there.end(), [&](const auto& one) {
    return Version::parse(one.first)->first(wanted->size()) == *wanted;
  });
  if (!all_there)
    out.push_back(
        {"one job on nodes of the old and of the new driver",
         Fit::unknown,
         "No source that was read allows or forbids it. Keep a job to one side: what it measures then "
         "belongs to one driver.",
         {}});
}

/// Titles of planned frameworks whose wheels contain an NCCL that no table lists.
std::vector<std::string> bring_unknown_nccl(const PlanRequest& request, const Tables& tables) {
  std::vector<std::string> out;
  for (const char* const name : {"torch", "tensorflow", "jax", "cupy", "vllm"}) {
    const auto version = request.version(name);
    if (!version) continue;
    const FrameworkBuild* const build = tables.framework(name, *version);
    if (build == nullptr || !build->nccl) out.push_back(framework_title(name));
  }
  return out;
}

void add_nccl(const Nodes& nodes, const PlanRequest& request, const Tables& tables,
              std::vector<Mixture>& out) {
  std::map<std::string, std::size_t> there = versions_of(nodes, "nccl");
  for (const RolloutNode* node : nodes)
    if (const std::string brought = node->inventory.value("framework.torch.nccl"); Version::parse(brought))
      ++there[brought];
  std::vector<std::string> texts;
  texts.reserve(there.size());
  for (const auto& [text, count] : there) texts.push_back(text);
  const auto wanted = request.version("nccl");
  std::string comes = wanted ? wanted->text() : "";
  if (const auto torch = request.version("torch"); !wanted && torch)
    if (const FrameworkBuild* build = tables.framework("torch", *torch); build != nullptr && build->nccl)
      comes = build->nccl->text();
  const bool changes =
      !comes.empty() && std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return Version::parse(text)->first(Version::parse(comes)->size()) != *Version::parse(comes);
      });
  if (changes)
    out.push_back(
        by_rule(tables, "NCCL ranks", Fit::fails,
                fmt::format("one job on nodes with NCCL {} and nodes with {}", fmt::join(texts, ", "), comes),
                "Give the nodes that are through a partition, queue or label of their own until the last "
                "wave."));
  else if (texts.size() > 1)
    out.push_back(
        by_rule(tables, "NCCL ranks", Fit::fails,
                fmt::format("one job on nodes, or in environments, with NCCL {}", fmt::join(texts, ", ")),
                "They differ already, before the upgrade."));
  if (changes) return;
  if (const auto unknown = bring_unknown_nccl(request, tables); !unknown.empty())
    out.push_back(
        {"one job on nodes of before and of after, by their NCCL",
         Fit::unknown,
         fmt::format("This plan may change NCCL: the wheels of {} bring their own, and the tables do not "
                     "tell which. Keep a job to one side.",
                     fmt::join(unknown, " and of ")),
         {}});
  else if (texts.size() == 1 && comes.empty())
    out.push_back(by_rule(tables, "NCCL ranks", Fit::works,
                          fmt::format("NCCL {} on all nodes that tell it, before and after", texts.front()),
                          "The plan does not change it."));
}

}  // namespace

std::vector<Mixture> mixtures(const std::vector<const RolloutNode*>& nodes, const PlanRequest& request,
                              const Tables& tables) {
  std::vector<Mixture> out;
  add_drivers(nodes, request, tables, out);
  add_nccl(nodes, request, tables, out);
  if (!request.versions.count("driver")) return out;
  const auto count = [&](const auto& holds) {
    return std::count_if(nodes.begin(), nodes.end(),
                         [&](const RolloutNode* node) { return holds(node->inventory); });
  };
  const auto managed = [](const Inventory& inventory) { return look_at_fabric(inventory).managed; };
  if (const auto switches = count(managed); switches > 0)
    out.push_back(
        by_rule(tables, "fabric manager", Fit::fails,
                fmt::format("a fabric manager of another version than the driver, on the {} with NVSwitch",
                            switches == 1 ? "node" : fmt::format("{} nodes", switches)),
                "Change both on a node in one step."));
  if (count([](const Inventory& inventory) {
        return inventory.value("vgpu.guest") == "yes" || inventory.value("vgpu.host") == "yes";
      }) > 0)
    out.push_back(by_rule(tables, "vGPU", Fit::limited,
                          "a guest's driver and its host's of two vGPU releases", "Change hosts first."));
  return out;
}

}  // namespace gpugauge::stack
