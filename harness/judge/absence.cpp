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

}  // namespace gpugauge::judge
