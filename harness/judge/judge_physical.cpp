// What needs no history: did it run, is it right, and is it possible?
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "judge/between_gpus.hpp"
#include "judge/checksums.hpp"
#include "judge/collect.hpp"
#include "judge/device_limits.hpp"
#include "judge/invariants.hpp"
#include "judge/judge.hpp"
#include "judge/lost_gpu.hpp"
#include "judge/peaks.hpp"
#include "judge/products.hpp"
#include "judge/reasons.hpp"
#include "judge/statistics.hpp"
#include "judge/tensor_cores.hpp"
#include "judge/under_load.hpp"
#include "result/occupied.hpp"

namespace gpugauge::judge {
namespace {

using result::Direction;
using result::Status;

/// Beyond the limit by more than clocks and rounding explain.
constexpr double above_limit = 1.05;
/// A device that reaches less of a saturating limit is not healthy, or the limit is not its own.
constexpr double default_floor = 0.4;
/// A product of fewer operations leaves many SMs of a large GPU without work: no floor.
constexpr double least_saturating_flops = 1e11;
/// A smaller copy over the link mostly waits.
constexpr double least_copied_bytes = 3e7;

/// Whether a floor may be held against the metric: it is declared saturating, its median is looked at, the
/// GPU's compute capability is in the table of peaks, and it has the whole chip (a slice of a card, or a
/// share of a virtual one, does not say how much of the chip it is).
bool has_floor(const MetricValues& metric, const result::Run& run) {
  if (!metric.saturating || metric.form.statistic != "median") return false;
  const DeviceFacts device(run, metric.benchmark);
  if (!peak(device.text("gpu.compute_capability"), "gemm32")) return false;
  if (shared_card(device.text("gpu.name"))) return false;
  const result::Facts& settings = run.fingerprint.settings;
  return std::none_of(settings.begin(), settings.end(), [](const auto& fact) {
    return fact.first.rfind("gpu.", 0) == 0 && fact.first.ends_with(".mig") && fact.second == "on";
  });
}

/// Verdicts by metric; of two on one metric the graver stays.
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

Verdict verdict_on(const std::string& name, VerdictKind kind, std::string reason) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.judge = Judge::physical;
  verdict.metric = name;
  verdict.reason = std::move(reason);
  verdict.rounds = 1;
  return verdict;
}

Verdict verdict_on(const std::string& key, const MetricValues& metric) {
  Verdict verdict = verdict_on(key, VerdictKind::ok, "");
  verdict.metric_class = metric.form.metric_class;
  verdict.unit = metric.form.unit;
  verdict.better = metric.form.better;
  verdict.value = median(metric.values);
  return verdict;
}

using Processes = std::vector<const result::Process*>;

struct FamilyCount {
  int processes = 0, measured = 0, failed = 0, unavailable = 0;
  std::string failure, absence;  ///< of the first of each
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
      out.add(verdict_on(family, VerdictKind::failed,
                         fmt::format("{} of {} processes of the family failed: {}", count.failed,
                                     count.processes, count.failure)));
    if (count.unavailable > 0)
      out.add(verdict_on(
          family, VerdictKind::inconclusive,
          fmt::format("the family could not be measured{}: {}",
                      count.unavailable < count.processes
                          ? fmt::format(" in {} of {} processes", count.unavailable, count.processes)
                          : "",
                      count.absence)));
  }
}

/// What was there a minute ago, and is not now, has gone: a GPU off the bus, a driver that gave up.
/// `processes` are those of one check: of two days, a family may have been measured on one of them.
void judge_gone(Processes processes, Verdicts& out) {
  std::erase_if(processes, [](const result::Process* process) {
    return result::occupied(status_of(*process), reason_of(*process));
  });
  for (const auto& [family, count] : count_families(processes))
    if (count.unavailable > 0 && count.measured > 0)
      out.add(
          verdict_on(family, VerdictKind::failed,
                     fmt::format("{} of {} processes of the family measured, and {} could not even begin: {}",
                                 count.measured, count.processes, count.unavailable, count.absence)));
}

void judge_benchmarks(const Collected& run, Verdicts& out) {
  for (const auto& [id, state] : run.benchmarks) {
    if (state.worst == Status::failed)
      out.add(verdict_on(
          id, VerdictKind::failed,
          fmt::format("sound in {} of {} processes: {}", state.ok, state.processes, state.reason)));
    if (state.worst == Status::unavailable)
      out.add(
          verdict_on(id, VerdictKind::inconclusive, fmt::format("could not be measured: {}", state.reason)));
  }
}

