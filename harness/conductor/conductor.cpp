// Measures and stores rounds, and judges them against baselines or against each other.
#include "conductor/conductor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "baseline/kept_file.hpp"
#include "baseline/origin.hpp"
#include "conductor/diagnosed.hpp"
#include "conductor/differences.hpp"
#include "conductor/host_identity.hpp"
#include "conductor/node_fingerprint.hpp"
#include "conductor/pause.hpp"
#include "conductor/place.hpp"
#include "conductor/probing.hpp"
#include "conductor/side_remarks.hpp"
#include "judge/before_after.hpp"
#include "judge/neighbours.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"
#include "result/family_exit.hpp"
#include "result/file.hpp"
#include "result/google_benchmark.hpp"
#include "result/room.hpp"
#include "run/processes.hpp"
#include "run/stop_watch.hpp"
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

/// Records in the run that a wanted family could not even start.
void add_unmeasured(const SilentFamily& family, result::Run& run) {
  result::Process process;
  process.family = family.name;
  process.order = static_cast<int>(run.processes.size());
  process.status = result::Status::unavailable;
  process.reason = family.reason;
  run.processes.push_back(std::move(process));
}

/// The fingerprint fields that matter for the host alone. A GPU driver or library does not change what the
/// processor does.
result::Fingerprint host_part(result::Fingerprint fingerprint) {
  constexpr std::array foreign{"gpu.", "driver.", "cuda.", "cublas.", "cudnn.", "cufft.", "nccl."};
  for (result::Facts* facts :
       {&fingerprint.device, &fingerprint.stack, &fingerprint.settings, &fingerprint.topology})
    std::erase_if(*facts, [&](const auto& fact) {
      return std::any_of(foreign.begin(), foreign.end(),
                         [&](const char* prefix) { return fact.first.starts_with(prefix); });
    });
  return fingerprint;
}

/// Adds the remarks of the rounds, each text once.
void add_remarks_of(const std::vector<result::Run>& rounds, std::vector<std::string>& out) {
  std::set<std::string> said;
  for (std::size_t i = 0; i < rounds.size(); ++i)
    for (const std::string& remark : rounds[i].remarks)
      if (said.insert(remark).second)
        out.push_back(i == 0 ? remark : fmt::format("Round {}: {}", i + 1, remark));
}

/// Text "Not compared with ...", for a baseline origin that was not used.
std::string not_compared(const std::string& origin) {
  constexpr std::string_view compared = "Compared ";
  if (origin.compare(0, compared.size(), compared) != 0) return origin;
  return "Not compared " + origin.substr(compared.size());
}

constexpr const char* baseline_of_its_own = "only a baseline of its own judges it";
constexpr const char* both_alike = "measure both sides alike";

/// What to do about a baseline that cannot be compared with.
std::string remedy_for(const Differences& different, const result::Run& first) {
  if (!of_another_version(different)) return baseline_of_its_own;
  return fmt::format(
      "measure a baseline with this version, {}, and until it is there check with the version that measured "
      "the old one",
      baseline::how_to_make(first.fingerprint, first.device));
}

/// The largest file of a round, by orders of magnitude: recorded ones of standard have 1.5 MB.
constexpr std::uint64_t room_of_a_round = std::uint64_t{4} << 20;

