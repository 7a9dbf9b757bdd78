// Judges without history whether benchmarks ran, are right and are physically possible.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "judge/between_gpus.hpp"
#include "judge/checksums.hpp"
#include "judge/collect.hpp"
#include "judge/gpu_health.hpp"
#include "judge/invariants.hpp"
#include "judge/judge.hpp"
#include "judge/load_seen.hpp"
#include "judge/lost_gpu.hpp"
#include "judge/neighbours.hpp"
#include "judge/physical_limits.hpp"
#include "judge/physical_verdict.hpp"
#include "judge/reasons.hpp"
#include "judge/statistics.hpp"
#include "judge/tensor_cores.hpp"
#include "judge/under_load.hpp"

namespace gpugauge::judge {
namespace {

using result::Status;

/// Verdicts by metric; keeps the graver of two on one metric.
class Verdicts {
 public:
  void add(Verdict verdict) {
    const auto [found, added] = by_metric_.try_emplace(verdict.metric, verdict);
    if (!added && gravity(verdict.kind) > gravity(found->second.kind)) found->second = std::move(verdict);
  }
  std::vector<Verdict> sorted() && {
    std::vector<Verdict> out;
    for (auto& [metric, verdict] : by_metric_) out.push_back(std::move(verdict));
    return out;
  }

 private:
  static int gravity(VerdictKind kind) {
    return kind == VerdictKind::failed ? 2 : kind == VerdictKind::inconclusive ? 1 : 0;
  }
  std::map<std::string, Verdict> by_metric_;
};

using Processes = std::vector<const result::Process*>;

struct FamilyCount {
  int processes = 0, measured = 0, failed = 0, unavailable = 0;
  std::string failure, absence;  ///< reason of the first failure and first absence
};

std::map<std::string, FamilyCount> count_families(const Processes& processes) {
  std::map<std::string, FamilyCount> out;
  for (const result::Process* const process : processes) {
    FamilyCount& count = out[process->family];
    ++count.processes;
    const std::string& reason = reason_of(*process);
    if (process->samples &&
        std::any_of(process->samples->benchmarks.begin(), process->samples->benchmarks.end(),
                    [](const auto& one) { return one.status == Status::ok; }))
      ++count.measured;
    if (status_of(*process) == Status::failed && count.failed++ == 0) count.failure = reason;
    if (status_of(*process) == Status::unavailable && count.unavailable++ == 0) count.absence = reason;
  }
  return out;
}

void judge_processes(const Processes& processes, Verdicts& out) {
  for (const auto& [family, count] : count_families(processes)) {
    if (count.failed > 0)
      out.add(physical_verdict(family, VerdictKind::failed,
                               fmt::format("{} of {} processes of the family failed: {}", count.failed,
                                           count.processes, count.failure)));
    if (count.unavailable > 0)
      out.add(physical_verdict(
          family, VerdictKind::inconclusive,
          fmt::format("the family could not be measured{}: {}",
                      count.unavailable < count.processes
                          ? fmt::format(" in {} of {} processes", count.unavailable, count.processes)
                          : "",
                      count.absence)));
  }
}

/// Reports what worked earlier in the check and then disappeared: a GPU off the bus, a failed driver.
/// `processes` are those of one check, since two checks may measure different families.
void judge_gone(Processes processes, Verdicts& out) {
  std::erase_if(processes, [](const result::Process* process) { return occupied(*process); });
  for (const auto& [family, count] : count_families(processes))
    if (count.unavailable > 0 && count.measured > 0)
      out.add(physical_verdict(
          family, VerdictKind::failed,
          fmt::format("{} of {} processes of the family measured, and {} could not even begin: {}",
                      count.measured, count.processes, count.unavailable, count.absence)));
}

void judge_benchmarks(const Collected& run, Verdicts& out) {
  for (const auto& [id, state] : run.benchmarks) {
    if (state.worst == Status::failed)
      out.add(physical_verdict(
          id, VerdictKind::failed,
          fmt::format("sound in {} of {} processes: {}", state.ok, state.processes, state.reason)));
    if (state.worst == Status::unavailable)
      out.add(physical_verdict(id, VerdictKind::inconclusive,
                               fmt::format("could not be measured: {}", state.reason)));
  }
}

void judge_invariant(const Invariant& row, const Collected& run, Verdicts& out) {
  const auto above = run.metrics.find(std::string(row.numerator));
  const auto below = run.metrics.find(std::string(row.denominator));
  if (above == run.metrics.end() || below == run.metrics.end()) return;
  if (!above->second.judged() || !below->second.judged()) return;
  Verdict verdict = physical_verdict(above->first, above->second);
  const double ratio = *verdict.value / median(below->second.values);
  const std::string seen =
      fmt::format("{} times {}", ratio < 1e6 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.3g}", ratio),
                  row.denominator);
  if (row.minimum > 0 && ratio < row.minimum) {
    verdict.kind = VerdictKind::failed;
    verdict.reason = fmt::format("{}, and must be at least {:.2g}: {}", seen, row.minimum, row.why);
  } else if (row.maximum > 0 && ratio > row.maximum) {
    verdict.kind = VerdictKind::failed;
    verdict.reason = fmt::format("{}, and must be at most {:.2g}: {}", seen, row.maximum, row.why);
  } else {
    verdict.reason = seen;
  }
  out.add(std::move(verdict));
}

}  // namespace

