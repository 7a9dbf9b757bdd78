// Fits the slowness of nodes to the values of sets by medians.
#include "judge/fabric_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace gpugauge::judge {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// The lower median. Not for an empty list.
double low_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class FabricFitting {
 public:
  FabricFitting(std::span<const MeasuredSet> sets, std::size_t nodes, double tolerance,
                std::optional<double> expected, const FabricRules& rules)
      : sets_(sets), tolerance_(tolerance), expected_(expected), rules_(rules) {
    out_.nodes.resize(nodes);
    for (const MeasuredSet& set : sets_) {
      if (set.nodes.size() < 2) throw std::invalid_argument("a set has two nodes or more");
      for (const std::size_t node : set.nodes)
        if (node >= nodes) throw std::invalid_argument("a set names a node that there is not");
      out_.levels.resize(std::max(out_.levels.size(), set.level + 1));
    }
  }

  FabricFit fit() && {
    for (std::size_t level = 0; level < out_.levels.size(); ++level) find_reference(level);
    find_excess();
    tell_apart();
    polish();
    judge_slow();
    explain();
    return std::move(out_);
  }

 private:
  void find_reference(std::size_t index) {
    FabricLevel& level = out_.levels[index];
    std::vector<double> values;
    for (const MeasuredSet& set : sets_) {
      if (set.level != index) continue;
      ++level.sets;
      if (std::isfinite(set.value)) values.push_back(set.value);
    }
    level.judged = !values.empty() && (expected_ || level.sets >= 2);
    if (expected_) level.reference = *expected_;
    if (expected_ || values.empty()) return;
    std::sort(values.begin(), values.end());
    // The value that a quarter of them reach, counted from the good end.
    const std::size_t quartile = values.size() - (3 * values.size() + 3) / 4;
    level.quartile_slow = values[quartile] > values.front() + tolerance_;
    level.reference = level.quartile_slow ? values.front() : values[quartile];
  }

  void find_excess() {
    out_.excess.assign(sets_.size(), no_number);
    out_.unexplained.assign(sets_.size(), no_number);
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      const FabricLevel& level = out_.levels[sets_[s].level];
      if (!level.judged) continue;
      out_.excess[s] = sets_[s].value - level.reference;
      for (const std::size_t n : sets_[s].nodes) {
        FittedNode& node = out_.nodes[n];
        node.sets.push_back(s);
        node.fastest = std::min(node.fastest, out_.excess[s]);
      }
    }
    for (FittedNode& node : out_.nodes) node.cleared = node.fastest <= tolerance_;
  }

  void tell_apart() {
    for (std::size_t n = 0; n < out_.nodes.size(); ++n) {
      FittedNode& node = out_.nodes[n];
      for (const std::size_t s : node.sets) {
        const auto& others = sets_[s].nodes;
        if (std::all_of(others.begin(), others.end(),
                        [&](std::size_t other) { return other == n || out_.nodes[other].cleared; }))
          node.telling.push_back(s);
      }
      node.partners = without_common_partner(n);
      node.separable = node.partners >= rules_.partners;
      node.told = node.cleared || node.separable;
    }
  }

  /// How many of a node's telling sets share no other node, chosen greedily from the smallest set.
  std::size_t without_common_partner(std::size_t n) const {
    std::vector<std::size_t> telling = out_.nodes[n].telling;
    std::stable_sort(telling.begin(), telling.end(), [&](std::size_t a, std::size_t b) {
      return sets_[a].nodes.size() < sets_[b].nodes.size();
    });
    std::set<std::size_t> met{n};
    std::size_t count = 0;
    for (const std::size_t s : telling) {
      const auto& nodes = sets_[s].nodes;
      if (std::any_of(nodes.begin(), nodes.end(),
                      [&](std::size_t other) { return other != n && met.contains(other); }))
        continue;
      met.insert(nodes.begin(), nodes.end());
      ++count;
    }
    return count;
  }

  /// The median of what a node's telling sets leave after subtracting the other nodes' parts, within its
  /// bounds.
  double part_of(std::size_t n) const {
    const FittedNode& node = out_.nodes[n];
    std::vector<double> rest;
    for (const std::size_t s : node.telling) {
      double left = out_.excess[s];
      for (const std::size_t other : sets_[s].nodes)
        if (other != n) left -= out_.nodes[other].slowness;
      rest.push_back(left);
    }
    return std::clamp(low_median(std::move(rest)), 0.0, std::max(0.0, node.fastest));
  }

  /// Polishes the cleared nodes until nothing changes; each step descends, so it ends.
  void polish() {
    constexpr int most_sweeps = 100;
    constexpr double negligible = 1e-12;
    double moved = endless;
    for (int sweep = 0; sweep < most_sweeps && moved > negligible; ++sweep) {
      moved = 0;
      for (std::size_t n = 0; n < out_.nodes.size(); ++n) {
        FittedNode& node = out_.nodes[n];
        if (!node.cleared || !node.separable) continue;
        const double part = part_of(n);
        moved = std::max(moved, std::abs(part - node.slowness));
        node.slowness = part;
      }
    }
  }

  /// Nodes that are not cleared occur in no set of the polish; one median each fits them.
  void judge_slow() {
    for (std::size_t n = 0; n < out_.nodes.size(); ++n)
      if (FittedNode& node = out_.nodes[n]; !node.cleared && node.separable) node.slowness = part_of(n);
  }

  void explain() {
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      double left = out_.excess[s];
      bool fails = false;
      for (const std::size_t n : sets_[s].nodes) {
        const FittedNode& node = out_.nodes[n];
        fails = fails || std::isinf(node.slowness);
        left -= node.told ? node.slowness : no_number;
      }
      // A node that always fails explains every failure of its judged sets.
      out_.unexplained[s] = fails && !std::isnan(out_.excess[s]) ? 0 : left;
    }
  }

  std::span<const MeasuredSet> sets_;
  double tolerance_;
  std::optional<double> expected_;
  const FabricRules& rules_;
  FabricFit out_;
};

}  // namespace

FabricFit fit_fabric(std::span<const MeasuredSet> sets, std::size_t nodes, double tolerance,
                     std::optional<double> expected, const FabricRules& rules) {
  return FabricFitting(sets, nodes, tolerance, expected, rules).fit();
}

}  // namespace gpugauge::judge
