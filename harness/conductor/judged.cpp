// Judges rounds against a baseline, or two sides against each other, and diagnoses what was found.
#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/origin.hpp"
#include "baseline/other_sources.hpp"
#include "conductor/conductor.hpp"
#include "conductor/diagnosed.hpp"
#include "conductor/differences.hpp"
#include "conductor/side_remarks.hpp"
#include "judge/before_after.hpp"
#include "judge/neighbours.hpp"
#include "result/counted.hpp"
#include "result/facts.hpp"
#include "result/family_exit.hpp"
#include "result/google_benchmark.hpp"
#include "stack/missing_library.hpp"

namespace gpugauge::conductor {
namespace {

/// The reason in a few words; the report has it whole beside the family.
std::string in_brief(const std::string& reason) {
  if (reason.empty()) return "every benchmark was skipped";
  const std::string library = stack::missing_library(reason);
  return library.empty() ? reason : fmt::format("{} was not found", library);
}

std::vector<std::string> unmeasured(const result::Run& run) {
  std::vector<std::string> out;
  for (const report::FamilyState& state : report::family_states(run))
    if (state.benchmarks == 0) out.push_back(fmt::format("{} ({})", state.family, in_brief(state.reason)));
  return out;
}

/// Why samples could not be stored, from the first run that lost some; "" where none did.
std::string not_kept(const std::vector<result::Run>& runs) {
  for (const result::Run& run : runs)
    if (std::any_of(run.processes.begin(), run.processes.end(), [](const result::Process& process) {
          return process.status == result::Status::interrupted &&
                 process.exit_code == result::exit_samples_not_kept;
        }))
      return run.partial_reason;
  return {};
}

/// Adds the remarks of the rounds, each text once.
void add_remarks_of(const std::vector<result::Run>& rounds, std::vector<std::string>& out) {
  std::set<std::string> said;
  for (std::size_t i = 0; i < rounds.size(); ++i)
    for (const std::string& remark : rounds[i].remarks)
      if (said.insert(remark).second)
        out.push_back(i == 0 ? remark : fmt::format("Round {}: {}", i + 1, remark));
}

constexpr const char* baseline_of_its_own = "only a baseline of its own judges it";
constexpr const char* both_alike = "measure both sides alike";

/// What to do about a baseline that another version measured, a clause.
std::string measure_anew(const result::Run& first) {
  return fmt::format(
      "measure a baseline with this version, {}, and until it is there check with the version that measured "
      "the old one",
      baseline::how_to_make(first.fingerprint, first.device));
}

/// What to do about a baseline that cannot be compared with.
std::string remedy_for(const Differences& different, const result::Run& first) {
  return of_another_version(different) ? measure_anew(first) : baseline_of_its_own;
}

/// Tells of the families that were left out of a comparison with `other`.
void tell_left_out(const std::vector<std::string>& families, const std::string& other,
                   const std::string& remedy, judge::OutcomeInput& input, std::vector<std::string>& remarks) {
  if (families.empty()) return;
  const std::string why = sources_differ(families);
  input.left_out = fmt::format("not wholly comparable with {}: {}; {}", other, why, remedy);
  remarks.push_back(fmt::format("Not held against {}: {} {} measured ({}).", other,
                                families.size() == 1 ? "what the family" : "what the families",
                                fmt::join(families, ", "), why));
}

}  // namespace

report::DeviceReport judge_rounds(const std::vector<result::Run>& rounds,
                                  const baseline::Selection& selection, const judge::Policy& policy,
                                  bool strict, bool interrupted, const stack::Inventory* node) {
  report::DeviceReport device;
  device.rounds = rounds;
  device.baseline_origin = selection.origin;
  device.remarks = selection.problems;
  const result::Run& first = rounds.front();
  const auto& suite = first.fingerprint.suite;
  if (const auto together = suite.find(together_fact); together != suite.end())
    device.remarks.push_back(
        fmt::format("Measured together: {} GPUs of the node at the same time. What they cost each other in "
                    "power and on the "
                    "bus is part of these numbers, and only a baseline that was measured so judges them.",
                    together->second));
  add_remarks_of(rounds, device.remarks);

  judge::OutcomeInput input;
  input.strict = strict;
  input.unmeasured_families = unmeasured(first);
  input.unusable_baseline = selection.damaged.empty() ? selection.of_whole_card : selection.damaged;
  input.interrupted = interrupted || std::any_of(rounds.begin(), rounds.end(),
                                                 [](const result::Run& run) { return !run.complete; });
  input.not_kept = not_kept(rounds);
  device.verdicts = judge::judge_physical(rounds);
  judge::apply_advisory(policy, device.verdicts);
  if (selection.baseline) {
    const Differences different = differing(rounds, *selection.baseline, policy.treatment);
    for (std::string& remark : treatment_remarks(policy.treatment, different))
      device.remarks.push_back(std::move(remark));
    if (different.undeclared.empty()) {
      device.reference = selection.baseline->runs;
      judge::Judgement judgement = judge::judge_baseline(rounds, *selection.baseline, policy);
      judge::allow_for_busy_neighbours(judgement.verdicts, rounds);
      device.remarks.insert(device.remarks.end(), judgement.remarks.begin(), judgement.remarks.end());
      const std::string noted = in_words(baseline::noted_differences(rounds, selection.baseline->runs));
      if (!noted.empty())
        device.remarks.push_back("Differs from the baseline's time, and may be a cause: " + noted + ".");
      tell_cards_gone(first, selection.baseline->runs.front(), device.remarks);
      tell_left_out(selection.baseline->left_out, "the baseline " + selection.baseline->manifest.name,
                    measure_anew(first), input, device.remarks);
      device.verdicts.insert(device.verdicts.end(), judgement.verdicts.begin(), judgement.verdicts.end());
    } else {
      device.baseline_origin = selection.not_compared;
      const std::string remedy = remedy_for(different, first);
      device.remarks.push_back(fmt::format("Not comparable with that baseline: {}. {}",
                                           in_words(different.undeclared), what_then(different, remedy)));
      input.not_comparable =
          not_comparable("the baseline " + selection.baseline->manifest.name, different, remedy);
      input.judged = false;
    }
  } else {
    // An entry that only says that nothing was compared does not count as a judge.
    input.judged =
        std::any_of(device.verdicts.begin(), device.verdicts.end(), [](const judge::Verdict& verdict) {
          return !(verdict.advisory && verdict.kind == judge::VerdictKind::inconclusive);
        });
  }
  input.verdicts = device.verdicts;
  device.outcome = judge::outcome(input);
  device.observation =
      observe(device, selection.baseline && input.judged ? &*selection.baseline : nullptr, {node, nullptr});
  device.diagnosis = diagnosed(device);
  return device;
}

report::DeviceReport judge_sides(const std::vector<result::Run>& before,
                                 const std::vector<result::Run>& after, const judge::Policy& policy,
                                 bool strict, const std::string& once_more, const SeenNode& node) {
  report::DeviceReport device;
  device.rounds = after;
  device.baseline_origin =
      fmt::format("Compared {} before with {} after.", result::counted(before.size(), "run"), after.size());
  judge::OutcomeInput input;
  input.strict = strict;
  for (const result::Run& run : after)
    for (std::string& family : unmeasured(run))
      if (std::find(input.unmeasured_families.begin(), input.unmeasured_families.end(), family) ==
          input.unmeasured_families.end())
        input.unmeasured_families.push_back(std::move(family));
  input.interrupted =
      std::any_of(after.begin(), after.end(), [](const result::Run& run) { return !run.complete; });
  if (const auto partial =
          std::count_if(before.begin(), before.end(), [](const result::Run& run) { return !run.complete; });
      partial > 0)
    device.remarks.push_back(
        fmt::format("{} of {} runs before are partial: what they lack is compared with the others alone.",
                    partial, before.size()));
  input.not_kept = not_kept(after);
  device.verdicts = judge::judge_physical(after);
  judge::apply_advisory(policy, device.verdicts);
  baseline::Baseline old_side;
  old_side.runs = before;
  old_side.manifest.device = before.front().device;
  baseline::leave_out_other_sources(after, old_side);
  const Differences different = differing(after, old_side, policy.treatment);
  for (std::string& remark : treatment_remarks(policy.treatment, different))
    device.remarks.push_back(std::move(remark));
  if (different.undeclared.empty()) {
    device.reference = old_side.runs;
    judge::BeforeAfter judged = judge::judge_before_after(
        old_side.runs, baseline::without_families(after, old_side.left_out), policy, once_more);
    tell_left_out(old_side.left_out, "the side before", both_alike, input, device.remarks);
    device.verdicts.insert(device.verdicts.end(), judged.verdicts.begin(), judged.verdicts.end());
    device.remarks.insert(device.remarks.begin(), judged.remarks.begin(), judged.remarks.end());
  } else {
    device.baseline_origin = fmt::format("Not compared: {} before, {} after.",
                                         result::counted(before.size(), "run"), after.size());
    device.remarks.push_back(fmt::format("The two sides are not comparable: {}. {}",
                                         in_words(different.undeclared), what_then(different, both_alike)));
    input.not_comparable = not_comparable("the side before", different, both_alike);
    input.judged = false;
  }
  if (const std::string noted = in_words(baseline::noted_differences(after, before));
      !noted.empty() && different.undeclared.empty())
    device.remarks.push_back("Differs between the sides, and may be a cause: " + noted + ".");
  for (std::string& remark : remarks_of_sides(before, after)) device.remarks.push_back(std::move(remark));
  input.verdicts = device.verdicts;
  device.outcome = judge::outcome(input);
  if (after.front().profile != result::google_benchmark_profile) {
    device.observation = observe(device, input.judged ? &old_side : nullptr, node);
    device.diagnosis = diagnosed(device);
  }
  return device;
}

bool comparable(const result::Run& run, const baseline::Baseline& baseline,
                const std::vector<std::string>& treatment) {
  return differing({run}, baseline, treatment).undeclared.empty();
}

}  // namespace gpugauge::conductor
