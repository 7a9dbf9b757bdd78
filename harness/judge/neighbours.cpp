#include "judge/neighbours.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::judge {
namespace {

constexpr double busy_share = .1;

/// The highest utilization of a measured GPU before the first family of the run; 0 where it is not known.
double busy_before(const result::Run& run) {
  double most = 0;
  for (const std::string& uuid : result::measured_gpus(run))
    for (const double share : result::values_of_gpu(run, uuid, result::utilization_before_series))
      most = std::max(most, share);
  return most;
}

}  // namespace

std::optional<int> other_processes(const result::Run& run) {
  constexpr double most_told = 1e6;
  std::optional<int> most;
  for (const std::string& uuid : result::measured_gpus(run))
    for (const double count : result::values_of_gpu(run, uuid, result::processes_before_series))
      if (count >= 0) most = std::max(most.value_or(0), static_cast<int>(std::min(count, most_told)));
  return most;
}

void allow_for_neighbours(Verdict& verdict, const result::Run& run) {
  if (verdict.kind != VerdictKind::failed || !verdict.share || *verdict.share >= 1) return;
  const int others = other_processes(run).value_or(0);
  if (others == 0) return;
  verdict.kind = VerdictKind::inconclusive;
  verdict.reason += fmt::format(
      "; {} used the GPU before the measuring began, and may have taken a part of it: measure again when it is "
      "free",
      result::counted(others, "other process", "other processes"));
}

void allow_for_busy_neighbours(std::vector<Verdict>& verdicts, const std::vector<result::Run>& rounds) {
  double least = 1;
  for (const result::Run& run : rounds) least = std::min(least, busy_before(run));
  if (rounds.empty() || least < busy_share) return;
  for (Verdict& verdict : verdicts) {
    const bool of_host = verdict.metric_class.empty() || verdict.metric_class.starts_with("host_");
    if (verdict.kind != VerdictKind::regressed || verdict.advisory || of_host) continue;
    verdict.kind = VerdictKind::inconclusive;
    verdict.beside_others = true;
    verdict.reason += fmt::format(
        "; other processes kept the GPU busy ({:.0f}% or more) when each round began, and may have taken a part of "
        "it: measure again when it is free",
        100 * least);
  }
}

}  // namespace gpugauge::judge
