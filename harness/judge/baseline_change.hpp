// Compares rounds that are about to be pinned with the baseline they replace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// The mean change over the metrics of a class that both sides hold, without operations per clock.
struct ClassShift {
  std::string metric_class;  ///< one of result::classes
  std::size_t metrics = 0;   ///< metrics that both sides hold
  double change = 0;  ///< of its mean, + is worse: of rates .3 is 30% less, of times .4 takes 40% longer
  std::optional<result::Direction> shared =
      {};               ///< of its metrics; nullopt where they differ: a mean of times
  bool slower = false;  ///< by more than the class's tolerance, and more than noise
};

/// A metric that is worse by more than its tolerance and by more than noise.
struct MetricShift {
  std::string metric;  ///< result::metric_key
  double change = 0;   ///< relative, + is worse
};

/// The change from one baseline to the other.
struct BaselineChange {
  std::size_t metrics = 0;          ///< metrics that both sides hold in two or more rounds
  std::vector<ClassShift> classes;  ///< largest absolute change first
  std::vector<MetricShift> slower;  ///< the worst first
  bool is_slower() const;           ///< whether any class or metric is slower by more than its tolerance
};

/// Compares medians over the rounds. A change exceeds noise above three standard errors of the difference,
/// taken from the larger spread of the two sides. `now` may be a baseline that is not in a folder yet.
BaselineChange change_between(const baseline::Baseline& before, const baseline::Baseline& now,
                              const Policy& policy = {});

/// "of 83 metrics, by class: hbm takes 40.0% longer, l2 0.2% shorter; worst: a:b (28.6% worse)". Names the
/// three largest of each; "no metric in common" where the sides share none.
std::string in_words(const BaselineChange& change);

}  // namespace gpugauge::judge
