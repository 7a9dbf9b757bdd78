#include "judge/accepted.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "judge/judge.hpp"
#include "judge/pinned.hpp"
#include "judge/scale.hpp"
#include "result/time.hpp"

namespace gpugauge::judge {
namespace {

/// Who accepted it, when and why, from the log entry that holds `change`.
std::string by_whom(const baseline::Baseline& baseline, const baseline::AcceptedChange& change) {
  for (const baseline::LogEntry& entry : baseline.log)
    if (entry.accepted && &*entry.accepted == &change)
      return fmt::format("{} on {}: {}", entry.who, result::day_of(entry.time), entry.reason);
  return "";
}

bool can_be_accepted(VerdictKind kind) {
  return kind == VerdictKind::regressed || kind == VerdictKind::inconclusive;
}

/// The accepted value on the gate's scale. Older logs hold a class mean as a time, whatever its metrics:
/// what is accepted is worse, so that the value tells whether it is a time or a rate.
double accepted_on_scale(const baseline::AcceptedChange& change, const Verdict& on) {
  if (on.metric != class_key(on.metric_class)) return to_scale(change.new_value, on.better);
  return to_scale(change.new_value,
                  change.new_value > change.old_value ? result::Direction::lower : result::Direction::higher);
}

/// How much worse, as a step, an inconclusive value may be than it looks: half its interval, which a verdict
/// holds as a relative change. 0 for other kinds.
double doubt(const Verdict& verdict) {
  if (verdict.kind != VerdictKind::inconclusive || !verdict.interval || !verdict.baseline) return 0;
  return std::asinh(*verdict.interval * *verdict.baseline / *verdict.value);
}

/// The value on the scale to compare with an accepted one. A regression needs its mean and its typical change
/// above the limit (as the gate's clearly_above), so that one bad round is not enough. For an inconclusive
/// verdict, the worse end of its interval.
double measured_on_scale(const Verdict& verdict) {
  const double mean = to_scale(*verdict.value, verdict.better);
  if (verdict.kind != VerdictKind::regressed || !verdict.typical || !verdict.baseline)
    return mean + doubt(verdict);
  return std::min(mean,
                  to_scale(*verdict.baseline, verdict.better) + step_of(*verdict.typical, verdict.better));
}

}  // namespace

std::optional<double> accepted_above(const baseline::Baseline& baseline, const Verdict& blank,
                                     const Scale& scale, const std::string& when) {
  const baseline::AcceptedChange* change = baseline::accepted_on(baseline.log, blank.metric, when);
  if (change == nullptr || change->unit != blank.unit) return std::nullopt;
  return accepted_on_scale(*change, blank) - scale.centre + scale.tolerance;
}

void apply_accepted(std::vector<Verdict>& verdicts, const baseline::Baseline& baseline, const Policy& policy,
                    const std::string& when, std::vector<std::string>& remarks) {
  for (Verdict& verdict : verdicts) {
    if (verdict.judge != Judge::baseline || !can_be_accepted(verdict.kind) || !verdict.value) continue;
    const baseline::AcceptedChange* expired = nullptr;
    const baseline::AcceptedChange* change =
        baseline::accepted_on(baseline.log, verdict.metric, when, &expired);
    if (change == nullptr) {
      if (expired != nullptr && verdict.kind == VerdictKind::regressed && !verdict.advisory &&
          advisory_rule(policy, verdict.metric) == nullptr)
        remarks.push_back(fmt::format("An accepted change of {} expired on {} ({}): it counts again.",
                                      verdict.metric, expired->expires, by_whom(baseline, *expired)));
      continue;
    }
    if (change->unit != verdict.unit) continue;
    const double beyond = measured_on_scale(verdict) - accepted_on_scale(*change, verdict);
    if (beyond > step_of(verdict.tolerance, verdict.better)) {
      if (verdict.kind == VerdictKind::regressed)
        verdict.reason +=
            fmt::format("; worse than the change that was accepted by {}", by_whom(baseline, *change));
      continue;
    }
    verdict.advisory = verdict.accepted = true;
    verdict.reason += fmt::format(
        "; accepted {} by {}", change->expires.empty() ? std::string("for good") : "until " + change->expires,
        by_whom(baseline, *change));
  }
}

}  // namespace gpugauge::judge
