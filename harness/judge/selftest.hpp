// The gauge on the user's own data: how often it would cry wolf on this machine, and what it would find.
//
// Rounds of the baseline are split at random into an old and a new side, and the whole judgement is made on
// them, with as many further rounds as it asks for: first as they are, then with drops put into the data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// How much is tried.
struct SelftestOptions {
  int trials = 200;  ///< judgements without a drop, and at least for each size of drop, >= 1
  /// Drops of each size that are put into each class at least, >= 1. Of fewer than 300 "99%" is no statement:
  /// 20 found of 20 is what a true share of 95% shows in 36 of 100 cases.
  int injections = 300;
  std::uint64_t seed = 1;  ///< of every random choice; the same seed repeats the trials
  std::vector<double> drops{.03, .05, .07, .10, .15, .20, .30, .50};  ///< relative, ascending
  /// called after each judgement with how many are done, of how many; may be empty
  std::function<void(int done, int all)> progress;
};

/// What the trials showed of the metrics of one class.
struct SelftestRow {
  std::string metric_class;  ///< "" = all of them
  int metrics = 0;           ///< that had a verdict in a trial without a drop, class means included
  int counted = 0;           ///< metrics that are not advisory
  double false_alarm = 0;    ///< share of judgements without a drop in which any of them was called regressed
  double undecided = 0;      ///< share of its metrics left inconclusive or unstable there
  std::vector<double> power;   ///< share of the drops that were found, one a size
  std::vector<long> injected;  ///< drops that were put in, one a size
  /// Smallest size from which on, larger ones included, 99% were found; absent when there is none.
  std::optional<double> smallest;
  /// Lower 95% bound of the true share found of that size (Clopper and Pearson); 0 without one.
  double at_least = 0;
};

/// What the trials showed of one baseline.
struct Selftest {
  int trials = 0;           ///< SelftestOptions::trials
  int baseline_rounds = 0;  ///< of the old side in each trial
  /// True where there are too few rounds to hold some back: the new side then repeats rounds of the old one,
  /// which flatters the false alarms.
  bool resampled = false;
  std::vector<double> drops;      ///< SelftestOptions::drops: the sizes that SelftestRow::power is of
  std::vector<SelftestRow> rows;  ///< by class, the row of all metrics first
};

/// Rounds that a baseline needs so that some can be held back.
inline constexpr int selftest_split_rounds = 8;

/// Throws std::invalid_argument for options outside their ranges, result::UsageError for a baseline of fewer
/// rounds than verdicts need.
Selftest selftest(const baseline::Baseline& baseline, const Policy& policy, const SelftestOptions& options);

}  // namespace gpugauge::judge
