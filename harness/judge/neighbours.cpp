#include "judge/neighbours.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::judge {

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

}  // namespace gpugauge::judge
