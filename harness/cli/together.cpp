#include "cli/together.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conductor/node_fingerprint.hpp"
#include "conductor/place.hpp"
#include "result/error.hpp"
#include "result/launcher.hpp"
#include "result/time.hpp"
#include "run/identity.hpp"

namespace gpugauge::cli {
namespace {

/// In place of the round of a command that left none.
conductor::Stored lost_round(const conductor::MeasureOptions& options, const conductor::Target& target,
                             std::size_t count, int round, const std::string& why) {
  conductor::Stored lost;
  lost.run.id = run::make_id();
  lost.run.started = result::utc_now_milliseconds();
  lost.run.profile = options.profile.name;
  lost.run.device = target.selection;
  lost.run.round = round;
  lost.run.seed = options.seed;
  lost.run.command = options.command;
  lost.run.fingerprint.suite = {{"suite.profile", options.profile.name},
                                {conductor::together_fact, fmt::format("{}", count)}};
  lost.run.partial_reason = why;
  lost.run.remarks.push_back(fmt::format("{} was not measured: {}", target.label, why));
  return lost;
}

}  // namespace

void add_together_option(CLI::App& command, bool& together) {
  command.add_flag(
      "--devices-together", together,
      "All chosen GPUs at the same time: what they cost each other in power and on the bus is then "
      "part of the result, and only a baseline of such rounds judges it");
}

std::vector<conductor::Target> gpus_together(const Devices& devices, const MeasureArguments& measure) {
  std::vector<conductor::Target> targets = devices.targets.devices;
  std::erase_if(targets, [](const conductor::Target& target) {
    return target.implied && target.kind == conductor::DeviceKind::links;
  });
  const auto other = std::find_if(targets.begin(), targets.end(), [](const auto& target) {
    return target.kind != conductor::DeviceKind::gpu;
  });
  const std::string what = other == targets.end() ? "" : fmt::format("{} too", in_words(other->kind));
  if (targets.size() < 2 || other != targets.end())
    throw result::UsageError(
        fmt::format("--devices-together measures two GPUs or more at once and --device {} chose {}",
                    measure.device, targets.size() == 1 ? targets.front().label : what));
  return targets;
}

std::vector<std::string> together_words(const MeasureArguments& measure, const conductor::Target& target,
                                        std::size_t count, std::uint64_t seed) {
  std::vector<std::string> words{"run",
                                 "--device",
                                 target.selection,
                                 "--together",
                                 fmt::format("{}", count),
                                 "--profile",
                                 measure.profile,
                                 "--seed",
                                 fmt::format("{}", seed),
                                 "--quiet"};
  for (const std::string& family : measure.families) words.insert(words.end(), {"--family", family});
  if (!measure.state_directory.empty()) words.insert(words.end(), {"--state-dir", measure.state_directory});
  if (measure.process_limit > 0)
    words.insert(words.end(), {"--process-limit", fmt::format("{}", measure.process_limit)});
  if (measure.sustained_seconds > 0)
    words.insert(words.end(), {"--sustained", fmt::format("{}", measure.sustained_seconds)});
  if (measure.wait_seconds > 0)
    words.insert(words.end(), {"--wait", fmt::format("{}", measure.wait_seconds)});
  return words;
}

std::vector<std::string> words_of(const result::Facts& facts) {
  std::vector<std::string> out;
  for (const auto& [fact, value] : facts) out.push_back(fmt::format("{}={}", fact, value));
  return out;
}

result::Facts facts_of(const std::vector<std::string>& words) {
  result::Facts out;
  for (const std::string& word : words)
    if (const std::size_t end = word.find('='); end != std::string::npos)
      out[word.substr(0, end)] = word.substr(end + 1);
  return out;
}

conductor::MeasureRound rounds_together(const MeasureArguments& measure,
                                        const conductor::MeasureOptions& options,
                                        const std::vector<conductor::Target>& targets,
                                        const conductor::Choice& choice) {
  return [&measure, &options, targets, &choice, libraries = std::vector<result::Facts>(targets.size())](
             int round, const std::vector<std::string>& only) mutable {
    std::vector<conductor::DeviceCommand> commands;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const conductor::Target& target = targets[i];
      std::vector<std::string> words = together_words(measure, target, targets.size(), options.seed);
      for (const std::string& word : words_of(libraries[i])) words.insert(words.end(), {"--library", word});
      for (const std::string& word : only.empty() ? measure.only : only)
        words.insert(words.end(), {"--only", word});
      words.insert(words.end(), {"--round", fmt::format("{}", round), "--json"});
      commands.push_back({target.label, std::move(words)});
    }
    const double seconds = conductor::round_seconds(conductor::planned_of(choice, only), choice.start_seconds,
                                                    options.profile, conductor::DeviceKind::gpu);
    const std::vector<conductor::DeviceEnd> ends =
        conductor::run_together(commands, seconds, options.progress);
    std::vector<conductor::Stored> rounds;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      try {
        conductor::Stored stored;
        stored.stopped_by = ends[i].stopped_by;
        stored.run =
            result::parse_run(ends[i].output, fmt::format("what the command for {} printed", ends[i].device));
        stored.file = conductor::place_of_round(options.runs_folder, stored.run.id, {}, result::host_word(),
                                                result::find_rank_of_several());
        if (std::error_code unknown; !std::filesystem::exists(stored.file, unknown)) {
          stored.not_kept =
              ends[i].fault.empty() ? fmt::format("{} is not there", stored.file.string()) : ends[i].fault;
          stored.file.clear();
        }
        if (libraries[i].empty()) libraries[i] = conductor::library_facts(stored.run);
        rounds.push_back(std::move(stored));
      } catch (const result::FormatError& error) {
        const std::string why =
            ends[i].output.empty() && !ends[i].fault.empty() ? ends[i].fault : error.what();
        rounds.push_back(lost_round(options, targets[i], targets.size(), round, why));
      }
    }
    return rounds;
  };
}

}  // namespace gpugauge::cli
