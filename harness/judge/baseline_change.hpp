// How rounds that are about to be pinned differ from the baseline whose place they take.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// The mean over the metrics of a class that both sides hold, operations per clock aside.
struct ClassShift {
  std::string metric_class;  ///< one of result::classes
  std::size_t metrics = 0;   ///< that both hold
  double change = 0;         ///< relative, of the time that its work takes: .4 is 40% longer, -.1 10% shorter
  bool slower = false;       ///< by more than the tolerance of the class, and more than noise
};

/// A metric that is worse by more than its tolerance and more than noise between the two.
struct MetricShift {
  std::string metric;  ///< result::metric_key
  double change = 0;   ///< relative, + is worse
};

/// One baseline against the other.
struct BaselineChange {
  std::size_t metrics = 0;          ///< that both hold, in two rounds or more
  std::vector<ClassShift> classes;  ///< the largest change first, whatever its sign
  std::vector<MetricShift> slower;  ///< the worst first
  bool is_slower() const;           ///< any class or metric is, beyond its tolerance
};

/// Compares medians over the rounds. Noise between the two is three standard errors of their difference, by
/// the larger spread of both. `now` may be a baseline that lies in no folder yet.
BaselineChange change_between(const baseline::Baseline& before, const baseline::Baseline& now,
                              const Policy& policy = {});

/// "of 83 metrics, by class: hbm takes 40.0% longer, l2 0.2% shorter; worst: a:b (28.6% worse)": the three
/// largest of each. "no metric in common" where there is none.
std::string in_words(const BaselineChange& change);

}  // namespace gpugauge::judge
