#include "conductor/rounds.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conductor/node_fingerprint.hpp"
#include "judge/collect.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"

namespace gpugauge::conductor {
namespace {

/// ". While it was measured: ..." for the end of a clause that continues, so without a full stop; "" where
/// nothing disturbed the run.
std::string disturbed(const result::Run& run) {
  std::string text = report::disturbance(run);
  if (text.ends_with('.')) text.pop_back();
  return text.empty() ? "" : ". " + text;
}

}  // namespace

std::string stopped_after(const std::string& signal, int round, int last) {
  return fmt::format("{} asked to stop when round {} of {} was whole", signal, round, last);
}

Rounds measure_rounds(const MeasureOptions& options, const Target& target, const Choice& choice,
                      const stack::GpuReport& gpus, int first, int last, bool fit) {
  if (fit) refuse_unmeasured(choice);
  Rounds out;
  MeasureOptions own = options;
  for (int round = first; round <= last; ++round) {
    Stored stored = measure(own, target, choice, gpus, round);
    if (own.libraries.empty()) own.libraries = library_facts(stored.run);
    if (!stored.not_kept.empty()) throw result::FileError(stored.not_kept);
    if (!stored.run.complete) {
      out.stopped = stored.run.partial_reason;
      break;
    }
    try {
      if (fit) refuse_unfit(stored.run);
    } catch (const result::UsageError& error) {
      out.stopped = fmt::format("{}; it is kept as {}", error.what(), stored.file.string());
      out.unfit = true;
      break;
    }
    out.stopped_by = stored.stopped_by;
    out.whole.push_back(std::move(stored));
    if (out.stopped_by.empty()) continue;
    if (round < last) out.stopped = stopped_after(out.stopped_by, round, last);
    break;
  }
  return out;
}

void refuse_unfit(const result::Run& run) {
  const auto refuse = [&](const std::string& why) {
    throw result::UsageError(fmt::format("run {} cannot be part of a baseline: {}", run.id, why));
  };
  if (!run.complete) refuse("it is partial: " + run.partial_reason);
  for (const result::Process& process : run.processes)
    if (process.status != result::Status::ok)
      refuse(fmt::format("family {} process {} is {}: {}", process.family, process.index,
                         to_string(process.status), process.reason));
  const judge::Collected found = judge::collect(run);
  if (std::none_of(found.metrics.begin(), found.metrics.end(),
                   [](const auto& metric) { return metric.second.judged(); }))
    refuse("it holds no metric that can be judged, so that there is nothing to compare with it");
  for (const judge::Verdict& verdict : judge::judge_physical(run))
    if (verdict.kind == judge::VerdictKind::failed)
      refuse(
          fmt::format("it fails a physical check, {}: {}{}", verdict.metric, verdict.reason, disturbed(run)));
}

void refuse_unmeasured(const Choice& choice) {
  if (choice.unmeasured.empty()) return;
  throw result::UsageError(fmt::format(
      "no baseline was made: {} cannot be measured: {}; mend that, or name with --family those that the "
      "baseline shall hold",
      result::counted(choice.unmeasured.size(), "family", "families"), sentences(choice.unmeasured)));
}

}  // namespace gpugauge::conductor
