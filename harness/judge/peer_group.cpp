#include "judge/peer_group.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "judge/judge_peers.hpp"
#include "judge/peer_faults.hpp"
#include "judge/peer_hosts.hpp"
#include "judge/peer_passes.hpp"
#include "judge/reasons.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// A run of a node and what it says of one metric.
struct Seen {
  std::size_t run = 0;
  double change = 0;
  double centre = 0;                     ///< what it is held against
  int nodes = 0;                         ///< whose median that is
  const PeerSuspect* suspect = nullptr;  ///< where it stands out
};

/// What becomes of a suspect run in the light of those after it.
struct Decided {
  PeerDecision decision = PeerDecision::cleared;
  std::size_t selecting = 0;  ///< index into the runs that have the metric
  std::size_t later = 0;      ///< runs after it
  double again = 0;           ///< their middle one
  /// Confirmed first, then what a further run would decide.
  int weight() const {
    if (decision == PeerDecision::cleared) return 0;
    return decision == PeerDecision::confirmed ? 3 : later == 0 ? 2 : 1;
  }
};

/// The comparison at work: the metrics that most nodes hold, each with one value a node. With a newcomer the
/// nodes make the scale, and it alone is judged.
class Comparison {
 public:
  Comparison(const std::vector<PeerRounds>& nodes, const PeerRounds* newcomer,
             const std::vector<PeerForm>& forms, const Policy& policy, const PeerRules& rules)
      : nodes_(nodes),
        newcomer_(newcomer),
        forms_(forms),
        policy_(policy),
        rules_(rules),
        count_(count_of(nodes)) {
    out_.verdicts.resize(judged_nodes());
    out_.again.resize(judged_nodes(), false);
    choose();
    gather();
    if (newcomer_ == nullptr)
      screen_fleet();
    else
      screen_one();
  }

  PeerGroupResult result() && {
    const auto& suspects = screen_.suspects;
    for (auto first = suspects.begin(); first != suspects.end();) {
      const auto end = std::find_if(first, suspects.end(), [&](const PeerSuspect& one) {
        return one.metric != first->metric || one.node != first->node;
      });
      take({first, end});
      first = end;
    }
    for (std::size_t n = 0; n < judged_nodes(); ++n) add_failures(judged_node(n), out_.verdicts[n]);
    return std::move(out_);
  }

 private:
  std::size_t judged_nodes() const { return newcomer_ == nullptr ? nodes_.size() : 1; }
  const PeerRounds& judged_node(std::size_t n) const { return newcomer_ == nullptr ? nodes_[n] : *newcomer_; }

