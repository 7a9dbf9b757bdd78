// From verdicts to the exit code.
//
//   what was found                                     code
//   a metric failed, regressed or is missing           1     whatever else
//   interrupted, a required family unmeasured,
//   no judge applicable, or no verdict at all          3
//   inconclusive or unstable, with --strict            4
//   inconclusive or unstable                           0     counted in the sentence
//   ok, new, improved, and everything advisory         0     new, improved and advisory are said
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/judge.hpp"
#include "judge/reasons.hpp"
#include "result/counted.hpp"

namespace gpugauge::judge {
namespace {

/// Gravest first.
constexpr std::array order{
    VerdictKind::failed,       VerdictKind::regressed,  VerdictKind::missing,  VerdictKind::unstable,
    VerdictKind::inconclusive, VerdictKind::new_metric, VerdictKind::improved, VerdictKind::ok};

std::ptrdiff_t gravity(VerdictKind kind) {
  return order.end() - std::find(order.begin(), order.end(), kind);
}

/// The gravest counted verdict of each metric; an advisory one only where there is no other.
std::map<std::string, const Verdict*> gravest(const std::vector<Verdict>& verdicts) {
  std::map<std::string, const Verdict*> out;
  for (const Verdict& verdict : verdicts) {
    const Verdict*& kept = out[verdict.metric];
    const bool graver = kept == nullptr || (kept->advisory && !verdict.advisory) ||
                        (kept->advisory == verdict.advisory && gravity(verdict.kind) > gravity(kept->kind));
    if (graver) kept = &verdict;
  }
  return out;
}

struct Count {
  std::map<VerdictKind, std::vector<std::string>> metrics;  ///< counted verdicts
  int advisory = 0;                                         ///< advisory and not ok
  int advisory_ok = 0;
  int all = 0;

  int of(VerdictKind kind) const {
    const auto found = metrics.find(kind);
    return found == metrics.end() ? 0 : static_cast<int>(found->second.size());
  }
};

Count count(const std::vector<Verdict>& verdicts) {
  Count out;
  for (const auto& [metric, verdict] : gravest(verdicts)) {
    ++out.all;
    if (verdict->advisory)
      ++(verdict->kind == VerdictKind::ok ? out.advisory_ok : out.advisory);
    else
      out.metrics[verdict->kind].push_back(metric);
  }
  return out;
}

/// "failed: 1, regressed: 3 of 42 metrics (a, b and 2 more)".
std::string findings(const Count& counts) {
  std::vector<std::string> parts;
  std::vector<std::string> names;
  for (const VerdictKind kind : {VerdictKind::failed, VerdictKind::regressed, VerdictKind::missing}) {
    if (counts.of(kind) == 0) continue;
    parts.push_back(fmt::format("{}: {}", to_string(kind), counts.of(kind)));
    const auto& found = counts.metrics.at(kind);
    names.insert(names.end(), found.begin(), found.end());
  }
  return fmt::format("{} of {} ({})", fmt::join(parts, ", "), result::counted(counts.all, "metric"),
                     some_of(names));
}

/// What passes and is said: "; 2 inconclusive, 1 improved".
std::string also(const Count& counts) {
  std::vector<std::string> parts;
  for (const VerdictKind kind :
       {VerdictKind::unstable, VerdictKind::inconclusive, VerdictKind::new_metric, VerdictKind::improved}) {
    if (counts.of(kind) > 0) parts.push_back(fmt::format("{} {}", counts.of(kind), to_string(kind)));
  }
  if (counts.advisory > 0) parts.push_back(fmt::format("{} too noisy or unknown to count", counts.advisory));
  return parts.empty() ? "" : fmt::format("; {}", fmt::join(parts, ", "));
}

}  // namespace

Outcome outcome(const OutcomeInput& input) {
  const Count counts = count(input.verdicts);
  const int undecided = counts.of(VerdictKind::inconclusive) + counts.of(VerdictKind::unstable);
  const int fatal =
      counts.of(VerdictKind::failed) + counts.of(VerdictKind::regressed) + counts.of(VerdictKind::missing);
  if (fatal > 0) return {ExitCode::regressed, findings(counts) + also(counts)};
  if (input.interrupted)
    return {ExitCode::cannot_judge,
            fmt::format("cannot judge: interrupted before everything was measured{}", also(counts))};
  if (!input.unmeasured_families.empty())
    return {ExitCode::cannot_judge,
            fmt::format("cannot judge: {} famil{} not measured: {}", input.unmeasured_families.size(),
                        input.unmeasured_families.size() == 1 ? "y was" : "ies were",
                        fmt::join(input.unmeasured_families, "; "))};
  if (!input.judged) return {ExitCode::cannot_judge, "cannot judge: nothing to judge the measurement by"};
  if (counts.all == 0)
    return {ExitCode::cannot_judge, "cannot judge: nothing was measured that can be judged"};
  const int ok = counts.of(VerdictKind::ok) + counts.of(VerdictKind::improved) + counts.advisory_ok;
  const std::string held = fmt::format("{} of {} within tolerance and limits{}", ok,
                                       result::counted(counts.all, "metric"), also(counts));
  if (undecided > 0 && input.strict) return {ExitCode::inconclusive, "inconclusive: " + held};
  if (ok == 0) return {ExitCode::pass, "pass, but nothing could be decided: " + held};
  return {ExitCode::pass, "pass: " + held};
}

}  // namespace gpugauge::judge
