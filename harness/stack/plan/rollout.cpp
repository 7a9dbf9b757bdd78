// Plans an upgrade of many nodes: kinds, canary, waves and nodes left out.
#include "stack/plan/rollout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/counted.hpp"
#include "stack/plan/plan_fit.hpp"
#include "stack/rules/fabric.hpp"
#include "stack/rules/rules.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {
namespace {

using Reason = LeftOutNode::Reason;
using Nodes = std::vector<const RolloutNode*>;

/// "8 x NVIDIA H100 80GB HBM3, driver 570.86.15, ubuntu 24.04, NVSwitch".
std::string kind_of(const Inventory& inventory) {
  std::map<std::string, std::size_t> models;
  for (const std::string& index : inventory.children("gpu"))
    ++models[inventory.value("gpu." + index + ".name")];
  std::vector<std::string> words;
  words.reserve(models.size());
  for (const auto& [name, count] : models) words.push_back(fmt::format("{} x {}", count, name));
  const std::string driver = inventory.value("driver.version");
  if (!driver.empty()) words.push_back("driver " + driver);
  std::string system = inventory.value("host.distribution_id");
  if (system.empty()) system = inventory.value("host.distribution");
  if (!system.empty()) words.push_back(system);
  if (look_at_fabric(inventory).managed) words.emplace_back("NVSwitch");
  return fmt::format("{}", fmt::join(words, ", "));
}

bool has_all(const Inventory& inventory, const PlanRequest& request) {
  return std::all_of(request.versions.begin(), request.versions.end(), [&](const auto& wanted) {
    const auto have = Version::parse(layer_version(inventory, wanted.first));
    return have && have->first(wanted.second.size()) == wanted.second;
  });
}

/// Compares the system's C library or release with the planned CUDA.
std::optional<LeftOutNode> by_system(const RolloutNode& node, const PlanRequest& request,
                                     const Tables& tables) {
  const auto cuda = request.versions.find("cuda");
  if (cuda == request.versions.end()) return std::nullopt;
  const Version release = cuda->second.first(2);
  const std::string system = node.inventory.value("host.distribution_id");
  const OsSupport* row = system.empty() ? nullptr : tables.system(system);
  if (row != nullptr && row->source.read && !row->cuda.contains(release))
    return LeftOutNode{
        node.name,
        Reason::cannot,
        fmt::format("CUDA {} does not list {} among its systems. {}", release.text(), system, row->note),
        "Upgrade the system first, or work in containers of a newer one.",
        {row->source.text}};
  if (const auto pair = fit_libc_cuda(node.inventory.value("host.libc"), release);
      pair && pair->fit == Fit::fails)
    return LeftOutNode{node.name, Reason::cannot, pair->reason, pair->remedy, pair->sources};
  return std::nullopt;
}

std::vector<Finding> failures_of(const Inventory& inventory, const Tables& tables, const PlanTerms& terms) {
  std::vector<Finding> out = diagnose_stack({inventory, tables, terms.policy, terms.today});
  std::erase_if(out, [](const Finding& finding) { return finding.severity != Severity::failure; });
  return out;
}

/// The inventory with the planned driver's version and limit. Without what tells the versions of a toolkit or
/// framework that the plan replaces: plan() judges those.
Inventory with_planned_versions(const Inventory& inventory, const PlanRequest& request,
                                const Tables& tables) {
  const auto driver = request.version("driver");
  const DriverBranch* const branch = driver ? tables.branch(*driver) : nullptr;
  const bool latest = branch != nullptr && branch->latest && branch->latest->first(driver->size()) == *driver;
  Inventory out;
  for (Item item : inventory.items()) {
    const std::string& key = item.key;
    if (request.version("cuda") && key.starts_with("toolkit.")) continue;
    if (const auto end = key.rfind('.');
        key.starts_with("framework.") && (key.ends_with(".cuda") || key.ends_with(".arch_list")) &&
        request.version(
            key.substr(std::string_view("framework.").size(), end - std::string_view("framework.").size())))
      continue;
    if (driver && key == "driver.cuda_max") {
      if (branch == nullptr || !branch->cuda_max) continue;
      item.value = branch->cuda_max->text();
    }
    if (driver && key == "driver.version")
      item.value = latest ? driver_text(*branch->latest) : driver_text(*driver);
    out.add(std::move(item));
  }
  return out;
}

/// Reports what the doctor finds broken on a node that it collected, and what the plan does not mend by its
/// versions.
std::optional<LeftOutNode> by_faults(const RolloutNode& node, const PlanRequest& request,
                                     const Tables& tables, const PlanTerms& terms) {
  if (!node.whole) return std::nullopt;
  const std::vector<Finding> then =
      failures_of(with_planned_versions(node.inventory, request, tables), tables, terms);
  std::vector<std::string> faults;
  for (const Finding& finding : failures_of(node.inventory, tables, terms))
    if (std::any_of(then.begin(), then.end(), [&](const Finding& one) { return one.cause == finding.cause; }))
      faults.push_back(finding.title);
  if (faults.empty()) return std::nullopt;
  return LeftOutNode{node.name,
                     Reason::faulty,
                     fmt::format("The doctor finds {} on it: {}.", result::counted(faults.size(), "failure"),
                                 fmt::join(faults, "; ")),
                     "Mend it, save its `gpugauge doctor --json` again, and plan again.",
                     {}};
}

/// Why a node is in no wave; nullopt if it is in one.
std::optional<LeftOutNode> left_out(const RolloutNode& node, const PlanRequest& request, const Tables& tables,
                                    const PlanReport& report, const PlanTerms& terms) {
  // A driver replaced on disk but not yet loaded looks like one already present.
  if (has_all(node.inventory, request)) {
    if (auto out = by_faults(node, request, tables, terms)) return out;
    return LeftOutNode{node.name, Reason::there, "It has all of what is planned.", "", {}};
  }
  if (report.outcome == Fit::fails) {
    for (const PairFit& pair : report.pairs)
      if (pair.fit == Fit::fails && pair.limit == report.limits.front())
        return LeftOutNode{node.name, Reason::cannot,
                           fmt::format("{} with {}: {}", pair.first, pair.second, pair.reason), pair.remedy,
                           pair.sources};
  }
  if (auto out = by_system(node, request, tables)) return out;
  auto out = by_faults(node, request, tables, terms);
  if (!out && report.outcome == Fit::unknown) {
    const auto told = std::find_if(report.pairs.begin(), report.pairs.end(), [](const PairFit& pair) {
      return pair.fit == Fit::unknown && !pair.remedy.empty();
    });
    return LeftOutNode{
        node.name, Reason::unknown, report.sentence, told == report.pairs.end() ? "" : told->remedy, {}};
  }
  return out;
}

/// Per node, the number of lock fields in which it differs from the majority of its kind.
std::vector<std::size_t> oddities(const Nodes& kind) {
  std::vector<std::map<std::string, std::string>> facts(kind.size());
  std::map<std::string, std::vector<std::string>> values;
  for (std::size_t i = 0; i < kind.size(); ++i)
    for (const LockField& field : make_lock(kind[i]->inventory, "").fields) {
      facts[i][field.key] = field.value;
      values[field.key].push_back(field.value);
    }
  std::vector<std::size_t> out(kind.size(), 0);
  for (const auto& [key, all] : values) {
    const auto most = majority(all);
    if (!most || all.size() * 2 <= kind.size()) continue;
    for (std::size_t i = 0; i < kind.size(); ++i) {
      const auto found = facts[i].find(key);
      out[i] += found == facts[i].end() || found->second != *most ? 1 : 0;
    }
  }
  return out;
}

struct Chosen {
  const RolloutNode* node = nullptr;
  std::size_t odd = 0;
};

/// The node most like the others of its kind. Nodes with known health come first.
Chosen typical(const Nodes& kind) {
  const std::vector<std::size_t> odd = oddities(kind);
  std::size_t best = 0;
  for (std::size_t i = 1; i < kind.size(); ++i) {
    const auto rank = [&](std::size_t at) { return std::pair(!kind[at]->whole, odd[at]); };
    if (rank(i) < rank(best)) best = i;
  }
  return {kind[best], odd[best]};
}

std::string why_canary(const Chosen& chosen, std::size_t kind, std::size_t nodes, bool mends) {
  std::string text = fmt::format("of the largest kind ({} of {})", kind, result::counted(nodes, "node"));
  if (kind > 1)
    text += chosen.odd == 0 ? ", with every pinned fact as most of it have"
                            : fmt::format(", with the fewest facts unlike most of it ({})", chosen.odd);
  text += chosen.node->whole ? fmt::format(", and the doctor finds no failure on it{}",
                                           mends ? " but what the plan mends" : "")
                             : "; its health is not known: a run or a lock does not tell it";
  return text;
}

/// `part` of `all` nodes, at least one.
std::size_t part_of(double part, std::size_t all) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::floor(part * static_cast<double>(all))));
}

