// Judges nodes by the sets of nodes that they were measured in.
#include "judge/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/fabric_ways.hpp"
#include "judge/scale.hpp"

namespace gpugauge::judge {
namespace {

using Names = std::vector<std::string>;

/// A value for readers, with the prefix that is usual for collectives.
std::string amount(double value, const std::string& unit) {
  if (unit == "byte/second") return fmt::format("{:.3g} GB/s", value / 1e9);
  if (unit == "second") return fmt::format("{:.3g} us", value * 1e6);
  return fmt::format("{:.4g} {}", value, unit);
}

/// "a pair", "a set of 4 nodes", or their plural.
std::string set_of(std::size_t nodes, bool several) {
  if (nodes == 2) return several ? "pairs" : "pair";
  return fmt::format("{} of {} nodes", several ? "sets" : "set", nodes);
}

class FabricJudging {
 public:
  FabricJudging(const FabricInput& input, const FabricRules& rules)
      : input_(input), rules_(rules), relative_(input.tolerance.value_or(rules.tolerance)) {
    if (!(relative_ > 0 && relative_ < 1))
      throw std::invalid_argument(
          fmt::format("the tolerance is {}; it must be above 0 and below 1", relative_));
    tolerance_ = step_of(relative_, input_.better);
  }

  FabricJudgement judged() && {
    sort_measurements();
    std::optional<double> expected;
    if (input_.expected) expected = to_scale(*input_.expected, input_.better);
    fit_ = fit_fabric(sets_, names_.size(), tolerance_, expected, rules_);
    judge_sizes();
    if (out_.judged) judge();
    std::stable_sort(out_.findings.begin(), out_.findings.end(),
                     [](const auto& a, const auto& b) { return a.fault < b.fault; });
    for (const FabricFinding& found : out_.findings)
      if (found.nodes.size() == 1) graver_.emplace(found.nodes.front(), found.fault);
    describe();
    return std::move(out_);
  }

 private:
  struct Seen {
    const Names* nodes = nullptr;
    int ranks = 0;
    std::vector<const SetMeasurement*> made;  ///< in the order given
  };

  void sort_measurements() {
    std::set<std::string> names;
    std::map<std::tuple<std::size_t, int, Names>, std::vector<const SetMeasurement*>> found;
    for (const SetMeasurement& one : input_.measurements) {
      names.insert(one.nodes.begin(), one.nodes.end());
      found[{one.nodes.size(), one.ranks, one.nodes}].push_back(&one);
    }
    names_.assign(names.begin(), names.end());
    asked_.resize(names_.size(), 0);
    for (auto& [key, made] : found) {
      const auto& [size, ranks, nodes] = key;
      if (out_.sizes.empty() || out_.sizes.back().nodes != size || out_.sizes.back().ranks != ranks)
        out_.sizes.push_back({size, ranks, 0, std::nullopt});
      ++out_.sizes.back().sets;
      MeasuredSet set;
      set.level = out_.sizes.size() - 1;
      set.value = std::numeric_limits<double>::infinity();
      for (const std::string& name : nodes)
        set.nodes.push_back(
            static_cast<std::size_t>(std::lower_bound(names_.begin(), names_.end(), name) - names_.begin()));
      for (const SetMeasurement* one : made)
        if (one->value) set.value = std::min(set.value, to_scale(*one->value, input_.better));
      sets_.push_back(std::move(set));
      seen_.push_back({&made.front()->nodes, ranks, std::move(made)});
    }
  }

  std::string reference_of(std::size_t level) const {
    return amount(from_scale(fit_.levels[level].reference, input_.better), input_.unit);
  }

  /// A set's best value, or why it has none.
  std::string said(std::size_t s) const {
    if (std::isfinite(sets_[s].value)) return amount(from_scale(sets_[s].value, input_.better), input_.unit);
    return fmt::format("failed ({})", seen_[s].made.front()->reason);
  }
  std::string said_each_time(std::size_t s) const {
    Names out;
    for (const SetMeasurement* one : seen_[s].made)
      out.push_back(one->value ? amount(*one->value, input_.unit) : fmt::format("failed ({})", one->reason));
    return fmt::format("{}", fmt::join(out, ", "));
  }

