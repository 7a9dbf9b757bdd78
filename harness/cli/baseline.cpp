// gpugauge baseline create: pin rounds as what this device is from now on compared with.
#include "cli/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/kept_file.hpp"
#include "baseline/transfer.hpp"
#include "cli/baseline_in_force.hpp"
#include "cli/baseline_replaced.hpp"
#include "cli/named_files.hpp"
#include "cli/together.hpp"
#include "conductor/rounds.hpp"
#include "report/console.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/counted.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/run_file.hpp"
#include "result/shell_word.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* baseline_footer =
    "Examples:\n"
    "  gpugauge baseline create --device 0         measure ten rounds of GPU 0 and pin them\n"
    "  gpugauge baseline create a.json b.json c.json d.json e.json --name before-upgrade\n"
    "  gpugauge baseline list                      every baseline of this node and this site\n"
    "  gpugauge baseline show before-upgrade       what it can see, and who decided what about it\n"
    "  gpugauge baseline accept before-upgrade --metric 'copy/*' --run tonight.json --reason 'new host'\n"
    "  gpugauge baseline export before-upgrade h200.json  one file, for `baseline import` elsewhere\n"
    "\n"
    "Exit codes: 0 done; 2 usage or tool error, also a round that no baseline may hold, or slower rounds in the "
    "place of a baseline without --reason; 3 something could not be measured, or "
    "interrupted.";

constexpr const char* create_footer =
    "A baseline is of one device: where --device all is more than one, name one of them, or measure all GPUs at "
    "the same time with --devices-together.";

struct BaselineArguments {
  std::vector<std::string> of_measuring;  ///< options that were given and only say how rounds are measured
  MeasureArguments measure;
  std::vector<std::string> runs;
  int rounds = 10;  ///< finds two thirds of drops by a tolerance in simulated clean noise, 5 a seventh
  std::string name;
  std::string output;
  std::string reason;
  bool candidate = false;
  bool devices_together = false;
};

/// A folder name that tells the device and cannot leave its parent, whatever the run file says; with so many
/// letters of its id.
std::string default_name(const result::Run& run, std::size_t of_id) {
  const std::string key = baseline::key(run.fingerprint).substr(0, 8);
  return baseline::name_from(fmt::format("{}-{}-{}-{}", run.device.substr(0, 12), run.profile.substr(0, 40),
                                         key, run.id.substr(0, of_id)));
}

void check_name(const std::string& name) {
  if (name.size() > baseline::longest_name)
    throw result::UsageError(
        fmt::format("--name has {} letters, and a name has at most {}: give a shorter one", name.size(),
                    baseline::longest_name));
  if (!baseline::is_name(name))
    throw result::UsageError(fmt::format(
        "--name {}: a name is made of letters, digits, '.', '_' and '-' and begins with a letter or digit",
        name));
}

/// Rounds of one device.
using RoundsOfDevice = std::vector<result::Run>;

/// The rounds of one GPU after the other, of all at the same time.
std::vector<RoundsOfDevice> measure_together(const BaselineArguments& arguments,
                                             const conductor::MeasureOptions& options, const Devices& devices,
                                             report::ProgressLine& progress) {
  const std::vector<conductor::Target> targets = gpus_together(devices, arguments.measure);
  if (!arguments.name.empty() || !arguments.output.empty())
    throw result::UsageError(
        fmt::format("{} names one baseline and --devices-together makes {}: leave it out",
                    arguments.name.empty() ? "--output" : "--name", targets.size()));
  const conductor::Catalogue catalogue = conductor::catalogue();
  const conductor::Choice choice = conductor::choose(catalogue, options.profile, conductor::DeviceKind::gpu,
                                                     arguments.measure.families, arguments.measure.only);
  conductor::refuse_unmeasured(choice);
  conductor::require_sustained(catalogue, options.profile, {conductor::Chosen{targets.front(), choice}});
  const auto held = hold(targets, arguments.measure, progress);
  if (!held->refusal().empty()) {
    busy(*held);
    return {};
  }
  const conductor::MeasureRound measure_round = rounds_together(arguments.measure, options, targets, choice);
  std::vector<RoundsOfDevice> out(targets.size());
  for (int round = 1; round <= arguments.rounds; ++round) {
    std::vector<conductor::Stored> measured = measure_round(round, {});
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (measured[i].run.complete && !measured[i].not_kept.empty())
        throw result::FileError(
            fmt::format("{}: round {} was not kept: {}", targets[i].label, round, measured[i].not_kept));
      if (!measured[i].run.complete) {
        warn(fmt::format("{}: {}; no baseline was made; the rounds so far are kept in {}", targets[i].label,
                         measured[i].run.partial_reason, options.runs_folder.string()));
        return {};
      }
      conductor::refuse_unfit(measured[i].run);
      out[i].push_back(std::move(measured[i].run));
    }
    if (!measured.front().stopped_by.empty() && round < arguments.rounds) {
      warn(fmt::format("{}; no baseline was made; the rounds so far are kept in {}",
                       conductor::stopped_after(measured.front().stopped_by, round, arguments.rounds),
                       options.runs_folder.string()));
      return {};
    }
  }
  progress.clear();
  return out;
}

