// Explains metrics without a value: from the benchmark, its family's processes and the run.
#include "judge/absence.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/google_benchmark.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::judge {
namespace {

using result::Status;

Absence by_status(Status status, bool occupied, const std::string& what, const std::string& reason) {
  switch (status) {
    case Status::failed:
      return {VerdictKind::failed, fmt::format("{} failed: {}", what, reason)};
    case Status::interrupted:
      return {VerdictKind::inconclusive, fmt::format("{} was interrupted: {}", what, reason)};
    case Status::skipped:
      return {VerdictKind::missing, fmt::format("in the baseline, and skipped now: {}", reason)};
    case Status::unavailable:
      if (occupied)
        return {VerdictKind::inconclusive, fmt::format("{} could not be measured: {}", what, reason), true};
      return {VerdictKind::missing, fmt::format("in the baseline, and unavailable now: {}", reason)};
    case Status::ok:
      break;
  }
  return {VerdictKind::missing, fmt::format("in the baseline, and {} does not report it now", what)};
}

Absence by_benchmark(const std::string& benchmark, const BenchmarkState& state) {
  return by_status(state.worst, state.worst_occupied, fmt::format("the benchmark {}", benchmark),
                   state.reason);
}

std::string family_of(const std::string& benchmark, const Collected& now) {
  const auto state = now.benchmarks.find(benchmark);
  return state != now.benchmarks.end() ? state->second.family : result::family_of(benchmark);
}

bool lists(const result::Process& process, const std::string& benchmark) {
  return process.samples &&
         std::any_of(process.samples->benchmarks.begin(), process.samples->benchmarks.end(),
                     [&](const result::BenchmarkResult& one) { return one.id == benchmark; });
}

int process_gravity(const result::Process& process) {
  return gravity(status_of(process), occupied(process));
}

/// The family's process without the benchmark that has the worst status; nullptr if every process has it.
const result::Process* worst_without(const std::string& family, const std::string& benchmark,
                                     const result::Run& run) {
  const result::Process* out = nullptr;
  for (const result::Process& process : run.processes) {
    if (process.family != family || lists(process, benchmark)) continue;
    if (out == nullptr || process_gravity(process) > process_gravity(*out)) out = &process;
  }
  return out;
}

/// Explains by the family's processes, if the benchmark left no entry.
Absence by_family(const std::string& family, const std::string& benchmark, const result::Run& run) {
  const std::string what = fmt::format("the family {}", family);
  if (const result::Process* const worst = worst_without(family, benchmark, run))
    return by_status(status_of(*worst), occupied(*worst), what, reason_of(*worst));
  if (!run.complete)
    return {VerdictKind::inconclusive,
            fmt::format("the run ended before {} ran: {}", what, run.partial_reason)};
  return {VerdictKind::missing, fmt::format("in the baseline, and {} was not run now", what)};
}

/// Why some processes do not report a metric: the graver of the benchmark's status there and the status of
/// processes without it.
Absence why_silent(const std::string& benchmark, const BenchmarkState& state, const result::Run& run) {
  const result::Process* const without = worst_without(state.family, benchmark, run);
  if (state.worst == Status::ok) return by_family(state.family, benchmark, run);
  if (without == nullptr || process_gravity(*without) <= gravity(state.worst, state.worst_occupied))
    return by_benchmark(benchmark, state);
  return by_family(state.family, benchmark, run);
}

}  // namespace

bool graver(const Absence& one, const Absence& other) {
  const auto gravity = [](const Absence& absence) {
    return absence.kind == VerdictKind::failed    ? 3
           : absence.kind == VerdictKind::missing ? 2
           : absence.occupied                     ? 0
                                                  : 1;
  };
  return gravity(one) > gravity(other);
}

Absence explain_absence(const std::string& key, const std::string& benchmark, const Collected& now,
                        const result::Run& run) {
  if (const auto metric = now.metrics.find(key); metric != now.metrics.end()) {
    if (metric->second.judged())
      return {VerdictKind::missing, "in the baseline with another unit, direction or class: not comparable"};
    return {VerdictKind::inconclusive, fmt::format("recorded only this time: {}", metric->second.not_judged)};
  }
  if (const auto state = now.benchmarks.find(benchmark); state != now.benchmarks.end())
    return by_benchmark(benchmark, state->second);
  // Google Benchmark names are free: the part before a slash is no family.
  if (run.profile == result::google_benchmark_profile)
    return {VerdictKind::missing, "in the baseline, and the file does not hold it now"};
  return by_family(family_of(benchmark, now), benchmark, run);
}

int processes_asked(const std::string& benchmark, const Collected& now) {
  const auto state = now.benchmarks.find(benchmark);
  return state == now.benchmarks.end() ? 0 : state->second.asked;
}

Coverage coverage(const std::string& key, const std::string& benchmark, const Collected& now, int asked) {
  Coverage out;
  if (const auto found = now.processes.find(family_of(benchmark, now)); found != now.processes.end())
    for (const FamilyProcess& process : found->second) {
      if (process.index >= asked) continue;
      ++out.processes;
      out.occupied += process.occupied ? 1 : 0;
    }
  if (const auto state = now.benchmarks.find(benchmark); state != now.benchmarks.end())
    out.occupied += state->second.occupied;
  if (const auto metric = now.metrics.find(key); metric != now.metrics.end()) {
    out.judged = static_cast<int>(metric->second.values.size());
    out.reported = metric->second.reported;
  }
  return out;
}

void Usual::add(const Coverage& run) {
  if (run.reported == 0) return;
  lacking = std::max(lacking, run.lacking());
  silent = std::max(silent, run.silent());
}

std::optional<Absence> explain_gaps(const std::string& key, const std::string& benchmark,
                                    const Collected& now, const result::Run& run, const Usual& usual,
                                    int asked) {
  const Coverage found = coverage(key, benchmark, now, asked);
  if (found.reported == 0) return std::nullopt;
  if (found.silent() > usual.silent) {
    Absence absence = why_silent(benchmark, now.benchmarks.at(benchmark), run);
    const int lost = found.silent() - found.occupied;
    absence.occupied = lost <= usual.silent;
    if (absence.occupied || 2 * lost <= found.processes) absence.kind = VerdictKind::inconclusive;
    absence.reason =
        fmt::format("in {} of {} processes: {}", found.silent(), found.processes, absence.reason);
    return absence;
  }
  if (found.lacking() <= usual.lacking) return std::nullopt;
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
