#include "judge/peer_group.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "judge/judge_peers.hpp"
#include "judge/peer_hosts.hpp"
#include "judge/reasons.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

Verdict blank(const PeerForm& form) {
  Verdict verdict;
  verdict.judge = Judge::peers;
  verdict.metric = form.key;
  verdict.metric_class = form.metric_class;
  verdict.unit = form.unit;
  verdict.better = form.better;
  verdict.rounds = 1;
  return verdict;
}

std::optional<double> value_of(const PeerRound& round, std::size_t metric) {
  for (const auto& [index, value] : round.values)
    if (index == metric) return value;
  return std::nullopt;
}

/// Whether two runs of a node measured the benchmark alike: on one stack, from one family's sources.
bool same_work(const PeerRound& one, const PeerRound& other, const std::string& benchmark) {
  const std::string family = benchmark.substr(0, benchmark.find('/'));
  return one.kind == other.kind && source_hash_of(one, family) == source_hash_of(other, family);
}

std::string word(result::Status status) {
  switch (status) {
    case result::Status::failed:
      return "failed";
    case result::Status::skipped:
      return "was skipped";
    case result::Status::unavailable:
      return "is unavailable";
    case result::Status::interrupted:
      return "was interrupted";
    case result::Status::ok:
      break;
  }
  return "is ok";
}

const PeerFault* fault_of(const PeerRound& round, const std::string& benchmark) {
  const std::string family = benchmark.substr(0, benchmark.find('/'));
  const PeerFault* found = nullptr;
  for (const PeerFault& fault : round.faults) {
    if (fault.what == benchmark) return &fault;
    if (fault.what == family) found = &fault;
  }
  return found;
}