/// Refuses to measure what could not be stored.
void require_place(const std::filesystem::path& folder, int round) {
  baseline::refuse_links_in_state(folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && ::access(folder.c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  const std::string so =
      round == 1 ? "nothing was measured" : fmt::format("round {} was not measured", round);
  if (error)
    throw result::FileError(fmt::format(
        "runs cannot be kept in {}: {}; {}; name a state directory that is yours with --state-dir or "
        "GPUGAUGE_STATE, or have this one made and given to you",
        folder.string(), error.message(), so));
  if (const int lack = result::lack_of_room(folder, room_of_a_round); lack != 0)
    throw result::FileError(
        fmt::format("runs cannot be kept in {}: {}, a round takes up to {} MiB; {}; make room there, or name "
                    "another state directory with --state-dir or GPUGAUGE_STATE",
                    folder.string(), std::generic_category().message(lack), room_of_a_round >> 20U, so));
}

/// Writes the round where the user asked, otherwise into the runs folder. A bad path must not lose minutes of
/// measurement.
void keep(const MeasureOptions& options, const std::filesystem::path& file,
          const std::optional<result::FileState>& before, Stored& stored) {
  const auto rank = result::find_rank_of_several();
  const auto place = [&](const std::filesystem::path& asked) {
    return place_of_round(options.runs_folder, stored.run.id, asked, result::host_word(), rank);
  };
  stored.file = place(file);
  const std::string text = result::to_json(stored.run);
  result::remove_abandoned(options.runs_folder);
  try {
    if (file.empty())
      baseline::keep_file(stored.file, text, before);
    else
      result::write_file(stored.file, text, before);
    return;
  } catch (const result::FileError& error) {
    stored.file.clear();
    stored.not_kept = error.what();
  }
  if (file.empty()) return;
  try {
    const std::filesystem::path kept = place({});
    baseline::keep_file(kept, text);
    stored.not_kept += fmt::format("; the run is kept as {}", kept.string());
    stored.file = kept;
  } catch (const result::FileError& error) {
    stored.not_kept += fmt::format("; nor could it be kept in the state folder: {}", error.what());
  }
}

}  // namespace

Stored measure(const MeasureOptions& options, const Target& target, const Choice& choice,
               const stack::GpuReport& gpus, int round, const std::vector<std::string>& only,
               const std::filesystem::path& file) {
  const auto rank = result::find_rank_of_several();
  const auto before =
      result::state_of(place_of_round(options.runs_folder, {}, file, result::host_word(), rank));
  if (file.empty()) require_place(options.runs_folder, round);
  run::Plan plan;
  plan.profile = profile_of(options.profile, target.kind);
  plan.families = choice.families;
  plan.only = only.empty() ? choice.only : only;
  plan.benchmarks = planned_of(choice, only);
  plan.start_seconds = choice.start_seconds;
  if (!only.empty())
    std::erase_if(plan.families, [&](const run::Family& family) {
      return std::none_of(only.begin(), only.end(),
                          [&](const std::string& id) { return id.rfind(family.name + "/", 0) == 0; });
    });
  plan.device = target.visible;
  plan.device_selection = target.selection;
  plan.seed = options.seed + static_cast<std::uint64_t>(round - 1);
  plan.round = round;
  plan.fingerprint =
      target.kind == DeviceKind::host ? host_part(node_fingerprint(gpus)) : node_fingerprint(gpus);
  add_host_identity(stack::Tree("/"), plan.fingerprint);
  if (options.together > 0) plan.fingerprint.suite[together_fact] = fmt::format("{}", options.together);
  if (options.profile.sustained_seconds > 0)
    plan.fingerprint.suite[sustained_fact] = fmt::format("{}", options.profile.sustained_seconds);
  plan.command = options.command;
  plan.gpu_telemetry = target.kind != DeviceKind::host;
  Stored stored;
  int stopped_by = 0;
  std::optional<result::StopsHeldBack> until_it_is_kept;
  stored.run = run::execute(
      plan,
      [&](const run::Progress& progress) {
        if (!options.progress) return;
        options.progress({fmt::format("round {} of {}", round, target.brief()), progress.done, progress.total,
                          progress.cools ? "the GPU cools" : progress.family, progress.elapsed_seconds,
                          progress.left_seconds});
      },
      &stopped_by, &until_it_is_kept);
  if (stopped_by != 0) stored.stopped_by = run::signal_name(stopped_by);
  if (target.kind != DeviceKind::host) add_mapped_libraries(stored.run, options.libraries);
  if (only.empty())
    for (const SilentFamily& family : choice.unmeasured) add_unmeasured(family, stored.run);
  const double budget = budget_seconds(options.profile, target.kind);
  // A longer sustained load may take longer.
  if (only.empty() && options.profile.sustained_seconds <= 0 && stored.run.complete &&
      stored.run.wall_seconds > budget)
    stored.run.remarks.push_back(fmt::format(
        "The round took {:.0f} s; with the profile {} a verdict on {} should take {:.0f} s at most.",
        stored.run.wall_seconds, options.profile.name, in_words(target.kind), budget));
  keep(options, file, before, stored);
  // A signal that arrives after the last process has ended leaves the round complete; we only record the
  // signal.
  if (const int late = run::take_held_stop(); late != 0 && stored.stopped_by.empty())
    stored.stopped_by = run::signal_name(late);
  return stored;
}

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
      const std::string noted =
          in_words(baseline::noted_differences(first, selection.baseline->runs.front()));
      if (!noted.empty())
        device.remarks.push_back("Differs from the baseline's time, and may be a cause: " + noted + ".");
      tell_cards_gone(first, selection.baseline->runs.front(), device.remarks);
      device.verdicts.insert(device.verdicts.end(), judgement.verdicts.begin(), judgement.verdicts.end());
    } else {
      // The original text would say that it was compared.
      device.baseline_origin = not_compared(selection.origin);
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
  const Differences different = differing(after, old_side, policy.treatment);
  for (std::string& remark : treatment_remarks(policy.treatment, different))
    device.remarks.push_back(std::move(remark));
  if (different.undeclared.empty()) {
    device.reference = before;
    judge::BeforeAfter judged = judge::judge_before_after(before, after, policy, once_more);
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
  if (const std::string noted = in_words(baseline::noted_differences(after.front(), before.front()));
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