/// Why the rounds make no baseline, and where they lie.
std::string no_baseline(const conductor::Rounds& rounds, const std::filesystem::path& runs_folder) {
  std::string out = rounds.stopped + "; no baseline was made";
  if (!rounds.whole.empty())
    out += fmt::format("; {} kept in {} and can be given to `gpugauge baseline create`, with more",
                       result::counted(rounds.whole.size(), "round is", "rounds are"), runs_folder.string());
  return out;
}

/// The devices as --device takes them: "0 (GPU-...)", "links".
std::vector<std::string> names(const Devices& devices) {
  std::vector<std::string> out;
  for (const conductor::Target& target : devices.targets.devices) {
    out.push_back(target.selection);
    for (const stack::Gpu& gpu : devices.gpus.gpus)
      if (gpu.uuid == target.selection) out.back() = fmt::format("{} ({})", gpu.index, gpu.uuid);
  }
  return out;
}

/// Empty where nothing could be measured, or measuring was interrupted, which has been said.
std::vector<RoundsOfDevice> measure_rounds(const BaselineArguments& arguments, const Invocation& invocation) {
  report::ProgressLine progress(report::terminal(2), arguments.measure.quiet);
  const conductor::MeasureOptions options = measure_options(arguments.measure, invocation, progress);
  const Devices devices = find_devices(arguments.measure.device);
  if (devices.targets.gpu_wanted && devices.gpus.state != stack::GpuState::usable) {
    warn(fmt::format("no usable GPU: {}", devices.gpus.explanation));
    return {};
  }
  if (arguments.devices_together) return measure_together(arguments, options, devices, progress);
  if (devices.targets.devices.size() != 1)
    throw result::UsageError(fmt::format(
        "a baseline is of one device and --device {} chose {}; name one of them with --device: {}",
        arguments.measure.device, devices.targets.devices.size(), fmt::join(names(devices), ", ")));
  const conductor::Target& target = devices.targets.devices.front();
  const conductor::Catalogue catalogue = conductor::catalogue();
  const conductor::Choice choice = conductor::choose(catalogue, options.profile, target.kind,
                                                     arguments.measure.families, arguments.measure.only);
  conductor::require_sustained(catalogue, options.profile, {conductor::Chosen{target, choice}});
  const auto held = hold({target}, arguments.measure, progress);
  if (!held->refusal().empty()) {
    busy(*held);
    return {};
  }
  conductor::Rounds rounds =
      conductor::measure_rounds(options, target, choice, devices.gpus, 1, arguments.rounds, true);
  progress.clear();
  if (!rounds.stopped.empty()) {
    const std::string why = no_baseline(rounds, options.runs_folder);
    if (rounds.unfit) throw result::UsageError(why);
    warn(why);
    return {};
  }
  RoundsOfDevice runs;
  for (conductor::Stored& stored : rounds.whole) runs.push_back(std::move(stored.run));
  return {std::move(runs)};
}

/// Where rounds that were measured lie, for a sentence; "" of run files that were given.
std::string kept_of(const BaselineArguments& arguments) {
  if (!arguments.runs.empty()) return "";
  return fmt::format("; the rounds are kept in {}",
                     (state_directory(arguments.measure.state_directory) / "runs").string());
}

/// Pins the rounds of one device and prints what came of it; `against`: what against_replaced says of them.
void pin(const BaselineArguments& arguments, const std::filesystem::path& folder, const RoundsOfDevice& runs,
         const std::string& against) {
  const std::string name = !arguments.name.empty() ? arguments.name : folder.filename().string();
  const baseline::Baseline made = baseline::create(
      folder, name, runs, arguments.candidate ? baseline::State::candidate : baseline::State::active,
      arguments.reason);
  const auto& suite = runs.front().fingerprint.suite;
  const auto together = suite.find(conductor::together_fact);
  std::string text = fmt::format(
      "Baseline {} of {}: {}, profile {}{}\n", report::plain(name), report::plain(runs.front().device),
      result::counted(runs.size(), "round"), report::plain(runs.front().profile),
      together == suite.end() ? "" : fmt::format(", {} GPUs together", report::plain(together->second)));
  const report::Terminal terminal = report::terminal(1);
  const auto say = [&](const std::string& sentence) {
    text += "  " + report::wrap(sentence, terminal.width, 4) + "\n";
  };
  text += report::draw(judge::sensitivity(made), terminal);
  if (runs.size() < static_cast<std::size_t>(baseline::minimum_rounds))
    say(fmt::format("verdicts need {} rounds: with this baseline alone nothing can be decided",
                    baseline::minimum_rounds));
  // By their place: run files that were given may all call themselves the first round.
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (const std::string disturbed = report::disturbance(runs[i]); !disturbed.empty())
      say(fmt::format("Round {} of {}. {}", i + 1, runs.size(), disturbed));
  if (made.provisional())
    say("provisional: its rounds are from fewer than 3 boots and fewer than 3 days (UTC), so it has not seen "
        "how this machine differs from day to day, and a regression counts from twice its tolerance on");
  if (arguments.candidate)
    say(fmt::format("candidate: not used until `gpugauge baseline accept {} --reason ...`",
                    report::plain(result::shell_word(name))));
  text += in_force(folder);
  if (!against.empty()) say(against);
  text += fmt::format("  kept in {}\n", report::plain(folder.string()));
  print(text);
}