std::vector<std::string> slice(const std::vector<std::string>& names, std::size_t from, std::size_t to) {
  return {names.begin() + static_cast<std::ptrdiff_t>(from), names.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// Adds waves with one node of each kind but the canary's, at most `most` at once.
void add_other_kinds(const std::vector<std::string>& others, std::size_t most, Rollout& out) {
  const std::size_t parts = (others.size() + most - 1) / most;
  for (std::size_t part = 0; part < parts; ++part)
    out.waves.push_back({parts == 1 ? std::string("one of each other kind")
                                    : fmt::format("one of each other kind, {} of {}", part + 1, parts),
                         "A canary speaks only for nodes like itself.",
                         slice(others, part * most, std::min(others.size(), (part + 1) * most))});
}

void add_waves(const std::vector<std::string>& rest, double share, std::size_t all, Rollout& out) {
  const std::size_t most = part_of(share, all);
  std::size_t size = std::min(most, part_of(.1, all));
  int number = 0;
  for (std::size_t at = 0; at < rest.size(); size = most) {
    const std::size_t end = std::min(rest.size(), at + size);
    out.waves.push_back(
        {fmt::format("wave {}", ++number),
         number == 1 ? fmt::format("{} first: what only some machines show is seen here.",
                                   result::counted(end - at, "node"))
         : most == 1
             ? std::string("One node at once: the others keep working.")
             : fmt::format("At most {:.0f}% of the nodes at once: the others keep working.", share * 100),
         slice(rest, at, end)});
    at = end;
  }
}

}  // namespace

const char* to_string(Reason reason) {
  switch (reason) {
    case Reason::there:
      return "there already";
    case Reason::cannot:
      return "cannot take it";
    case Reason::faulty:
      return "mend first";
    case Reason::unknown:
      break;
  }
  return "cannot be told";
}

std::size_t Rollout::count(Reason reason) const {
  return static_cast<std::size_t>(std::count_if(
      left_out.begin(), left_out.end(), [&](const LeftOutNode& node) { return node.reason == reason; }));
}

std::size_t Rollout::in_waves() const {
  std::size_t nodes = 0;
  for (const RolloutWave& wave : waves) nodes += wave.nodes.size();
  return nodes;
}

Rollout roll_out(const std::vector<RolloutNode>& nodes, const PlanRequest& request, const Tables& tables,
                 const PlanTerms& terms, double share) {
  Rollout out;
  std::map<std::string, Nodes> by_kind;
  Nodes going;
  for (const RolloutNode& node : nodes) {
    if (!node.unreadable.empty()) {
      out.left_out.push_back({node.name,
                              Reason::unknown,
                              node.unreadable + ".",
                              "Save its `gpugauge doctor --json` again, and plan again.",
                              {}});
      continue;
    }
    const PlanReport report = plan(request, node.inventory, tables, terms);
    if (auto left = left_out(node, request, tables, report, terms)) {
      out.left_out.push_back(std::move(*left));
      continue;
    }
    // Equal findings appear once; for another kind of GPU a finding may advise another branch.
    for (const Finding& finding : report.findings)
      if (std::find(out.findings.begin(), out.findings.end(), finding) == out.findings.end())
        out.findings.push_back(finding);
    by_kind[kind_of(node.inventory)].push_back(&node);
    going.push_back(&node);
  }
  constexpr std::array order{Reason::cannot, Reason::faulty, Reason::unknown, Reason::there};
  std::stable_sort(out.left_out.begin(), out.left_out.end(), [&](const LeftOutNode& a, const LeftOutNode& b) {
    const auto rank = [&](Reason reason) { return std::find(order.begin(), order.end(), reason); };
    return rank(a.reason) < rank(b.reason);
  });
  std::vector<std::pair<std::string, Nodes>> kinds(by_kind.begin(), by_kind.end());
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  RolloutWave first{"canary", "One typical node: what is wrong with the plan itself shows here.", {}};
  std::vector<std::string> others;
  std::vector<std::string> rest;
  for (auto& [description, kind] : kinds) {
    std::sort(kind.begin(), kind.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    const Chosen chosen = typical(kind);
    if (out.canary.empty()) {
      out.canary = chosen.node->name;
      out.why_canary = why_canary(chosen, kind.size(), going.size(),
                                  !failures_of(chosen.node->inventory, tables, terms).empty());
    }
    (first.nodes.empty() ? first.nodes : others).push_back(chosen.node->name);
    RolloutKind made{description, {}};
    for (const RolloutNode* node : kind) {
      made.nodes.push_back(node->name);
      if (node != chosen.node) rest.push_back(node->name);
    }
    out.kinds.push_back(std::move(made));
  }
  if (!first.nodes.empty()) out.waves.push_back(std::move(first));
  add_other_kinds(others, part_of(share, going.size()), out);
  add_waves(rest, share, going.size(), out);
  out.steps = rollout_steps(going, request);
  // Nodes left behind or already upgraded are part of every mixture.
  Nodes all;
  for (const RolloutNode& node : nodes)
    if (node.unreadable.empty()) all.push_back(&node);
  out.mixtures = mixtures(all, request, tables);
  const std::size_t unjudged = static_cast<std::size_t>(
      std::count_if(going.begin(), going.end(), [](const RolloutNode* node) { return !node->whole; }));
  if (unjudged > 0)
    out.remarks.push_back(
        fmt::format("Of {} a run or a lock is all that was given: their health and system are not known; "
                    "`gpugauge doctor --json` on them tells.",
                    result::counted(unjudged, "node")));
  out.sentence = fmt::format(
      "{} of {} can take it, in {}; {} cannot, {} to mend first, {} cannot be told, {} there "
      "already",
      going.size(), result::counted(nodes.size(), "node"), result::counted(out.waves.size(), "wave"),
      out.count(Reason::cannot), out.count(Reason::faulty), out.count(Reason::unknown),
      out.count(Reason::there));
  return out;
}

}  // namespace gpugauge::stack