namespace {

Processes processes_of(const result::Run& run) {
  Processes out;
  out.reserve(run.processes.size());
  for (const result::Process& process : run.processes) out.push_back(&process);
  return out;
}

/// `run` holds the rounds of all `checks`.
std::vector<Verdict> judge_together(const result::Run& run, const std::vector<Processes>& checks) {
  Verdicts out;
  const Collected collected = collect(run);
  judge_processes(processes_of(run), out);
  for (const Processes& check : checks) judge_gone(check, out);
  judge_benchmarks(collected, out);
  for (const auto& [key, metric] : collected.metrics) {
    if (!metric.judged()) continue;
    for (Verdict& verdict : judge_limits(key, metric, run)) {
      allow_for_neighbours(verdict, run);
      out.add(std::move(verdict));
    }
  }
  for (Verdict& verdict : judge_tensor_cores(collected, run)) out.add(std::move(verdict));
  for (Verdict& verdict : judge_under_load(collected, run)) out.add(std::move(verdict));
  for (Verdict& verdict : judge_between_gpus(collected, run)) {
    allow_for_neighbours(verdict, run);
    out.add(std::move(verdict));
  }
  for (Verdict& verdict : judge_lost_gpus(run)) out.add(std::move(verdict));
  for (Verdict& verdict : judge_gpu_health(run)) out.add(std::move(verdict));
  for (Verdict& verdict : judge_checksums(checksums_of(run))) out.add(std::move(verdict));
  for (const Invariant& row : invariants()) judge_invariant(row, collected, out);
  return std::move(out).sorted();
}

/// Appends a round to `together`. Each round counts its seconds from 0, so its telemetry must stay with its
/// own processes.
void append(result::Run round, result::Run& together) {
  double end = 0;
  for (const result::Process& process : together.processes)
    end = std::max(end, process.start_seconds + process.wall_seconds);
  for (const result::Series& series : together.telemetry)
    for (const double seconds : series.seconds) end = std::max(end, seconds);
  const double shift = end + 1;
  for (result::Process& process : round.processes) {
    process.start_seconds += shift;
    together.processes.push_back(std::move(process));
  }
  for (result::Series& series : round.telemetry) {
    for (double& seconds : series.seconds) seconds += shift;
    const auto same =
        std::find_if(together.telemetry.begin(), together.telemetry.end(), [&](const result::Series& one) {
          return one.source == series.source && one.name == series.name && one.unit == series.unit;
        });
    if (same == together.telemetry.end()) {
      together.telemetry.push_back(std::move(series));
      continue;
    }
    same->seconds.insert(same->seconds.end(), series.seconds.begin(), series.seconds.end());
    same->values.insert(same->values.end(), series.values.begin(), series.values.end());
  }
}

}  // namespace

std::vector<Verdict> judge_physical(const result::Run& run) {
  return judge_together(run, {processes_of(run)});
}

std::vector<Verdict> judge_physical(const std::vector<result::Run>& rounds) {
  if (rounds.empty()) return {};
  // Sort by time, whatever the order of the files: a check numbers its rounds upwards.
  std::vector<const result::Run*> in_time;
  in_time.reserve(rounds.size());
  for (const result::Run& round : rounds) in_time.push_back(&round);
  std::stable_sort(in_time.begin(), in_time.end(), [](const result::Run* a, const result::Run* b) {
    return std::tie(a->started, a->round) < std::tie(b->started, b->round);
  });
  std::vector<Processes> checks;
  int before = 0;
  for (const result::Run* const round : in_time) {
    if (checks.empty() || round->round <= before) checks.emplace_back();
    before = round->round;
    const Processes more = processes_of(*round);
    checks.back().insert(checks.back().end(), more.begin(), more.end());
  }
  // The newest value of a counter is the last one.
  result::Run together = *in_time.front();
  for (auto round = in_time.begin() + 1; round != in_time.end(); ++round) {
    append(**round, together);
    take_settings(**round, together);
  }
  std::vector<Verdict> verdicts = judge_together(together, checks);
  for (Verdict& verdict : verdicts) verdict.rounds = static_cast<int>(rounds.size());
  return verdicts;
}

}  // namespace gpugauge::judge