  /// Which metrics are compared, in the order of their keys, and which are left out.
  void choose() {
    std::vector<int> have(forms_.size(), 0);
    Unmeasured unmeasured;
    std::vector<const PeerRounds*> all;
    for (const PeerRounds& node : nodes_) all.push_back(&node);
    if (newcomer_ != nullptr) all.push_back(newcomer_);
    std::vector<const PeerRounds*> last(forms_.size(), nullptr);
    for (const PeerRounds* node : all) {
      unmeasured.add(*node);
      for (const PeerRound* round : *node)
        for (const auto& [form, value] : round->values)
          if (std::exchange(last[form], node) != node && node != newcomer_) ++have[form];
    }
    std::vector<std::size_t> order;
    for (std::size_t f = 0; f < forms_.size(); ++f) {
      if (last[f] != nullptr) unmeasured.measured(forms_[f].benchmark);
      if (have[f] > 0) order.push_back(f);
    }
    out_.unmeasured = unmeasured.sentences(count_);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return forms_[a].key < forms_[b].key; });
    place_.assign(forms_.size(), forms_.size());
    for (const std::size_t f : order) {
      const bool enough =
          have[f] >= rules_.minimum_nodes && 2 * static_cast<std::size_t>(have[f]) > nodes_.size();
      if (!enough) {
        out_.not_judged.push_back(
            fmt::format("{}: {} of {} {} measure it", forms_[f].key, have[f], nodes_.size(), count_.many));
        continue;
      }
      place_[f] = metrics_.size();
      form_of_.push_back(f);
      have_.push_back(have[f]);
      relative_.push_back(peer_tolerance(policy_, forms_[f].metric_class, forms_[f].key));
      metrics_.push_back({step_of(relative_.back(), forms_[f].better),
                          std::vector<double>(nodes_.size(), absent), forms_[f].group});
    }
  }

  /// One value of a run for each metric on the scale, NaN where it has none.
  std::vector<double> values_of(const PeerRound& round) const {
    std::vector<double> out(metrics_.size(), absent);
    for (const auto& [form, value] : round.values)
      if (place_[form] < metrics_.size()) out[place_[form]] = to_scale(value, forms_[form].better);
    return out;
  }

  /// Fills metrics_ with what the nodes measured, and says who lacks what.
  void gather() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      std::vector<std::vector<double>> runs;
      for (std::size_t r = 0; r < nodes_[n].size(); ++r) {
        runs.push_back(values_of(*nodes_[n][r]));
        for (std::size_t m = 0; m < metrics_.size(); ++m) {
          if (std::isnan(runs[r][m])) continue;
          if (std::isnan(metrics_[m].values[n]))
            metrics_[m].values[n] = runs[r][m];
          else if (newcomer_ == nullptr)
            metrics_[m].further.push_back({n, r, runs[r][m], 0, 0});
        }
      }
      if (newcomer_ == nullptr) add_missing(n, runs);
    }
  }

  /// Holds every later run against the median of its pass where that has one, else against the first ones'.
  void screen_fleet() {
    const auto least = static_cast<std::size_t>(rules_.minimum_nodes);
    const auto passes = passes_of(nodes_, least);
    for (PeerMetric& metric : metrics_) {
      if (metric.further.empty()) continue;
      std::vector<double> first;
      for (const double value : metric.values)
        if (!std::isnan(value)) first.push_back(value);
      std::map<std::size_t, std::vector<double>> values;  // by pass, a node's first there
      std::map<std::size_t, std::size_t> last;            // node that is in it
      for (const PeerFurther& one : metric.further) {
        const std::size_t pass = passes[one.node][one.run];
        if (const auto [node, added] = last.try_emplace(pass, one.node); added || node->second != one.node) {
          node->second = one.node;
          values[pass].push_back(one.value);
        }
      }
      for (auto& [pass, of_nodes] : values)
        if (pass == 0 || !enough_for_pass(of_nodes.size(), nodes_.size(), least)) of_nodes = first;
      std::map<std::size_t, double> centres;
      for (const auto& [pass, of_nodes] : values) centres.emplace(pass, median(of_nodes));
      for (PeerFurther& one : metric.further) {
        const std::size_t pass = passes[one.node][one.run];
        one.centre = centres.at(pass);
        one.nodes = static_cast<int>(values.at(pass).size());
      }
    }
    screen_ = screen_peers(metrics_, rules_);
    out_.judged = metrics_.size();
  }

  void screen_one() {
    screen_.scales = peer_scales(metrics_, rules_);
    std::vector<double> tolerances;
    for (const PeerMetric& metric : metrics_) tolerances.push_back(metric.tolerance);
    for (const PeerRound* round : *newcomer_) newcomers_.push_back(values_of(*round));
    screen_.suspects = screen_newcomer(screen_.scales, tolerances, newcomers_, rules_);
    add_missing(0, newcomers_);
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      if (std::all_of(newcomers_.begin(), newcomers_.end(),
                      [&](const auto& values) { return std::isnan(values[m]); }))
        continue;
      const PeerForm& form = forms_[form_of_[m]];
      const double step = detectable_change(screen_.scales[m], tolerances[m], metrics_.size(), rules_);
      out_.sensitivity.push_back({form.key, relative_of(step, form.better), relative_[m]});
    }
    out_.judged = out_.sensitivity.size();
  }

  /// `open`: a further run would decide it. What failed counts whatever the policy says.
  void add(std::size_t node, Verdict verdict, bool open) {
    if (verdict.kind != VerdictKind::failed) apply_advisory(policy_, verdict);
    if (open && !verdict.advisory) out_.again[node] = true;
    out_.verdicts[node].push_back(std::move(verdict));
  }

  /// `runs`: the values of each run of the node. A run that was cut short is made good by a later one that
  /// has the metric. After one that has it a run lacks it where it says why; else it may not have been asked.
  void add_missing(std::size_t node, const std::vector<std::vector<double>>& runs) {
    const PeerRounds& rounds = judged_node(node);
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      const PeerForm& form = forms_[form_of_[m]];
      bool held = false;
      std::optional<Verdict> worst;
      for (std::size_t r = 0; r < runs.size() && !(worst && grave(*worst)); ++r) {
        if (!std::isnan(runs[r][m])) {
          held = true;
          continue;
        }
        const bool asked = rounds[r]->whole && (!held || fault_of(*rounds[r], form.benchmark) != nullptr);
        if (!asked) continue;
        Verdict verdict = missing_metric(form, *rounds[r], have_[m], count_);
        if (!worst || grave(verdict)) worst = std::move(verdict);
      }
      if (!held && !worst) worst = missing_metric(form, *rounds.front(), have_[m], count_);
      if (!worst || (held && !grave(*worst))) continue;
      const bool open = worst->kind == VerdictKind::inconclusive;
      add(node, std::move(*worst), open);
    }
  }

  /// What each run of the node that has the metric says of it, oldest first.
  std::vector<Seen> seen_of(std::span<const PeerSuspect> suspects) const {
    const std::size_t node = suspects.front().node;
    const std::size_t metric = suspects.front().metric;
    const double centre = screen_.scales[metric].centre;
    const int nodes = screen_.scales[metric].nodes;
    std::vector<Seen> out;
    if (newcomer_ == nullptr) {
      out.push_back({0, metrics_[metric].values[node] - centre, centre, nodes});
      const auto& further = metrics_[metric].further;
      auto one = std::lower_bound(further.begin(), further.end(), node,
                                  [](const PeerFurther& a, std::size_t b) { return a.node < b; });
      for (; one != further.end() && one->node == node; ++one)
        out.push_back({one->run, one->value - one->centre, one->centre, one->nodes});
    } else {
      for (std::size_t r = 0; r < newcomers_.size(); ++r)
        if (const double value = newcomers_[r][metric]; !std::isnan(value))
          out.push_back({r, value - centre, centre, nodes});
    }
    for (const PeerSuspect& suspect : suspects)
      for (Seen& seen : out)
        if (seen.run == suspect.run) seen.suspect = &suspect;
    return out;
  }

  /// The suspect run selects where the one before it did not stand out, and only the runs after it are asked.
  Decided decide(const std::vector<Seen>& seen, std::size_t metric) const {
    Decided out;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i].suspect == nullptr || (i > 0 && seen[i - 1].suspect != nullptr)) continue;
      Decided one{PeerDecision::warned, i, seen.size() - i - 1, 0};
      if (one.later > 0) {
        std::vector<double> changes;
        for (std::size_t j = i + 1; j < seen.size(); ++j) changes.push_back(seen[j].change);
        one.again = median(changes);
        one.decision =
            retest(*seen[i].suspect, screen_.scales[metric], metrics_[metric].tolerance, one.again, rules_);
      }
      if (one.weight() > out.weight()) out = one;
    }
    return out;
  }

  /// `suspects`: the runs of one node in which one metric stands out.
  void take(std::span<const PeerSuspect> suspects) {
    const std::size_t node = suspects.front().node;
    const std::size_t metric = suspects.front().metric;
    const PeerForm& form = forms_[form_of_[metric]];
    const PeerScale& scale = screen_.scales[metric];
    const std::vector<Seen> seen = seen_of(suspects);
    const Decided decided = decide(seen, metric);
    if (decided.weight() == 0) return;
    const Seen& selecting = seen[decided.selecting];
    const double change = decided.later == 0 ? selecting.change : (selecting.change + decided.again) / 2;
    Verdict verdict = blank_verdict(form);
    verdict.kind =
        decided.decision == PeerDecision::confirmed ? VerdictKind::regressed : VerdictKind::inconclusive;
    verdict.tolerance = relative_[metric];
    verdict.baseline = from_scale(selecting.centre, form.better);
    verdict.value = from_scale(selecting.centre + change, form.better);
    verdict.change = relative_of(change, form.better);
    verdict.rounds = 1 + static_cast<int>(decided.later);
    verdict.reason = fmt::format(
        "{} worse{} than the median of {} {}, which spread by {} (tolerance {}){}", percent(*verdict.change),
        decided.selecting == 0
            ? ""
            : fmt::format(" from run {} of {} on", selecting.run + 1, judged_node(node).size()),
        selecting.nodes, count_.many, percent(scale.spread), percent(verdict.tolerance),
        ending(decided, seen.size()));
    add(node, std::move(verdict), decided.later == 0);
  }

  /// How sure it is: the rest of a reason.
  std::string ending(const Decided& decided, std::size_t runs) const {
    if (decided.decision == PeerDecision::confirmed)
      return decided.later == 1 ? ", confirmed by a further run"
                                : fmt::format(", confirmed by the middle of {} further runs", decided.later);
    if (decided.later == 0) return "; a further run must confirm it";
    const std::string first = decided.selecting == 0 ? "the first run" : "that run";
    return fmt::format(" in {}, among fewer {} than a test needs ({})",
                       runs == 2            ? std::string("both runs")
                       : decided.later == 1 ? first + " and the one after it"
                       : decided.selecting == 0
                           ? fmt::format("{} and the middle of the other {}", first, decided.later)
                           : fmt::format("{} and the middle of the {} after it", first, decided.later),
                       count_.many, rules_.few_nodes);
  }

  const std::vector<PeerRounds>& nodes_;
  const PeerRounds* newcomer_;
  const std::vector<PeerForm>& forms_;
  const Policy& policy_;
  const PeerRules& rules_;
  const DeviceCount count_;
  std::vector<PeerMetric> metrics_;
  std::vector<std::size_t> place_;  ///< by form: its place in metrics_, or beyond
  std::vector<std::size_t> form_of_;
  std::vector<int> have_;  ///< nodes that hold the metric
  std::vector<double> relative_;
  std::vector<std::vector<double>> newcomers_;  ///< the newcomer's values by run and metric
  PeerScreen screen_;
  PeerGroupResult out_;
};

}  // namespace

PeerGroupResult judge_group(const std::vector<PeerRounds>& nodes, const std::vector<PeerForm>& forms,
                            const Policy& policy, const PeerRules& rules) {
  return Comparison(nodes, nullptr, forms, policy, rules).result();
}

PeerGroupResult judge_newcomer(const std::vector<PeerRounds>& nodes, const PeerRounds& newcomer,
                               const std::vector<PeerForm>& forms, const Policy& policy,
                               const PeerRules& rules) {
  return Comparison(nodes, &newcomer, forms, policy, rules).result();
}

}  // namespace gpugauge::judge