void judge_limit(const std::string& key, const MetricValues& metric, const result::Limit& limit,
                 Verdicts& out) {
  Verdict verdict = verdict_on(key, metric);
  const double share =
      metric.form.better == Direction::higher ? *verdict.value / limit.value : limit.value / *verdict.value;
  const double floor = limit.saturating ? limit.floor.value_or(default_floor) : 0;
  verdict.share = share;
  if (share > above_limit) {
    verdict.kind = VerdictKind::failed;
    verdict.reason = fmt::format("{} of what is possible: the measurement or the limit is wrong ({})",
                                 whole_percent(share), limit.source);
  } else if (share < floor) {
    verdict.kind = VerdictKind::failed;
    verdict.reason = fmt::format("{} of the limit, and a healthy machine reaches at least {} ({})",
                                 whole_percent(share), whole_percent(floor), limit.source);
  } else {
    verdict.reason = fmt::format("{} of the limit ({})", whole_percent(share), limit.source);
  }
  out.add(std::move(verdict));
}

/// The host has its part in a copy, so a slow one is counted and fails nothing.
void judge_slow_copy(const std::string& key, const MetricValues& metric, const result::Limit& limit,
                     Verdicts& out) {
  Verdict verdict = verdict_on(key, metric);
  verdict.kind = VerdictKind::inconclusive;
  verdict.share = *verdict.value / limit.value;
  verdict.reason = fmt::format(
      "{:.0f}% of the link ({}), where a large copy reaches {:.0f}% or more: confidential computing, an "
      "IOMMU, a "
      "shared switch or the memory of the other socket explain it, a fault of the link does, too",
      100 * *verdict.share, limit.source, 100 * default_floor);
  out.add(std::move(verdict));
}

/// Copies of device memory and over the link against what the device says of its bus and its link.
void judge_device_limit(const std::string& key, const MetricValues& metric, const result::Run& run,
                        Verdicts& out) {
  if (metric.form.unit != "byte/second") return;
  const auto undecided = [&](std::string reason) {
    Verdict verdict = verdict_on(key, metric);
    verdict.kind = VerdictKind::inconclusive;
    verdict.advisory = true;
    verdict.reason = std::move(reason);
    out.add(std::move(verdict));
  };
  const std::string& metric_class = metric.form.metric_class;
  if (metric_class == "hbm") {
    if (const auto limit = memory_limit(run, metric.benchmark,
                                        has_floor(metric, run) ? std::optional(default_floor) : std::nullopt))
      return judge_limit(key, metric, *limit, out);
    undecided(
        "not held against the memory's bus: the process did not record gpu.memory_clock_max_hz and "
        "gpu.memory_bus_bits");
  } else if (metric_class == "h2d" || metric_class == "d2h") {
    const auto limit = link_limit(run, metric.link_directions);
    if (!limit)
      undecided(
          "not held against the link: telemetry did not see its generation and width, or no rate of that "
          "generation is known");
    else if (metric.bytes >= least_copied_bytes && has_floor(metric, run) &&
             median(metric.values) < default_floor * limit->value)
      judge_slow_copy(key, metric, *limit, out);
    else if (median(metric.values) <= above_limit * limit->value)
      judge_limit(key, metric, *limit, out);
    else
      undecided(
          fmt::format("faster than the link that telemetry saw ({}): it went another way, or the link "
                      "slept whenever it was asked",
                      limit->source));
  }
}

