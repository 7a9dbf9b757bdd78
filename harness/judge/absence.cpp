#include "judge/absence.hpp"

#include <fmt/format.h>

#include "result/google_benchmark.hpp"

namespace gpugauge::judge {
namespace {

using result::Status;

Absence by_status(Status status, const std::string& what, const std::string& reason) {
  switch (status) {
    case Status::failed:
      return {VerdictKind::failed, fmt::format("{} failed: {}", what, reason)};
    case Status::interrupted:
      return {VerdictKind::inconclusive, fmt::format("{} was interrupted: {}", what, reason)};
    case Status::skipped:
      return {VerdictKind::missing, fmt::format("in the baseline, and skipped now: {}", reason)};
    case Status::unavailable:
      return {VerdictKind::missing, fmt::format("in the baseline, and unavailable now: {}", reason)};
    case Status::ok:
      break;
  }
  return {VerdictKind::missing, fmt::format("in the baseline, and {} does not report it now", what)};
}

/// The family's processes, where the benchmark itself left no entry.
Absence by_family(const std::string& family, const result::Run& run) {
  const std::string what = fmt::format("the family {}", family);
  const result::Process* seen = nullptr;
  for (const result::Process& process : run.processes) {
    if (process.family != family) continue;
    if (seen == nullptr || process.status != Status::ok) seen = &process;
  }
  if (seen == nullptr) {
    if (!run.complete)
      return {VerdictKind::inconclusive,
              fmt::format("the run ended before {} ran: {}", what, run.partial_reason)};
    return {VerdictKind::missing, fmt::format("in the baseline, and {} was not run now", what)};
  }
  if (seen->status == Status::ok && seen->samples && seen->samples->status != Status::ok)
    return by_status(seen->samples->status, what, seen->samples->reason);
  return by_status(seen->status, what, seen->reason);
}

}  // namespace

int gravity(const Absence& absence) {
  return absence.kind == VerdictKind::failed ? 2 : absence.kind == VerdictKind::missing ? 1 : 0;
}

Absence explain_absence(const std::string& key, const std::string& benchmark, const Collected& now,
                        const result::Run& run) {
  if (const auto metric = now.metrics.find(key); metric != now.metrics.end()) {
    if (metric->second.judged())
      return {VerdictKind::missing, "in the baseline with another unit, direction or class: not comparable"};
    return {VerdictKind::inconclusive, fmt::format("recorded only this time: {}", metric->second.not_judged)};
  }
  if (const auto state = now.benchmarks.find(benchmark); state != now.benchmarks.end())
    return by_status(state->second.worst, fmt::format("the benchmark {}", benchmark), state->second.reason);
  // Its benchmarks have names of their own making: the part before a slash is no family.
  if (run.profile == result::google_benchmark_profile)
    return {VerdictKind::missing, "in the baseline, and the file does not hold it now"};
  return by_family(benchmark.substr(0, benchmark.find('/')), run);
}

Coverage coverage(const std::string& key, const std::string& benchmark, const Collected& now) {
  Coverage out;
  const auto state = now.benchmarks.find(benchmark);
  const std::string family =
      state != now.benchmarks.end() ? state->second.family : benchmark.substr(0, benchmark.find('/'));
  if (const auto found = now.processes.find(family); found != now.processes.end())
    out.processes = found->second;
  if (const auto metric = now.metrics.find(key); metric != now.metrics.end()) {
    out.judged = static_cast<int>(metric->second.values.size());
    out.reported = metric->second.reported;
  }
  return out;
}

std::optional<Absence> explain_gaps(const std::string& key, const std::string& benchmark,
                                    const Collected& now, const result::Run& run, int usual) {
  const Coverage found = coverage(key, benchmark, now);
  if (found.lacking() <= usual || found.reported == 0) return std::nullopt;
  if (const int silent = found.processes - found.reported; silent > 0) {
    const auto state = now.benchmarks.find(benchmark);
    const bool listed = state != now.benchmarks.end() && state->second.worst != Status::ok;
    Absence absence = listed ? by_status(state->second.worst, fmt::format("the benchmark {}", benchmark),
                                         state->second.reason)
                             : by_family(state->second.family, run);
    if (2 * silent <= found.processes) absence.kind = VerdictKind::inconclusive;
    absence.reason = fmt::format("in {} of {} processes: {}", silent, found.processes, absence.reason);
    return absence;
  }
  return Absence{VerdictKind::inconclusive,
                 fmt::format("recorded only in {} of {} processes: {}", found.lacking(), found.processes,
                             now.metrics.at(key).not_judged)};
}

void apply_gaps(const Absence& gaps, Verdict& verdict) {
  const bool absent = gaps.kind != VerdictKind::inconclusive;
  const bool fails = verdict.kind == VerdictKind::regressed || verdict.kind == VerdictKind::failed;
  const bool stays = (fails && !verdict.advisory) || (!absent && verdict.kind == VerdictKind::unstable);
  verdict.advisory = false;
  if (stays) {
    verdict.reason += fmt::format("; {}", gaps.reason);
    return;
  }
  verdict.reason = verdict.kind == VerdictKind::inconclusive && !absent
                       ? fmt::format("{}; {}", verdict.reason, gaps.reason)
                       : fmt::format("{} (what was measured: {})", gaps.reason, verdict.reason);
  verdict.kind = gaps.kind;
}

}  // namespace gpugauge::judge
