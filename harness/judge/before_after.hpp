// Judges runs from before a change against runs from after it, without a baseline.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// The verdicts on two sides, and what the way they were measured limits.
struct BeforeAfter {
  std::vector<Verdict> verdicts;  ///< sorted by metric; judge is `baseline`, the before side its baseline
  /// First the smallest drop that the data can show, then how the sides were measured and what the data
  /// cannot show.
  std::vector<std::string> remarks;
};

/// What is said to do where an old side was measured only before the new one, for whoever compares files.
inline constexpr const char* once_more_by_compare = "measure it once more and give it with --before";

/// Judges whole runs of one device. Boots are the unit of replication where the sides come from different
/// boots. Runs of one known boot on both sides are compared round by round. Google Benchmark files name no
/// boot and are compared file by file. The geometric mean of each class of three or more metrics
/// ("class/hbm") is also judged, at a third of the class's tolerance. All runs of a side must be of one kind.
/// `once_more`: what to do where the old stack can be booted again, a clause; "" for no such remark.
/// Throws std::invalid_argument when a side is empty.
BeforeAfter judge_before_after(const std::vector<result::Run>& before, const std::vector<result::Run>& after,
                               const Policy& policy = {},
                               const std::string& once_more = once_more_by_compare);

/// Predicts the sensitivity of a comparison of the baseline's rounds with as many from another boot, if those
/// spread alike. As sensitivity(), with the minimum detectable drop of judge_before_after and for the metrics
/// it judges; none is advisory.
std::vector<Sensitivity> foreseen(const baseline::Baseline& before, const Policy& policy = {});

}  // namespace gpugauge::judge
