// Screens the runs of one kind's nodes and decides on each suspect.
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
#include "judge/peer_choice.hpp"
#include "judge/peer_faults.hpp"
#include "judge/peer_hosts.hpp"
#include "judge/peer_passes.hpp"
#include "judge/reasons.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// A run of a node with its suspect for one metric.
struct Seen {
  std::size_t run = 0;
  double change = 0;
  double centre = 0;                     ///< what it is compared with
  int nodes = 0;                         ///< nodes behind `centre`
  const PeerSuspect* suspect = nullptr;  ///< set if the run stands out
};

/// The decision on a suspect run after the later runs.
struct Decided {
  PeerDecision decision = PeerDecision::cleared;
  std::size_t selecting = 0;  ///< index into the runs that have the metric
  std::size_t later = 0;      ///< runs after it
  double again = 0;           ///< median of their values
  int nodes = 0;              ///< fewest nodes behind any of these centres
  /// Order: confirmed first, then those that a further run would decide.
  int weight() const {
    if (decision == PeerDecision::cleared) return 0;
    return decision == PeerDecision::confirmed ? 3 : later == 0 ? 2 : 1;
  }
};

/// The comparison: the metrics that most nodes hold, each with one value per node. With a newcomer, the nodes
/// make the scale and only the newcomer is judged; `scales` is nullptr without one. Values are shifted to the
/// first pass.
class Comparison {
 public:
  Comparison(const std::vector<PeerRounds>& nodes, const PeerRounds* newcomer,
             const std::vector<PeerForm>& forms, const Policy& policy, const PeerRules& rules,
             std::vector<PeerScale>* scales)
      : nodes_(nodes),
        newcomer_(newcomer),
        forms_(forms),
        policy_(policy),
        rules_(rules),
        count_(count_of(nodes)),
        passes_(passes_of(nodes, static_cast<std::size_t>(rules.minimum_nodes))),
        chosen_(choose_metrics(nodes, newcomer, forms, rules)) {
    out_.verdicts.resize(judged_nodes());
    out_.again.resize(judged_nodes(), false);
    out_.compared_of.resize(judged_nodes(), 0);
    for (const auto& passes : passes_)
      for (const std::size_t pass : passes) last_pass_ = std::max(last_pass_, pass);
    choose();
    gather();
    if (scales == nullptr)
      screen_fleet();
    else
      screen_one(*scales);
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

  void choose() {
    out_.unmeasured = chosen_.unmeasured;
    out_.not_judged = chosen_.not_compared;
    metrics_.reserve(chosen_.compared);
    for (std::size_t m = 0; m < chosen_.compared; ++m) {
      const PeerForm& form = form_of(m);
      relative_.push_back(peer_tolerance(policy_, form.metric_class, form.key));
      metrics_.push_back(
          {step_of(relative_.back(), form.better), std::vector<double>(nodes_.size(), absent), form.group});
    }
  }
  const PeerForm& form_of(std::size_t metric) const { return forms_[chosen_.forms[metric]]; }

  /// One value of a run per expected metric, those on the scale first; NaN if it has none.
  std::vector<double> values_of(const PeerRound& round) const {
    std::vector<double> out(chosen_.forms.size(), absent);
    for (const auto& [form, by_chance, value] : round.values)
      if (chosen_.place[form] < out.size()) out[chosen_.place[form]] = to_scale(value, forms_[form].better);
    return out;
  }

  /// Sets each metric's by_chance: the median over the runs.
  void learn_chance() {
    std::vector<std::vector<double>> seen(metrics_.size());
    for (const PeerRounds& node : nodes_)
      for (const PeerRound* round : node)
        for (const PeerValue& value : round->values)
          if (chosen_.place[value.metric] < metrics_.size() && !std::isnan(value.by_chance))
            seen[chosen_.place[value.metric]].push_back(value.by_chance);
    for (std::size_t m = 0; m < metrics_.size(); ++m)
      if (!seen[m].empty()) metrics_[m].by_chance = median(std::move(seen[m]));
  }

  /// Fills metrics_ with the nodes' values, and reports what nodes lack.
  void gather() {
    learn_chance();
    std::vector<std::vector<bool>> usual;
    if (newcomer_ == nullptr) usual = usual_by_pass(chosen_, forms_, nodes_, passes_);
    first_run_.resize(metrics_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      std::vector<std::vector<double>> runs;
      for (std::size_t r = 0; r < nodes_[n].size(); ++r) {
        runs.push_back(values_of(*nodes_[n][r]));
        for (std::size_t m = 0; m < metrics_.size(); ++m) {
          if (std::isnan(runs[r][m])) continue;
          if (std::isnan(metrics_[m].values[n])) {
            metrics_[m].values[n] = runs[r][m];
            if (r > 0) first_run_[m].emplace(n, r);
          } else if (newcomer_ == nullptr) {
            metrics_[m].further.push_back({n, r, runs[r][m], 0, 0});
          }
        }
      }
      if (newcomer_ == nullptr) add_missing(n, runs, usual);
    }
  }

  /// The run of the node's first value of the metric.
  std::size_t first_run(std::size_t metric, std::size_t node) const {
    const auto late = first_run_[metric].find(node);
    return late == first_run_[metric].end() ? 0 : late->second;
  }

  /// Subtracts from each value the shift of its pass (peer_passes.hpp).
  void screen_fleet() {
    std::vector<PeerScale> scales;
    if (last_pass_ > 0) scales = peer_scales(metrics_, rules_);
    shifts_.assign(metrics_.size(), {PassShift{}});
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      PeerMetric& metric = metrics_[m];
      if (last_pass_ > 0) shifts_[m] = shifts_of_metric(m, scales[m]);
      const std::vector<PassShift>& shifts = shifts_[m];
      std::vector<double> first;
      for (std::size_t n = 0; n < metric.values.size(); ++n) {
        if (std::isnan(metric.values[n])) continue;
        if (last_pass_ > 0) metric.values[n] -= shifts[passes_[n][first_run(m, n)]].by;
        first.push_back(metric.values[n]);
      }
      if (metric.further.empty()) continue;
      const double centre = median(first);
      for (PeerFurther& one : metric.further) {
        const PassShift& shift = shifts[last_pass_ > 0 ? passes_[one.node][one.run] : 0];
        one.centre = centre + shift.by;
        one.nodes = shift.nodes > 0 ? shift.nodes : static_cast<int>(first.size());
      }
    }
    screen_ = screen_peers(metrics_, rules_);
    out_.judged = metrics_.size();
  }