int create(const BaselineArguments& arguments, const Invocation& invocation) {
  if (!arguments.name.empty()) check_name(arguments.name);
  const std::filesystem::path parent = state_directory(arguments.measure.state_directory) / "baselines";
  const auto refuse_existing = [](const std::filesystem::path& folder) {
    if (result::is_there(folder / "baseline.json"))
      throw result::UsageError(
          fmt::format("{} already holds a baseline; baselines are never overwritten: choose another --name",
                      folder.string()));
  };
  const std::filesystem::path folder = !arguments.output.empty() ? std::filesystem::path(arguments.output)
                                       : !arguments.name.empty() ? parent / arguments.name
                                                                 : std::filesystem::path{};
  baseline::refuse_links_in_state(folder.empty() ? parent : folder);
  if (!folder.empty()) refuse_existing(folder);

  std::vector<RoundsOfDevice> devices;
  if (arguments.runs.empty()) {
    devices = measure_rounds(arguments, invocation);
  } else {
    if (!arguments.of_measuring.empty())
      throw result::UsageError(fmt::format(
          "{} {} how rounds are measured, and run files were given to pin: leave out one or the other",
          fmt::join(arguments.of_measuring, ", "), arguments.of_measuring.size() == 1 ? "says" : "say"));
    devices.emplace_back();
    for (const std::string& file : arguments.runs) {
      devices.front().push_back(result::read_run(file));
      conductor::refuse_unfit(devices.front().back());
    }
  }
  if (devices.empty()) return static_cast<int>(judge::ExitCode::cannot_judge);
  const auto folder_of = [&](const RoundsOfDevice& runs) {
    return folder.empty() ? parent / default_name(runs.front(), devices.size() > 1 ? 16 : 10) : folder;
  };
  std::vector<std::string> against;  // of all before any is pinned: one may be refused
  against.reserve(devices.size());
  for (const RoundsOfDevice& runs : devices)
    against.push_back(arguments.candidate
                          ? ""
                          : against_replaced(folder_of(runs), runs, arguments.reason, kept_of(arguments)));
  for (std::size_t i = 0; i < devices.size(); ++i)
    pin(arguments, folder_of(devices[i]), devices[i], against[i]);
  return 0;
}

}  // namespace

void add_baseline(CLI::App& app, const Invocation& invocation, Action& action) {
  CLI::App* baseline = app.add_subcommand("baseline", "Pin what a device is compared with");
  baseline->footer(baseline_footer);
  baseline->require_subcommand(1);
  add_baseline_create(*baseline, invocation, action);
  add_baseline_listing(*baseline, action);
  add_baseline_decisions(*baseline, action);
  add_baseline_transfer(*baseline, action);
}

void add_baseline_create(CLI::App& baseline, const Invocation& invocation, Action& action) {
  CLI::App* command = baseline.add_subcommand("create", "Measure rounds, or take run files, and pin them");
  command->footer(create_footer);
  auto arguments = std::make_shared<BaselineArguments>();
  add_measure_options(*command, arguments->measure);
  add_sustained_option(*command, arguments->measure.sustained_seconds);
  reads(command->add_option("runs", arguments->runs, "Run files to pin instead of measuring"), "RUN",
        Reads::runs);
  command
      ->add_option("-n,--rounds", arguments->rounds,
                   "Rounds to measure; verdicts need 5 or more, and 10 find smaller drops")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  command->add_option("--name", arguments->name,
                      "Name of the baseline (default: made from device and profile)");
  writes(command->add_option("-o,--output", arguments->output,
                             "Folder of the baseline (default: baselines/<name> in the state directory)"),
         "DIR");
  add_together_option(*command, arguments->devices_together);
  command->add_flag("--candidate", arguments->candidate,
                    "Keep it as a candidate: not used until `baseline accept` makes it active");
  command
      ->add_option("--reason", arguments->reason,
                   "Why; kept in the baseline's log. Needed where the rounds are slower than the baseline "
                   "whose place they take")
      ->type_name("TEXT")
      ->check([](const std::string& text) {
        return text.find_first_not_of(" \t") == std::string::npos ? "is empty" : "";
      });
  command->callback([command, arguments, &invocation, &action] {
    arguments->measure.seed_given = command->count("--seed") > 0;
    for (const char* const option : {"--rounds", "--device", "--profile", "--family", "--only", "--seed",
                                     "--process-limit", "--wait", "--sustained", "--devices-together"})
      if (command->count(option) > 0) arguments->of_measuring.emplace_back(option);
    action = [arguments, &invocation] { return create(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli
