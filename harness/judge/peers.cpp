// Screens nodes against each other on plain numbers.
#include "judge/peers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "judge/drawn_median.hpp"
#include "judge/statistics.hpp"
#include "result/threads.hpp"

namespace gpugauge::judge {
namespace {

/// As in the gate: keeps values that repeat exactly from dominating the moderation.
constexpr double negligible_share = 0.01;

/// Standard error of a node's value against a centre from `nodes` nodes.
double error_of(const PeerScale& scale, int nodes) {
  return scale.spread * std::sqrt(1 + median_variance_factor(nodes));
}

/// The warning limit of a change against a centre from `nodes` nodes. With tolerances alone, noise would
/// trigger it where healthy nodes differ by more than these.
double warning_of(const PeerScale& scale, double tolerance, int nodes, const PeerRules& rules) {
  // If a run is in one of two modes, a drop of their distance is normal.
  if (scale.nodes >= rules.few_nodes || scale.two_modes) return std::numeric_limits<double>::infinity();
  return std::max(rules.warning_multiple * tolerance, rules.warning_errors * error_of(scale, nodes));
}

std::vector<double> measured(const PeerMetric& metric) {
  std::vector<double> out;
  out.reserve(metric.values.size());
  for (const double value : metric.values) {
    if (!std::isnan(value)) out.push_back(value);
  }
  return out;
}

PeerScale scale_of(const PeerMetric& metric, const PeerRules& rules) {
  const std::vector<double> values = measured(metric);
  PeerScale scale;
  scale.nodes = static_cast<int>(values.size());
  scale.usable = static_cast<int>(metric.values.size()) >= rules.minimum_nodes &&
                 scale.nodes >= std::min(rules.fewest_values, rules.minimum_nodes);
  if (scale.usable) {
    scale.centre = median(values);
    scale.spread = std::max(std::sqrt(robust_variance(values)), negligible_share * metric.tolerance);
    scale.degrees = qn_worth(scale.nodes).degrees;
  }
  return scale;
}

/// Computes each metric separately, with thousands of nodes on all cores, since Qn is half of all the work.
std::vector<PeerScale> own_scales(std::span<const PeerMetric> metrics, const PeerRules& rules) {
  std::vector<PeerScale> scales(metrics.size());
  constexpr std::size_t worth_a_thread = 100000;
  const std::size_t values = metrics.empty() ? 0 : metrics.size() * metrics.front().values.size();
  const std::size_t threads =
      std::min<std::size_t>(std::thread::hardware_concurrency(), values / worth_a_thread);
  result::for_each_in_parallel(metrics.size(), threads,
                               [&](std::size_t m) { scales[m] = scale_of(metrics[m], rules); });
  return scales;
}

}  // namespace

std::vector<PeerScale> peer_scales(std::span<const PeerMetric> metrics, const PeerRules& rules) {
  std::vector<PeerScale> scales = own_scales(metrics, rules);
  std::map<int, std::vector<PeerScale*>> groups;
  for (std::size_t m = 0; m < scales.size(); ++m)
    if (scales[m].usable) groups[metrics[m].group].push_back(&scales[m]);
  for (const auto& [group, members] : groups) {
    std::vector<double> variances;
    std::vector<double> degrees;
    for (const PeerScale* scale : members) {
      variances.push_back(scale->spread * scale->spread);
      degrees.push_back(scale->degrees);
    }
    const Prior prior = fit_prior(variances, degrees);
    for (PeerScale* scale : members) {
      const Moderated moderated = moderate(prior, scale->spread * scale->spread, scale->degrees);
      scale->spread = std::sqrt(moderated.variance);
      scale->degrees = moderated.degrees;
    }
  }
  for (std::size_t m = 0; m < scales.size(); ++m) {
    scales[m].two_modes = scales[m].usable && metrics[m].by_chance > two_modes_ratio * scales[m].spread;
    if (scales[m].two_modes) scales[m].spread = metrics[m].by_chance;
  }
  return scales;
}

namespace {

/// The p values of each node's metrics that some level may reject.
class NodeTests {
 public:
  explicit NodeTests(std::size_t nodes) : small_(nodes), measured_(nodes, 0) {}

  void add(std::size_t node, double p) {
    ++measured_[node];
    if (p < 1) small_[node].push_back(p);
  }
  /// Simes' test per node over its metrics and runs, with Holm's correction over the nodes. A faulty node may
  /// need less than a single metric would, since several agree. Lasting differences between healthy nodes,
  /// which a fresh run repeats, stay below this level.
  std::vector<bool> standing_out(double level) {
    if (level >= 1) return std::vector<bool>(small_.size(), true);
    std::vector<double> p_values;
    p_values.reserve(small_.size());
    for (std::size_t n = 0; n < small_.size(); ++n) {
      std::sort(small_[n].begin(), small_[n].end());
      double p = 1;
      for (std::size_t rank = 0; rank < small_[n].size(); ++rank)
        p = std::min(p, small_[n][rank] * static_cast<double>(measured_[n]) / static_cast<double>(rank + 1));
      p_values.push_back(p);
    }
    return holm(p_values, level);
  }

 private:
  std::vector<std::vector<double>> small_;
  std::vector<std::size_t> measured_;
};

/// All tests of one comparison.
class Screening {
 public:
  Screening(std::size_t nodes, const PeerRules& rules) : rules_(rules), nodes_(nodes) {}

