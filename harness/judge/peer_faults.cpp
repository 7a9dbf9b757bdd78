// Decides why a node lacks a metric, what no node of a kind measured, and whether a node's GPUs are healthy.
#include "judge/peer_faults.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judge/judge_peers.hpp"
#include "judge/reasons.hpp"
#include "result/counted.hpp"
#include "result/device_kind.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::judge {
namespace {

std::string word(result::Status status) {
  switch (status) {
    case result::Status::failed:
      return "failed";
    case result::Status::skipped:
      return "was skipped";
    case result::Status::unavailable:
      return "is unavailable";
    case result::Status::interrupted:
      return "was interrupted";
    case result::Status::ok:
      break;
  }
  return "is ok";
}

}  // namespace

Verdict blank_verdict(const PeerForm& form) {
  Verdict verdict;
  verdict.judge = Judge::peers;
  verdict.metric = form.key;
  verdict.metric_class = form.metric_class;
  verdict.unit = form.unit;
  verdict.better = form.better;
  verdict.rounds = 1;
  return verdict;
}

const PeerFault* fault_of(const PeerRound& round, const std::string& benchmark) {
  const std::string family = result::family_of(benchmark);
  const PeerFault* found = nullptr;
  for (const PeerFault& fault : round.faults) {
    if (fault.what == benchmark) return &fault;
    if (fault.what == family) found = &fault;
  }
  return found;
}

namespace {

/// Verdict on one run that lacks the metric. Missing is certain, unless the run was interrupted, something
/// else held the GPU, or the value was recorded only.
Verdict missing_metric(const HeldMetric& metric, const PeerRound& round, const DeviceCount& count) {
  const PeerForm& form = metric.form;
  Verdict verdict = blank_verdict(form);
  verdict.kind = VerdictKind::missing;
  const std::string others = fmt::format("{} of {} {} measure it", metric.others, count.devices, count.many);
  const PeerFault* fault = fault_of(round, form.benchmark);
  if (fault != nullptr) {
    verdict.reason =
        fmt::format("{}; here {} {}: {}", others, fault->what, word(fault->status), fault->reason);
    if (fault->status == result::Status::failed) verdict.kind = VerdictKind::failed;
    if (fault->status == result::Status::interrupted || fault->occupied)
      verdict.kind = VerdictKind::inconclusive;
  } else if (round.recorded && round.recorded->contains(form.key)) {
    verdict.kind = VerdictKind::inconclusive;
    verdict.reason = fmt::format("{}; recorded only here: {}", others, round.recorded->at(form.key));
  } else if (!round.complete) {
    verdict.kind = VerdictKind::inconclusive;
    verdict.reason =
        fmt::format("{}; the run of this {} ended early: {}", others, count.one, round.partial_reason);
  } else {
    // A run with unknown choice comes from a history of an older version.
    verdict.reason =
        fmt::format("{}; this {} does not report it{}", others, count.one,
                    round.choice_known ? "" : ", or recorded it only, which its history does not say");
  }
  return verdict;
}

/// Whether the run notes why it lacks the metric.
bool says_why(const PeerRound& round, const PeerForm& form) {
  return fault_of(round, form.benchmark) != nullptr || (round.recorded && round.recorded->contains(form.key));
}

/// Whether a complete run with a known choice should have measured the metric, and ran its family.
bool was_asked(const PeerRound& round, const PeerForm& form) {
  return was_chosen(round, form.benchmark) && round.choice_known && round.complete &&
         !source_hash_of(round, result::family_of(form.benchmark)).empty();
}

}  // namespace

std::optional<Verdict> lacking(const HeldMetric& metric, const PeerRounds& node, const DeviceCount& count) {
  const PeerForm& form = metric.form;
  bool held = false;
  int times = 0;  // complete runs that lost it since
  // from runs that note why, or were interrupted, since the last run with the metric
  std::optional<Verdict> worst;
  std::optional<Verdict> silent;  // from the first run that does not report it
  std::optional<Verdict> lost;    // from runs after the last one with the metric
  const auto take = [](std::optional<Verdict>& into, Verdict verdict) {
    if (!into || (grave(verdict) && !grave(*into))) into = std::move(verdict);
  };
  for (std::size_t r = 0; r < node.size(); ++r) {
    const PeerRound& round = *node[r];
    if (metric.runs[r] == InRun::held) {
      held = true;
      times = 0;
      lost.reset();
      // a failure is not cured by a later run
      if (worst && worst->kind == VerdictKind::missing) worst.reset();
      continue;
    }
    if (!was_chosen(round, form.benchmark)) continue;
    Verdict verdict = missing_metric(metric, round, count);
    if (says_why(round, form) && (!held || grave(verdict))) {
      take(worst, std::move(verdict));
    } else if (!held) {
      take(round.complete ? silent : worst, std::move(verdict));
    } else if (round.recorded && round.recorded->contains(form.key)) {
      take(lost, std::move(verdict));
    } else if (metric.runs[r] == InRun::lacking && was_asked(round, form) && !says_why(round, form)) {
      verdict.kind = ++times > 1 ? VerdictKind::missing : VerdictKind::inconclusive;
      verdict.rounds = times;
      const std::string runs =
          times > 1 ? fmt::format("{} runs", times) : fmt::format("run {} of {}", r + 1, node.size());
      verdict.reason = fmt::format("{} of {} {} measure it; {} of this {} lost it", metric.others,
                                   count.devices, count.many, runs, count.one);
      take(lost, std::move(verdict));
    }
  }
  if (held) return worst && grave(*worst) ? worst : lost;
  if (silent && (!worst || !grave(*worst))) return silent;
  return worst ? worst : missing_metric(metric, *node.front(), count);
}