  void judge_sizes() {
    for (std::size_t level = 0; level < fit_.levels.size(); ++level) {
      const FabricLevel& fitted = fit_.levels[level];
      FabricSize& size = out_.sizes[level];
      if (fitted.judged) {
        out_.judged = true;
        size.reference = from_scale(fitted.reference, input_.better);
        if (fitted.quartile_slow)
          out_.remarks.push_back(
              fmt::format("more than a quarter of the {} are slow against the fastest one, which is the "
                          "reference",
                          set_of(size.nodes, true)));
        continue;
      }
      const auto first = static_cast<std::size_t>(
          std::find_if(sets_.begin(), sets_.end(), [&](const auto& set) { return set.level == level; }) -
          sets_.begin());
      if (!std::isfinite(sets_[first].value))
        out_.remarks.push_back(fmt::format("no {} could be measured; {}: {}", set_of(size.nodes, false),
                                           joined(*seen_[first].nodes), seen_[first].made.front()->reason));
      else
        out_.remarks.push_back(
            fmt::format("one {} has nothing to be compared with: give what it should "
                        "reach ({}: {})",
                        set_of(size.nodes, false), joined(*seen_[first].nodes), said(first)));
    }
  }

  void judge() {
    if (names_.size() == 2) return judge_two();
    const bool any = std::any_of(fit_.nodes.begin(), fit_.nodes.end(),
                                 [](const FittedNode& node) { return node.cleared; });
    if (!any) return judge_everything();
    for (std::size_t n = 0; n < names_.size(); ++n)
      if (!fit_.nodes[n].sets.empty() && !fit_.nodes[n].cleared) judge_node(n);
    judge_paths();
    say_what_is_not_told();
  }

  /// Needs an expected value: a single pair has no other to compare with.
  void judge_two() {
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      say_if_once_slow(s);
      if (fit_.excess[s] > tolerance_)
        add_slow(s, fit_.excess[s], "expected " + reference_of(sets_[s].level),
                 "with two nodes alone it cannot be told whether one of them or the path is slow");
    }
  }

  void judge_everything() {
    double best = std::numeric_limits<double>::infinity();
    std::size_t at = 0;
    for (std::size_t s = 0; s < sets_.size(); ++s)
      if (fit_.excess[s] < best) {
        best = fit_.excess[s];
        at = s;
      }
    Names measured;
    for (std::size_t n = 0; n < names_.size(); ++n)
      if (!fit_.nodes[n].sets.empty()) measured.push_back(names_[n]);
    add(FabricFault::everything, std::move(measured), best,
        fmt::format("no {} reaches the expected {}; the best has {}: what all nodes have in common is slow, "
                    "and no node can be told from the others",
                    set_of(sets_[at].nodes.size(), false), reference_of(sets_[at].level), said(at)));
  }

  Names others(std::size_t s, std::size_t n) const {
    Names out;
    for (const std::size_t other : sets_[s].nodes)
      if (other != n) out.push_back(names_[other]);
    return out;
  }

  /// "node1 243 GB/s, node4 failed (...)", for the sets of a node.
  std::string told(const std::vector<std::size_t>& sets, std::size_t n) const {
    constexpr std::size_t shown = 4;
    Names out;
    for (std::size_t i = 0; i < std::min(shown, sets.size()); ++i)
      out.push_back(fmt::format("{} {}", joined(others(sets[i], n)), said(sets[i])));
    const std::string more = sets.size() > shown ? fmt::format(" and {} more", sets.size() - shown) : "";
    return fmt::format("{}{}", fmt::join(out, ", "), more);
  }

  void judge_node(std::size_t n) {
    const FittedNode& node = fit_.nodes[n];
    const Names self{names_[n]};
    if (!node.separable) return leave_open(n);
    const std::string seen =
        fmt::format("({}), and they are fast with others (reference {})", told(node.telling, n),
                    reference_of(sets_[node.telling.front()].level));
    if (std::isinf(node.slowness))
      add(FabricFault::failed_node, self, node.slowness, "fails with every partner " + seen);
    else if (node.slowness > tolerance_)
      add(FabricFault::slow_node, self, node.slowness, "is slow with every partner " + seen);
    else
      out_.remarks.push_back(fmt::format(
          "{} is slow with every partner only by what both lack together: each is within the tolerance",
          names_[n]));
  }