  std::vector<PassShift> shifts_of_metric(std::size_t m, const PeerScale& scale) const {
    const PeerMetric& metric = metrics_[m];
    std::vector<PassValue> values;
    values.reserve(metric.values.size() + metric.further.size());
    for (std::size_t n = 0; n < metric.values.size(); ++n)
      if (!std::isnan(metric.values[n])) values.push_back({n, passes_[n][first_run(m, n)], metric.values[n]});
    for (const PeerFurther& one : metric.further)
      values.push_back({one.node, passes_[one.node][one.run], one.value});
    return shifts_of(values, last_pass_ + 1, static_cast<std::size_t>(chosen_.have[m]), scale.centre,
                     doubtful_change(scale, metric.tolerance, rules_));
  }

  /// `scales`: the nodes' scales; computed if empty.
  void screen_one(std::vector<PeerScale>& scales) {
    if (scales.empty()) scales = peer_scales(metrics_, rules_);
    screen_.scales = scales;
    std::vector<double> tolerances;
    for (const PeerMetric& metric : metrics_) tolerances.push_back(metric.tolerance);
    for (const PeerRound* round : *newcomer_) newcomers_.push_back(values_of(*round));
    add_missing(0, newcomers_, {});
    for (std::vector<double>& values : newcomers_) values.resize(metrics_.size());
    screen_.suspects = screen_newcomer(screen_.scales, tolerances, newcomers_, rules_);
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      if (std::all_of(newcomers_.begin(), newcomers_.end(),
                      [&](const auto& values) { return std::isnan(values[m]); }))
        continue;
      const PeerForm& form = form_of(m);
      const double step = detectable_change(screen_.scales[m], tolerances[m], metrics_.size(), rules_);
      out_.sensitivity.push_back({form.key, relative_of(step, form.better), relative_[m]});
    }
    out_.judged = out_.sensitivity.size();
  }

  /// `open`: a further run would decide it. Failures count whatever the policy says.
  void add(std::size_t node, Verdict verdict, bool open) {
    if (verdict.kind != VerdictKind::failed) apply_advisory(policy_, verdict);
    if (open && !verdict.advisory) out_.again[node] = true;
    out_.verdicts[node].push_back(std::move(verdict));
  }

  /// `runs`: the values per run of the node; `usual`: by pass, the metrics most runs have, empty: all.
  void add_missing(std::size_t node, const std::vector<std::vector<double>>& runs,
                   const std::vector<std::vector<bool>>& usual) {
    std::vector<InRun> of_runs(runs.size());
    for (std::size_t e = 0; e < chosen_.forms.size(); ++e) {
      std::size_t with = 0;
      for (std::size_t r = 0; r < runs.size(); ++r) {
        const bool held = !std::isnan(runs[r][e]);
        with += held ? 1 : 0;
        of_runs[r] = held                                          ? InRun::held
                     : usual.empty() || usual[passes_[node][r]][e] ? InRun::lacking
                                                                   : InRun::lacking_as_most;
      }
      if (with > 0 && e < metrics_.size()) ++out_.compared_of[node];
      if (with == runs.size()) continue;
      const int others = chosen_.have[e] - (newcomer_ == nullptr && with > 0 ? 1 : 0);
      std::optional<Verdict> verdict = lacking({form_of(e), others, of_runs}, judged_node(node), count_);
      if (!verdict) continue;
      const bool open = verdict->kind == VerdictKind::inconclusive;
      add(node, std::move(*verdict), open);
    }
  }

  /// The suspects of the node's runs that have the metric, oldest first.
  std::vector<Seen> seen_of(std::span<const PeerSuspect> suspects) const {
    const std::size_t node = suspects.front().node;
    const std::size_t metric = suspects.front().metric;
    const double centre = screen_.scales[metric].centre;
    const int nodes = screen_.scales[metric].nodes;
    std::vector<Seen> out;
    if (newcomer_ == nullptr) {
      const PassShift shift =
          last_pass_ > 0 ? shifts_[metric][passes_[node][first_run(metric, node)]] : PassShift{};
      out.push_back({0, metrics_[metric].values[node] - centre, centre + shift.by,
                     shift.nodes > 0 ? shift.nodes : nodes});
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

  /// A suspect run selects the node if the run before it did not stand out; only later runs decide.
  Decided decide(const std::vector<Seen>& seen, std::size_t metric) const {
    Decided out;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i].suspect == nullptr || (i > 0 && seen[i - 1].suspect != nullptr)) continue;
      Decided one{PeerDecision::warned, i, seen.size() - i - 1, 0, 0};
      if (one.later > 0) {
        std::vector<double> changes;
        one.nodes = seen[i + 1].nodes;
        for (std::size_t j = i + 1; j < seen.size(); ++j) {
          changes.push_back(seen[j].change);
          one.nodes = std::min(one.nodes, seen[j].nodes);
        }
        one.again = median(changes);
        one.decision = retest(*seen[i].suspect, screen_.scales[metric], metrics_[metric].tolerance, one.again,
                              one.nodes, rules_);
      }
      if (one.weight() > out.weight()) out = one;
    }
    return out;
  }

  /// Takes one node's suspects for one metric, by run.
  void take(std::span<const PeerSuspect> suspects) {
    const std::size_t node = suspects.front().node;
    const std::size_t metric = suspects.front().metric;
    const PeerForm& form = form_of(metric);
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
    const PeerRounds& rounds = judged_node(node);
    const bool first = newcomer_ == nullptr && decided.selecting == 0;
    const PeerRound& round = *rounds[first ? first_run(metric, node) : selecting.run];
    if (round.recorded && round.recorded->contains(form.key))
      verdict.reason += fmt::format(" (only recorded there: {})", round.recorded->at(form.key));
    add(node, std::move(verdict), decided.later == 0);
  }

  /// The end of a reason: how certain it is.
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
  const std::vector<std::vector<std::size_t>> passes_;  ///< by node and run
  const ChosenMetrics chosen_;                          ///< metrics_ are the first of these
  std::size_t last_pass_ = 0;
  std::vector<double> relative_;
  std::vector<std::map<std::size_t, std::size_t>> first_run_;  ///< by metric: node -> run, if not 0
  std::vector<std::vector<PassShift>> shifts_;                 ///< by metric and pass
  std::vector<std::vector<double>> newcomers_;                 ///< the newcomer's values by run and metric
  PeerScreen screen_;
  PeerGroupResult out_;
};

}  // namespace

PeerGroupResult judge_group(const std::vector<PeerRounds>& nodes, const std::vector<PeerForm>& forms,
                            const Policy& policy, const PeerRules& rules) {
  return Comparison(nodes, nullptr, forms, policy, rules, nullptr).result();
}

PeerGroupResult judge_newcomer(const std::vector<PeerRounds>& nodes, const PeerRounds& newcomer,
                               const std::vector<PeerForm>& forms, const Policy& policy,
                               const PeerRules& rules, std::vector<PeerScale>& scales) {
  return Comparison(nodes, &newcomer, forms, policy, rules, &scales).result();
}

}  // namespace gpugauge::judge