  /// Selects the metric for the following tests.
  void of(std::size_t metric, const PeerScale& scale, double tolerance) {
    metric_ = metric;
    tolerance_ = tolerance;
    scale_ = scale;
    // A p above the rate is never rejected, and computing t's tail costs a microsecond for each of a million
    // tests.
    least_ = t_quantile(1 - rules_.false_discovery, scale.degrees);
  }
  /// `nodes`: number of nodes behind the centre.
  void test(std::size_t node, std::size_t run, double change, int nodes) {
    if (std::isnan(change)) return;
    const double t = change / error_of(scale_, nodes);
    const bool warned = change > warning_of(scale_, tolerance_, nodes, rules_);
    p_values_.push_back(t > least_ ? t_upper_tail(t, scale_.degrees) : 1);
    nodes_.add(node, p_values_.back());
    if (change > tolerance_ && (t > least_ || warned))
      candidates_.push_back({metric_, node, run, change, p_values_.back(), warned, false});
  }
  std::vector<PeerSuspect> suspects() && {
    // The rejected p values are those at or below one limit.
    const std::vector<bool> rejected = benjamini_hochberg(p_values_, rules_.false_discovery);
    double limit = -1;
    for (std::size_t i = 0; i < rejected.size(); ++i) {
      if (rejected[i]) limit = std::max(limit, p_values_[i]);
    }
    const std::vector<bool> standing_out = nodes_.standing_out(rules_.node_level);
    std::vector<PeerSuspect> out;
    for (PeerSuspect& candidate : candidates_) {
      candidate.stands_out = standing_out[candidate.node];
      const bool warned = candidate.rejected;
      candidate.rejected = candidate.p <= limit;
      if (candidate.rejected || warned) out.push_back(candidate);
    }
    std::sort(out.begin(), out.end(), [](const PeerSuspect& a, const PeerSuspect& b) {
      return std::tie(a.metric, a.node, a.run) < std::tie(b.metric, b.node, b.run);
    });
    return out;
  }

 private:
  const PeerRules& rules_;
  NodeTests nodes_;
  std::size_t metric_ = 0;
  double tolerance_ = 0;
  PeerScale scale_;
  double least_ = 0;
  std::vector<PeerSuspect> candidates_;
  std::vector<double> p_values_;  ///< p values of all tests; 1 for those that no level can reject
};

}  // namespace

PeerScreen screen_peers(std::span<const PeerMetric> metrics, const PeerRules& rules) {
  PeerScreen out;
  out.scales = peer_scales(metrics, rules);
  Screening screening(metrics.empty() ? 0 : metrics.front().values.size(), rules);
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    const PeerMetric& metric = metrics[m];
    if (metric.values.size() != metrics.front().values.size())
      throw std::invalid_argument("as many values as nodes for every metric");
    const PeerScale& scale = out.scales[m];
    if (!scale.usable) continue;
    screening.of(m, scale, metric.tolerance);
    for (std::size_t n = 0; n < metric.values.size(); ++n)
      screening.test(n, 0, metric.values[n] - scale.centre, scale.nodes);
    for (const PeerFurther& one : metric.further)
      screening.test(one.node, one.run, one.value - one.centre, one.nodes);
  }
  out.suspects = std::move(screening).suspects();
  return out;
}

std::vector<PeerSuspect> screen_newcomer(std::span<const PeerScale> scales,
                                         std::span<const double> tolerances,
                                         std::span<const std::vector<double>> runs, const PeerRules& rules) {
  const bool matching = std::all_of(runs.begin(), runs.end(),
                                    [&](const auto& values) { return values.size() == scales.size(); });
  if (scales.size() != tolerances.size() || !matching)
    throw std::invalid_argument("one tolerance and one value a run for every scale");
  Screening screening(1, rules);
  for (std::size_t m = 0; m < scales.size(); ++m) {
    if (!scales[m].usable) continue;
    screening.of(m, scales[m], tolerances[m]);
    for (std::size_t run = 0; run < runs.size(); ++run)
      screening.test(0, run, runs[run][m] - scales[m].centre, scales[m].nodes);
  }
  return std::move(screening).suspects();
}

double detectable_change(const PeerScale& scale, double tolerance, std::size_t tests,
                         const PeerRules& rules) {
  constexpr double power = .9;
  const double level = std::min(rules.false_discovery, rules.node_level) /
                       static_cast<double>(std::max<std::size_t>(1, tests));
  const double quantiles = t_quantile(1 - level, scale.degrees) + t_quantile(power, scale.degrees);
  return std::max(tolerance, quantiles * error_of(scale, scale.nodes));
}

double doubtful_change(const PeerScale& scale, double tolerance, const PeerRules& rules) {
  const double rejected = t_quantile(1 - rules.false_discovery, scale.degrees) * error_of(scale, scale.nodes);
  return std::max(tolerance, std::min(rejected, warning_of(scale, tolerance, scale.nodes, rules)));
}

PeerDecision retest(const PeerSuspect& suspect, const PeerScale& scale, double tolerance, double again,
                    const PeerRules& rules) {
  return retest(suspect, scale, tolerance, again, scale.nodes, rules);
}

PeerDecision retest(const PeerSuspect& suspect, const PeerScale& scale, double tolerance, double again,
                    int nodes, const PeerRules& rules) {
  const double p = t_upper_tail(again / error_of(scale, nodes), scale.degrees);
  const bool repeated = (suspect.change + again) / 2 > tolerance && again > tolerance / 2;
  if (suspect.rejected && suspect.stands_out && repeated && p < rules.retest_level)
    return PeerDecision::confirmed;
  const double warning = warning_of(scale, tolerance, nodes, rules);
  if (suspect.change > warning && again > warning) return PeerDecision::warned;
  return PeerDecision::cleared;
}

}  // namespace gpugauge::judge