  /// Too few partners are fast elsewhere: requests the missing ones.
  void leave_open(std::size_t n) {
    const FittedNode& node = fit_.nodes[n];
    const std::string seen = told(node.sets, n);
    std::string why;
    if (node.sets.size() == 1)
      why = fmt::format(
          "was measured in one {} only, and was slow there ({}): whether it, the others or the "
          "path is slow cannot be told",
          set_of(sets_[node.sets.front()].nodes.size(), false), seen);
    else
      why = fmt::format(
          "was not fast with anybody ({}): too few partners to tell, {} of {} that are fast "
          "with others",
          seen, node.partners, rules_.partners);
    add(FabricFault::undecided, {names_[n]}, node.fastest, std::move(why));
    std::set<std::size_t> known{n};
    for (const std::size_t s : node.sets)
      if (sets_[s].nodes.size() == 2) known.insert(sets_[s].nodes.begin(), sets_[s].nodes.end());
    std::vector<std::size_t> clean;
    for (std::size_t other = 0; other < names_.size(); ++other)
      if (fit_.nodes[other].cleared && !known.contains(other)) clean.push_back(other);
    // Prefer the nodes requested least, so that measurements can run in parallel.
    const std::size_t lacking = std::min(rules_.partners - node.partners, clean.size());
    std::partial_sort(clean.begin(), clean.begin() + static_cast<std::ptrdiff_t>(lacking), clean.end(),
                      [&](std::size_t a, std::size_t b) {
                        return std::tuple(asked_[a], fit_.nodes[a].sets.size(), a) <
                               std::tuple(asked_[b], fit_.nodes[b].sets.size(), b);
                      });
    for (std::size_t i = 0; i < lacking; ++i) {
      ++asked_[clean[i]];
      out_.measure_again.push_back(
          {std::min(names_[n], names_[clean[i]]), std::max(names_[n], names_[clean[i]])});
    }
  }

  void judge_paths() {
    std::map<std::string, std::size_t> ends;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      const Names& nodes = *seen_[s].nodes;
      say_if_once_slow(s);
      if (!(fit_.excess[s] > tolerance_ && fit_.unexplained[s] > tolerance_)) continue;
      const bool all_fast = std::all_of(sets_[s].nodes.begin(), sets_[s].nodes.end(),
                                        [&](std::size_t n) { return fit_.nodes[n].cleared; });
      const char* what = !all_fast           ? "more than its slow nodes explain"
                         : nodes.size() == 2 ? "and each is fast with others: the path between them"
                                             : "and each is fast with others: a part of the fabric that they "
                                               "share";
      if (add_slow(s, fit_.unexplained[s], "reference " + reference_of(sets_[s].level), what))
        for (const std::string& node : nodes) ++ends[node];
    }
    for (const auto& [node, count] : ends)
      if (count > 1)
        add(FabricFault::undecided, {node}, std::numeric_limits<double>::infinity(),
            fmt::format("is an end of {} slow paths, and fast with others: it may come and go, or stand "
                        "behind a slow part of the fabric",
                        count));
  }

  /// Adds a set that is slow in all of two or more measurements; with one, requests another. Returns true if
  /// it is found.
  bool add_slow(std::size_t s, double step, const std::string& against, const std::string& what) {
    const Names& nodes = *seen_[s].nodes;
    const bool again = seen_[s].made.size() > 1;
    add(again ? FabricFault::slow_path : FabricFault::undecided, nodes, step,
        fmt::format("slow {} ({}; {}), {}{}", again ? "each time" : "once", said_each_time(s), against, what,
                    again ? "" : "; not measured again"));
    if (!again) out_.measure_again.push_back(nodes);
    return again;
  }

  void say_if_once_slow(std::size_t s) {
    if (!(fit_.excess[s] <= tolerance_)) return;  // slow, or not judged
    const double limit = fit_.levels[sets_[s].level].reference + tolerance_;
    for (const SetMeasurement* one : seen_[s].made)
      if (!one->value || to_scale(*one->value, input_.better) > limit) {
        out_.remarks.push_back(fmt::format("{} were slow once and fast when measured again ({})",
                                           joined(*seen_[s].nodes), said_each_time(s)));
        return;
      }
  }

