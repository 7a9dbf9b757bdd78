// Tests the gauge on the user's own data: its rate of false alarms on this machine, and the drops it finds.
//
// Splits the baseline's rounds at random into an old and a new side and runs the whole judgement on them,
// with as many further rounds as it requests: first unchanged, then with simulated drops.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// Number and kind of the trials.
struct SelftestOptions {
  int trials = 200;  ///< judgements without a drop, and at least this many per size of drop, >= 1
  /// Least number of drops of each size per class, >= 1. Fewer than 300 do not support "99%": 20 found of 20
  /// occurs in 36 of 100 cases with a true share of 95%.
  int injections = 300;
  std::uint64_t seed = 1;  ///< seed of every random choice; the same seed repeats the trials
  std::vector<double> drops{.03, .05, .07, .10, .15, .20, .30, .50};  ///< relative, ascending
  /// called after each judgement with the number done and the total; may be empty
  std::function<void(int done, int all)> progress;
};

/// The results for the metrics of one class.
struct SelftestRow {
  std::string metric_class;   ///< "" = all classes
  int metrics = 0;            ///< metrics with a verdict in a trial without a drop, class means included
  int counted = 0;            ///< metrics that are not advisory
  double false_alarm = 0;     ///< share of judgements without a drop that called any of them regressed
  double undecided = 0;       ///< share of its metrics that were inconclusive or unstable in these judgements
  std::vector<double> power;  ///< share of the drops that were found, one per size
  std::vector<long> injected;  ///< drops that were simulated, one per size
  /// Smallest size at which, and at all larger sizes, 99% were found; nullopt if there is none.
  std::optional<double> smallest;
  /// Lower 95% bound of the true share found at that size (Clopper and Pearson); 0 without one.
  double at_least = 0;
};

/// The results for one baseline.
struct Selftest {
  int trials = 0;           ///< SelftestOptions::trials
  int baseline_rounds = 0;  ///< rounds of the old side in each trial
  /// True if there are too few rounds to hold some back. The new side then repeats rounds of the old one,
  /// which understates the false alarms.
  bool resampled = false;
  std::vector<double> drops;      ///< SelftestOptions::drops, the sizes for SelftestRow::power
  std::vector<SelftestRow> rows;  ///< by class, the row of all metrics first
};

/// Rounds that a baseline needs to hold some back.
inline constexpr int selftest_split_rounds = 8;

/// Runs the trials. Throws std::invalid_argument for options outside their ranges, result::UsageError for a
/// baseline with too few rounds for verdicts.
Selftest selftest(const baseline::Baseline& baseline, const Policy& policy, const SelftestOptions& options);

}  // namespace gpugauge::judge