/// A metric that the others measured. Missing is certain, and counts, unless the run was cut short.
Verdict missing(const PeerForm& form, const PeerRound& round, int have, const DeviceCount& count) {
  Verdict verdict = blank(form);
  verdict.kind = VerdictKind::missing;
  const std::string others = fmt::format("{} of {} {} measure it", have, count.devices, count.many);
  const PeerFault* fault = fault_of(round, form.benchmark);
  if (fault != nullptr) {
    verdict.reason =
        fmt::format("{}; here {} {}: {}", others, fault->what, word(fault->status), fault->reason);
    if (fault->status == result::Status::failed) verdict.kind = VerdictKind::failed;
    if (fault->status == result::Status::interrupted) verdict.kind = VerdictKind::inconclusive;
  } else if (!round.complete) {
    verdict.kind = VerdictKind::inconclusive;
    verdict.reason =
        fmt::format("{}; the run of this {} ended early: {}", others, count.one, round.partial_reason);
  } else {
    verdict.reason = fmt::format("{}; this {} does not report it", others, count.one);
  }
  return verdict;
}

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
    gather();
    if (newcomer_ == nullptr)
      screen_ = screen_peers(metrics_, rules_);
    else
      screen_one();
  }

  PeerGroupResult result() && {
    for (const PeerSuspect& suspect : screen_.suspects) take(suspect);
    for (std::size_t n = 0; n < judged_nodes(); ++n) add_failures(judged_node(n), out_.verdicts[n]);
    out_.judged = metrics_.size();
    return std::move(out_);
  }

 private:
  std::size_t judged_nodes() const { return newcomer_ == nullptr ? nodes_.size() : 1; }
  const PeerRounds& judged_node(std::size_t n) const { return newcomer_ == nullptr ? nodes_[n] : *newcomer_; }

  /// The newcomer's value of a metric on the scale, NaN where it has none.
  double value_of_newcomer(std::size_t metric) const {
    const auto value = value_of(*newcomer_->front(), form_of_[metric]);
    return value ? to_scale(*value, forms_[form_of_[metric]].better) : absent;
  }

  void screen_one() {
    screen_.scales = peer_scales(metrics_, rules_);
    std::vector<double> tolerances;
    std::vector<double> values;
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      tolerances.push_back(metrics_[m].tolerance);
      values.push_back(value_of_newcomer(m));
    }
    screen_.suspects = screen_newcomer(screen_.scales, tolerances, values, rules_);
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      if (std::isnan(values[m])) continue;
      const PeerForm& form = forms_[form_of_[m]];
      const double step = detectable_change(screen_.scales[m], tolerances[m], metrics_.size(), rules_);
      out_.sensitivity.push_back({form.key, relative_of(step, form.better), relative_[m]});
    }
  }

  /// Fills metrics_ in the order of their keys, and says which are left out and who lacks what.
  void gather() {
    std::vector<int> have(forms_.size(), 0);
    for (const PeerRounds& node : nodes_)
      for (const auto& [index, value] : node.front()->values) ++have[index];
    std::vector<std::size_t> order;
    for (std::size_t f = 0; f < forms_.size(); ++f) {
      if (have[f] > 0) order.push_back(f);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return forms_[a].key < forms_[b].key; });
    std::vector<std::size_t> place(forms_.size(), forms_.size());
    for (const std::size_t f : order) {
      const bool enough =
          have[f] >= rules_.minimum_nodes && 2 * static_cast<std::size_t>(have[f]) > nodes_.size();
      if (!enough) {
        out_.not_judged.push_back(
            fmt::format("{}: {} of {} {} measure it", forms_[f].key, have[f], nodes_.size(), count_.many));
        continue;
      }
      place[f] = metrics_.size();
      form_of_.push_back(f);
      relative_.push_back(peer_tolerance(policy_, forms_[f].metric_class, forms_[f].key));
      metrics_.push_back({step_of(relative_.back(), forms_[f].better),
                          std::vector<double>(nodes_.size(), absent), forms_[f].group});
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      for (const auto& [index, value] : nodes_[n].front()->values)
        if (place[index] < metrics_.size())
          metrics_[place[index]].values[n] = to_scale(value, forms_[index].better);
    for (std::size_t m = 0; m < metrics_.size(); ++m)
      for (std::size_t n = 0; n < judged_nodes(); ++n)
        if (std::isnan(newcomer_ == nullptr ? metrics_[m].values[n] : value_of_newcomer(m)))
          add_missing(m, n, have[form_of_[m]]);
  }

  /// `open`: a further run would decide it. What failed counts whatever the policy says.
  void add(std::size_t node, Verdict verdict, bool open) {
    if (verdict.kind != VerdictKind::failed) apply_advisory(policy_, verdict);
    if (open && !verdict.advisory) out_.again[node] = true;
    out_.verdicts[node].push_back(std::move(verdict));
  }

  void add_missing(std::size_t metric, std::size_t node, int have) {
    const PeerForm& form = forms_[form_of_[metric]];
    Verdict verdict = missing(form, *judged_node(node).front(), have, count_);
    const bool open = verdict.kind == VerdictKind::inconclusive;
    add(node, std::move(verdict), open);
  }

  void take(const PeerSuspect& suspect) {
    const PeerForm& form = forms_[form_of_[suspect.metric]];
    const PeerScale& scale = screen_.scales[suspect.metric];
    const PeerRounds& rounds = judged_node(suspect.node);
    std::vector<double> later;
    for (std::size_t j = 1; j < rounds.size(); ++j) {
      if (!same_work(*rounds[j], *rounds.front(), form.benchmark)) continue;
      if (const auto value = value_of(*rounds[j], form_of_[suspect.metric]))
        later.push_back(to_scale(*value, form.better) - scale.centre);
    }
    const double again = later.empty() ? 0 : median(later);
    const PeerDecision decision =
        later.empty() ? PeerDecision::warned
                      : retest(suspect, scale, metrics_[suspect.metric].tolerance, again, rules_);
    if (decision == PeerDecision::cleared) return;
    const double change = later.empty() ? suspect.change : (suspect.change + again) / 2;
    Verdict verdict = blank(form);
    verdict.kind = decision == PeerDecision::confirmed ? VerdictKind::regressed : VerdictKind::inconclusive;
    verdict.tolerance = relative_[suspect.metric];
    verdict.baseline = from_scale(scale.centre, form.better);
    verdict.value = from_scale(scale.centre + change, form.better);
    verdict.change = relative_of(change, form.better);
    verdict.rounds = 1 + static_cast<int>(later.size());
    const std::string seen = fmt::format(
        "{} worse than the median of {} {}, which spread by {} (tolerance {})", percent(*verdict.change),
        scale.nodes, count_.many, percent(scale.spread), percent(verdict.tolerance));
    if (decision == PeerDecision::confirmed) {
      verdict.reason = seen + (later.size() == 1 ? ", confirmed by a further run"
                                                 : fmt::format(", confirmed by the middle of {} further runs",
                                                               later.size()));
    } else if (later.empty()) {
      verdict.reason = seen + "; a further run must confirm it";
    } else {
      verdict.reason =
          seen + fmt::format(" in {}, among fewer {} than a test needs ({})",
                             later.size() == 1
                                 ? std::string("both runs")
                                 : fmt::format("the first run and the middle of the other {}", later.size()),
                             count_.many, rules_.few_nodes);
    }
    add(suspect.node, std::move(verdict), later.empty());
  }

  const std::vector<PeerRounds>& nodes_;
  const PeerRounds* newcomer_;
  const std::vector<PeerForm>& forms_;
  const Policy& policy_;
  const PeerRules& rules_;
  const DeviceCount count_;
  std::vector<PeerMetric> metrics_;
  std::vector<std::size_t> form_of_;
  std::vector<double> relative_;
  PeerScreen screen_;
  PeerGroupResult out_;
};

}  // namespace

void add_failures(const PeerRounds& rounds, std::vector<Verdict>& verdicts) {
  for (const PeerRound* round : rounds) {
    for (const PeerFault& fault : round->faults) {
      const bool said = std::any_of(verdicts.begin(), verdicts.end(),
                                    [&](const Verdict& verdict) { return verdict.metric == fault.what; });
      if (fault.status != result::Status::failed || said) continue;
      Verdict verdict;
      verdict.judge = Judge::peers;
      verdict.kind = VerdictKind::failed;
      verdict.metric = fault.what;
      verdict.rounds = 1;
      verdict.reason = "failed: " + fault.reason;
      verdicts.push_back(std::move(verdict));
    }
  }
}

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