/// Matrix products and single instructions against what the SMs can do at the clock that they really had.
/// From below only what is declared saturating and large or from registers, of models whose Tensor Cores are
/// not cut: small and misaligned shapes are honest far below the peak.
void judge_peak(const std::string& key, const MetricValues& metric, const result::Run& run, Verdicts& out) {
  Verdict verdict = verdict_on(key, metric);
  const auto unknown = [&](std::string reason) {
    verdict.kind = VerdictKind::inconclusive;
    verdict.advisory = true;
    verdict.reason = std::move(reason);
    out.add(verdict);
  };
  const DeviceFacts device(run, metric.benchmark);
  const std::string capability = device.text("gpu.compute_capability");
  const double sms = device.number("gpu.sm_count");
  if (capability.empty() || sms == 0)
    return unknown(
        "not held against a peak: the process did not record gpu.compute_capability and gpu.sm_count");
  const std::string what = metric.instruction.empty()
                               ? std::string(products_of(metric.form.metric_class, metric.benchmark))
                               : metric.instruction;
  const auto most = metric.instruction.empty() ? peak(capability, what) : instruction_peak(capability, what);
  if (!most)
    return unknown(fmt::format("not held against a peak: none is known of {} for compute capability {}", what,
                               capability));
  if (metric.sm_clock_hz.empty() || !(median(metric.sm_clock_hz) > 0))
    return unknown("not held against a peak: the SM clock was not recorded");
  const double clock = median(metric.sm_clock_hz);
  verdict.share = *verdict.value / (most->operations_per_clock_per_sm * sms * clock);
  const std::string basis = fmt::format("{:.0f} operations a clock x {:.0f} SMs x {:.2f} GHz; {}",
                                        most->operations_per_clock_per_sm, sms, clock / 1e9, most->source);
  const bool full = metric.flops >= least_saturating_flops || from_registers(metric.benchmark);
  const bool floor =
      most->reached && has_floor(metric, run) && full && !cut_tensor_cores(device.text("gpu.name"));
  if (*verdict.share > above_limit) {
    verdict.kind = VerdictKind::failed;
    verdict.reason =
        fmt::format("{} of the peak, which is impossible: work was left out, or the clock is wrong ({})",
                    whole_percent(*verdict.share), basis);
  } else if (floor && *verdict.share < default_floor) {
    verdict.kind = VerdictKind::failed;
    verdict.reason =
        fmt::format("{} of the peak at the clock that it had, and a healthy device reaches at least {} ({})",
                    whole_percent(*verdict.share), whole_percent(default_floor), basis);
  } else {
    verdict.reason = fmt::format("{} of the peak ({})", whole_percent(*verdict.share), basis);
  }
  out.add(std::move(verdict));
}

void judge_invariant(const Invariant& row, const Collected& run, Verdicts& out) {
  const auto above = run.metrics.find(std::string(row.numerator));
  const auto below = run.metrics.find(std::string(row.denominator));
  if (above == run.metrics.end() || below == run.metrics.end()) return;
  if (!above->second.judged() || !below->second.judged()) return;
  Verdict verdict = verdict_on(above->first, above->second);
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

/// `run` has the rounds of all `checks`.
std::vector<Verdict> judge_together(const result::Run& run, const std::vector<Processes>& checks) {
  Verdicts out;
  const Collected collected = collect(run);
  judge_processes(processes_of(run), out);
  for (const Processes& check : checks) judge_gone(check, out);
  judge_benchmarks(collected, out);
  for (const auto& [key, metric] : collected.metrics) {
    if (!metric.judged()) continue;
    if (metric.form.limit)
      judge_limit(key, metric, *metric.form.limit, out);
    else
      judge_device_limit(key, metric, run, out);
    const bool arithmetic = metric.form.metric_class.rfind("gemm", 0) == 0 || !metric.instruction.empty();
    const bool rate = metric.form.unit == "flop/second" || metric.form.unit == "operation/second";
    if (arithmetic && rate && !metric.form.limit) judge_peak(key, metric, run, out);
  }
  for (Verdict& verdict : judge_tensor_cores(collected, run)) out.add(std::move(verdict));
  for (Verdict& verdict : judge_under_load(collected, run)) out.add(std::move(verdict));
  for (Verdict& verdict : judge_between_gpus(collected, run)) out.add(std::move(verdict));
  for (Verdict& verdict : judge_lost_gpus(run)) out.add(std::move(verdict));
  for (Verdict& verdict : judge_checksums(checksums_of(run))) out.add(std::move(verdict));
  for (const Invariant& row : invariants()) judge_invariant(row, collected, out);
  return std::move(out).sorted();
}

/// Puts a round behind those of `together`: each counts its seconds from 0, and telemetry belongs to the
/// processes of its own round.
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
  // In the order of time, whatever that of the files is: a check's rounds are numbered upwards.
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
  result::Run together = rounds.front();
  for (auto round = rounds.begin() + 1; round != rounds.end(); ++round) append(*round, together);
  std::vector<Verdict> verdicts = judge_together(together, checks);
  for (Verdict& verdict : verdicts) verdict.rounds = static_cast<int>(rounds.size());
  return verdicts;
}

}  // namespace gpugauge::judge