  void say_what_is_not_told() {
    Names once;
    for (std::size_t n = 0; n < names_.size(); ++n)
      if (fit_.nodes[n].cleared && !fit_.nodes[n].separable) once.push_back(names_[n]);
    if (!once.empty())
      out_.remarks.push_back(fmt::format(
          "measured with fewer than {} partners that are fast elsewhere, so that what is lacking within the "
          "tolerance cannot be told to be the node's or the path's: {}",
          rules_.partners, joined(once)));
  }

  void add(FabricFault fault, Names nodes, double step, std::string sentence) {
    FabricFinding found{fault, std::move(nodes), std::nullopt, std::move(sentence)};
    found.change = finite_change(step);
    out_.findings.push_back(std::move(found));
  }

  /// A step as a relative change; nullopt if it is not finite.
  std::optional<double> finite_change(double step) const {
    const double change = relative_of(step, input_.better);
    return std::isfinite(step) && std::isfinite(change) ? std::optional(change) : std::nullopt;
  }

  std::string state_of(std::size_t n) const {
    if (fit_.nodes[n].sets.empty() || !out_.judged) return "not judged";
    if (!out_.findings.empty() && out_.findings.front().fault == FabricFault::everything) return "slow";
    if (const auto found = graver_.find(names_[n]); found != graver_.end())
      return found->second == FabricFault::failed_node ? "fails"
             : found->second == FabricFault::slow_node ? "slow"
                                                       : "undecided";
    return fit_.nodes[n].cleared || fit_.nodes[n].separable ? "fine" : "undecided";
  }

  void describe() {
    out_.metric = input_.metric;
    out_.metric_class = input_.metric_class;
    out_.unit = input_.unit;
    out_.better = input_.better;
    out_.description = input_.description;
    out_.tolerance = relative_;
    out_.expected = input_.expected;
    for (std::size_t n = 0; n < names_.size(); ++n) {
      const FittedNode& node = fit_.nodes[n];
      FabricNode made{names_[n], node.sets.size(), std::nullopt, state_of(n)};
      if (node.separable) made.slowness = finite_change(node.slowness);
      out_.nodes.push_back(std::move(made));
    }
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      FabricSet made{*seen_[s].nodes,
                     seen_[s].ranks,
                     {},
                     0,
                     finite_change(fit_.excess[s]),
                     finite_change(fit_.unexplained[s])};
      for (const SetMeasurement* one : seen_[s].made) {
        if (one->value)
          made.values.push_back(*one->value);
        else
          ++made.failed;
      }
      out_.sets.push_back(std::move(made));
    }
  }

  const FabricInput& input_;
  const FabricRules& rules_;
  double relative_;
  double tolerance_ = 0;
  Names names_;
  std::vector<MeasuredSet> sets_;
  std::vector<Seen> seen_;  ///< parallel to sets_
  FabricFit fit_;
  std::vector<int> asked_;                     ///< by node: how often it was named as a further partner
  std::map<std::string, FabricFault> graver_;  ///< gravest fault found for each single node
  FabricJudgement out_;
};

}  // namespace

FabricJudgement judge_fabric(const FabricInput& input, const FabricRules& rules) {
  return with_ways(input, FabricJudging(input, rules).judged());
}

std::string_view to_string(FabricFault fault) {
  switch (fault) {
    case FabricFault::everything:
      return "everything is slow";
    case FabricFault::failed_node:
      return "node that fails";
    case FabricFault::slow_node:
      return "slow node";
    case FabricFault::slow_path:
      return "slow path";
    case FabricFault::undecided:
      break;
  }
  return "undecided";
}

std::string joined(const std::vector<std::string>& nodes) {
  constexpr std::size_t most = 4;
  if (nodes.empty()) return "";
  if (nodes.size() > most) return fmt::format("{} and {} more", nodes.front(), nodes.size() - 1);
  if (nodes.size() == 1) return nodes.front();
  return fmt::format("{} and {}", fmt::join(nodes.begin(), nodes.end() - 1, ", "), nodes.back());
}

}  // namespace gpugauge::judge
