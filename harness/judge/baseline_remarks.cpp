#include "judge/baseline_remarks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "judge/provisional.hpp"
#include "judge/reasons.hpp"
#include "judge/statistics.hpp"
#include "result/counted.hpp"
#include "result/time.hpp"

namespace gpugauge::judge {
namespace {

/// "" if the run began after the baseline, as it should, or is one of its rounds.
std::string before_its_baseline(const baseline::Baseline& baseline, const result::Run& run) {
  std::string last;
  for (const result::Run& round : baseline.runs) {
    if (round.id == run.id) return "";
    last = std::max(last, result::seconds_of(round.started));
  }
  const std::string began = result::seconds_of(run.started);
  if (began >= last) return "";
  return fmt::format(
      "The run began at {} and the last round of its baseline at {}: it is older than its baseline, or a "
      "clock was set back; a change that was accepted later does not count for it.",
      began, last);
}

}  // namespace

std::vector<std::string> remarks_on(const baseline::Baseline& baseline, const Calibration& calibration,
                                    const Policy& policy, const std::vector<result::Run>& rounds) {
  std::vector<std::string> out;
  const auto pinned = static_cast<int>(baseline.runs.size());
  if (baseline.other_node)
    out.push_back(fmt::format("The baseline is another node's: {}", nodes_may_differ()));
  if (baseline.provisional())
    out.push_back(fmt::format(
        "The baseline is provisional: its rounds come from fewer than 3 boots and fewer than 3 days (UTC), so "
        "small differences may be this machine's own; {}.",
        policy.provisional_is_advisory ? "its verdicts are advisory"
                                       : "a regression counts when it is larger than twice its tolerance"));
  if (pinned < minimum_baseline_rounds)
    out.push_back(
        fmt::format("The baseline has {} and verdicts need {}: nothing can be decided; measure it in "
                    "more rounds.",
                    result::counted(pinned, "round"), minimum_baseline_rounds));
  if (std::string early = before_its_baseline(baseline, rounds.front()); !early.empty())
    out.push_back(std::move(early));
  if (calibration.bad_share > null_share)
    out.push_back(fmt::format(
        "The baseline's own rounds are slow so often that a round counts as slow only where it is worse by "
        "more than {:.1f} times its tolerance; measure a new baseline when the machine is quiet.",
        calibration.bad_share));
  const auto advisory = [&](bool hidden_by_units) {
    return std::count_if(calibration.scales.begin(), calibration.scales.end(), [&](const Scale& scale) {
      return scale.usable && scale.advisory && scale.hidden_by_units == hidden_by_units;
    });
  };
  const auto larger_than = [&](const char* what) {
    return baseline.provisional()
               ? fmt::format("counted only where the change is larger than {} times what {}",
                             provisional_noisy_multiple, what)
               : fmt::format("counted only where the change is larger than {}", what);
  };
  const std::string all = result::counted(calibration.usable, "metric");
  if (const auto noisy = advisory(false); noisy > 0)
    out.push_back(fmt::format("{} of {} {} too noisy in the baseline to show twice {} tolerance, and {}.",
                              noisy, all, noisy == 1 ? "is" : "are", noisy == 1 ? "its" : "their",
                              larger_than("that noise hides")));
  if (const auto hidden = advisory(true); hidden > 0)
    out.push_back(fmt::format(
        "{} of {} {} quiet enough, but what healthy nodes may differ by hides twice {} tolerance: {} {}. A "
        "baseline of this node's own shows less: `gpugauge baseline create`.",
        hidden, all, hidden == 1 ? "is" : "are", hidden == 1 ? "its" : "their",
        hidden == 1 ? "it is" : "they are", larger_than("that allowance hides")));
  return out;
}

}  // namespace gpugauge::judge