std::vector<Verdict> health_of(const PeerRounds& rounds) {
  std::vector<Verdict> out;  // of each name the newest, or one that failed
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    for (const Verdict& verdict : (*round)->health) {
      const auto known = std::find_if(out.begin(), out.end(),
                                      [&](const Verdict& one) { return one.metric == verdict.metric; });
      if (known == out.end())
        out.push_back(verdict);
      else if (grave(verdict) && !grave(*known))
        *known = verdict;
    }
  }
  std::erase_if(out, [](const Verdict& verdict) { return verdict.kind == VerdictKind::ok; });
  return out;
}

std::string health_not_told(std::span<const PeerRound> rounds) {
  std::size_t told = 0;
  std::vector<std::string> silent;
  for (const PeerRound& round : rounds) {
    if (result::is_host(round.device)) continue;
    if (round.health.empty())
      silent.push_back(round.label);
    else
      ++told;
  }
  if (silent.empty()) return "";
  if (told == 0)
    return "No run tells of the health of its GPUs, so memory faults and errors that the driver reports (Xid) were not "
           "judged: there is no telemetry of them, or an older gpugauge kept it.";
  return fmt::format(
      "{} {} nothing of the health of {} GPUs ({}): there is no telemetry of them, or an older gpugauge kept it.",
      result::counted(silent.size(), "run"), silent.size() == 1 ? "tells" : "tell",
      silent.size() == 1 ? "its" : "their", some_of(silent));
}

void Unmeasured::add(const PeerRounds& node) {
  for (const PeerRound* round : node) {
    for (const PeerFault& fault : round->faults) faults_.try_emplace(fault.what, fault);
    for (const auto& [benchmark, values] : round->checksums) measured(benchmark);
    if (!round->recorded || !seen_.insert(round->recorded.get()).second) continue;
    for (const auto& [key, note] : *round->recorded) measured(result::benchmark_of(key));
  }
}

void Unmeasured::measured(const std::string& benchmark) {
  measured_.insert(benchmark);
  measured_.insert(result::family_of(benchmark));
}

std::vector<std::string> Unmeasured::sentences(const DeviceCount& count) const {
  std::map<std::string, std::vector<const PeerFault*>> families;
  for (const auto& [what, fault] : faults_)
    if (!measured_.contains(what)) families[result::family_of(what)].push_back(&fault);
  std::vector<std::string> out;
  for (const auto& [family, faults] : families) {
    const PeerFault& first = *faults.front();  // a family sorts before its benchmarks
    std::string what = first.what;
    if (first.what == family)
      what = "the family " + family;
    else if (faults.size() > 1)
      what += fmt::format(" and {} of the family {}", result::counted(faults.size() - 1, "other benchmark"),
                          family);
    out.push_back(fmt::format("None of {} {} measured {}; {} {}: {}{}", count.devices, count.many, what,
                              first.what, word(first.status), first.reason,
                              first.reason.ends_with('.') ? "" : "."));
  }
  return out;
}

void add_failures(const PeerRounds& rounds, std::vector<Verdict>& verdicts) {
  for (const PeerRound* round : rounds) {
    for (const PeerFault& fault : round->faults) {
      const bool said = std::any_of(verdicts.begin(), verdicts.end(),
                                    [&](const Verdict& verdict) { return verdict.metric == fault.what; });
      if (fault.status != result::Status::failed || said) continue;
      Verdict verdict;
      verdict.judge = Judge::peers;
      verdict.kind = VerdictKind::failed;
      verdict.metric = fault.what;
      verdict.rounds = 1;
      verdict.reason = "failed: " + fault.reason;
      verdicts.push_back(std::move(verdict));
    }
  }
}

}  // namespace gpugauge::judge
