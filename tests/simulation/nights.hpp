// Nights of one rule: a fresh node and history each, then what the rule says of tonight.
#pragma once

#include <string>

#include "machine.hpp"

namespace gpugauge::simulation {

struct Cell {
  Noise noise = Noise::clean;
  int baseline_rounds = 10;
  double drop = 0;        ///< of the injected metrics; 0: nobody is slower
  double class_drop = 0;  ///< of every metric of the last class
  int nights = 500;
  /// The first so many of the machine; fewer than a class have no class mean. gate_nights only.
  std::size_t metrics = simulation::metrics;
};

struct Tally {
  int nights = 0;
  int alarmed_nights = 0;  ///< with a regression reported on what is healthy, class means included
  long injected = 0, found = 0, called_ok = 0, undecided = 0;
  long healthy = 0, healthy_undecided = 0;
  long repeated = 0;  ///< metrics measured again
  int class_found = 0;

  double alarms() const { return static_cast<double>(alarmed_nights) / nights; }
  double power() const {
    return injected > 0 ? static_cast<double>(found) / static_cast<double>(injected) : 0;
  }
  double false_ok() const {
    return injected > 0 ? static_cast<double>(called_ok) / static_cast<double>(injected) : 0;
  }
  double undecided_a_night() const { return static_cast<double>(healthy_undecided) / nights; }
  double repeated_a_night() const { return static_cast<double>(repeated) / nights; }
  double class_power() const { return static_cast<double>(class_found) / nights; }
};

/// Who takes part in class means.
enum class Members { none, all, not_advisory };

/// GPUGauge's gate with its sequence of rounds. `noisy` metrics of each class have a coefficient of variation
/// of 5%.
Tally gate_nights(const Cell& cell, Members members = Members::not_advisory, std::size_t noisy = 0);

/// A machine of 40 metrics that spread alike, one of them worse by the drop that is printed for it.
struct PrintedCell {
  int baseline_rounds = 5;
  double tolerance = .03;
  double spread = .004;  ///< standard deviation of a round's value
  bool provisional = true;
  int nights = 500;
};
struct PrintedTally {
  int nights = 0;
  int counted = 0;   ///< nights in which that metric was regressed and counted
  double drops = 0;  ///< sum of the printed drops, on the logarithmic scale
};
PrintedTally printed_drops(const PrintedCell& cell);

/// The rules of other tools, on what they look at.
Tally u_test_nights(const Cell& cell);  ///< Mann-Whitney, two-sided .05, on 9 repetitions in one process
Tally smaller_noise_nights(const Cell& cell);  ///< means of repetitions differ by more than the smaller noise
Tally fixed_share_nights(const Cell& cell);    ///< one run more than 5% below the mean of K runs
Tally z_score_nights(const Cell& cell);  ///< one run more than 5 standard deviations off 30 earlier ones

}  // namespace gpugauge::simulation
