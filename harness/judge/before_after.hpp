// Runs of two sides, before and after a change, judged without a baseline.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// How the two sides were measured, and what that allows to be said.
struct BeforeAfter {
  std::vector<Verdict> verdicts;  ///< sorted by metric; judge baseline, with the before side as the baseline
  /// The smallest drop that the data can show comes first; then how they were taken, and what they cannot
  /// tell.
  std::vector<std::string> remarks;
};

/// Judges whole runs of one device. The boot is the unit where the sides were measured in different boots;
/// runs of one known boot on both sides are compared round by round; Google Benchmark's files, which name no
/// boot, file by file. Beside the metrics, the geometric mean of each class of three metrics or more is
/// judged at a third of the class's tolerance ("class/hbm"). All runs of a side must be of one kind. Throws
/// std::invalid_argument when a side is empty.
BeforeAfter judge_before_after(const std::vector<result::Run>& before, const std::vector<result::Run>& after,
                               const Policy& policy = {});

/// What a comparison of the baseline's rounds with as many of another boot will be able to show, if they
/// spread alike: sensitivity() with the minimum detectable drop of judge_before_after, of what that will
/// judge. None is advisory.
std::vector<Sensitivity> foreseen(const baseline::Baseline& before, const Policy& policy = {});

}  // namespace gpugauge::judge
