// Measures rounds and stores them.
#include "conductor/conductor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "baseline/kept_file.hpp"
#include "conductor/host_identity.hpp"
#include "conductor/node_fingerprint.hpp"
#include "conductor/pause.hpp"
#include "conductor/place.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"
#include "result/file.hpp"
#include "result/room.hpp"
#include "run/processes.hpp"
#include "run/stop_signals.hpp"

namespace gpugauge::conductor {
namespace {

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

}  // namespace gpugauge::conductor
