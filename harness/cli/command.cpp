#include "cli/command.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/definition.hpp"
#include "cli/named_files.hpp"
#include "cli/ranks.hpp"
#include "judge/policy_file.hpp"
#include "report/format.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"
#include "result/file.hpp"
#include "result/number.hpp"
#include "result/text.hpp"
#include "result/vocabulary.hpp"
#include "run/identity.hpp"

namespace gpugauge::cli {

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const run::Profile& profile : run::profiles()) names.push_back(profile.name);
  return names;
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  names.reserve(result::classes.size());
  for (const result::ClassInfo& one : result::classes) names.emplace_back(one.name);
  return names;
}

void add_measure_options(CLI::App& command, MeasureArguments& arguments) {
  const std::string profiles = fmt::format("{}", fmt::join(profile_names(), ", "));
  offer(command
            .add_option(
                "-d,--device", arguments.device,
                "all (every GPU, and the links of several), host, links (between the GPUs), a GPU's index "
                "or UUID, several with commas; or rank: of several ranks on a node each its own GPU")
            ->capture_default_str(),
        [] {
          return std::vector<std::string>{"all", "host", "links", "rank"};
        });
  offer(command.add_option("-p,--profile", arguments.profile, "How much is measured: " + profiles)
            ->capture_default_str(),
        profile_names);
  command.add_option("--family", arguments.families, "Only this family (may be repeated)")->type_name("NAME");
  offer(command
            .add_option("--only", arguments.only,
                        "Only the benchmarks of a class or family, or whose id matches; * stands for "
                        "anything (may be repeated)")
            ->type_name("CLASS|FAMILY|PATTERN"),
        class_names);
  command
      .add_option("--seed", arguments.seed,
                  "Seed of the random order (default: a new one, recorded in the run file)")
      ->check(whole_number());
  command
      .add_option(
          "--state-dir", arguments.state_directory,
          "Where runs and baselines are kept (default: $GPUGAUGE_STATE, then the XDG state directory)")
      ->type_name("DIR");
  command.add_flag("-q,--quiet", arguments.quiet, "No progress line");
  command
      .add_option("--process-limit", arguments.process_limit,
                  "End one process of a family after this many seconds (default: that of the profile, 60 to "
                  "900)")
      ->check(above_zero())
      ->type_name("SECONDS");
  command
      .add_option("--wait", arguments.wait_seconds,
                  "Wait at most so long for a device that another gpugauge measures (default: not at all)")
      ->check(not_below_zero())
      ->type_name("SECONDS");
}

namespace {

/// A check of a number; what is none is said by CLI11's own conversion.
CLI::Validator number_check(bool (*good)(double), const char* wrong, const char* in_help) {
  return CLI::Validator(
      [good, wrong](const std::string& word) {
        double value = 0;
        return CLI::detail::lexical_cast(word, value) && !good(value) ? fmt::format("{} {}", word, wrong)
                                                                      : "";
      },
      in_help);
}

}  // namespace

CLI::Validator finite() {
  return number_check([](double value) { return std::isfinite(value); }, "is no finite number", "");
}

CLI::Validator whole_number() {
  return CLI::Validator(
      [](const std::string& word) {
        return result::number_in<std::uint64_t>(word)
                   ? ""
                   : fmt::format("'{}' is no whole number from 0 to {}", word,
                                 std::numeric_limits<std::uint64_t>::max());
      },
      "");
}

CLI::Validator above_zero() {
  return number_check([](double value) { return std::isfinite(value) && value > 0; }, "is no number above 0",
                      "POSITIVE");
}

CLI::Validator not_below_zero() {
  return number_check([](double value) { return std::isfinite(value) && value >= 0; },
                      "is no number from 0 on", "NONNEGATIVE");
}

void add_sustained_option(CLI::App& command, double& seconds) {
  command
      .add_option("--sustained", seconds,
                  "How long each benchmark of sustained load and each long one of integrity runs, which the "
                  "profile deep measures: 600 for ten minutes (default: 60 and 9). Only a baseline that was "
                  "measured so judges it")
      ->check(finite())
      ->check(CLI::Range(3, 3600))
      ->type_name("SECONDS");
}

std::unique_ptr<run::DeviceLocks> hold(const std::vector<conductor::Target>& targets,
                                       const MeasureArguments& arguments, report::ProgressLine& progress) {
  std::set<std::string> seen;  // the links hold every GPU that they lie between
  for (const conductor::Target& target : targets)
    for (std::string& one : result::split(target.visible, ',')) seen.insert(std::move(one));
  const std::vector<std::string> devices(seen.begin(), seen.end());
  const double wait =
      take_turns(arguments.device) ? std::numeric_limits<double>::infinity() : arguments.wait_seconds;
  auto locks = std::make_unique<run::DeviceLocks>(devices, wait, [&](double left, const std::string& owner) {
    const bool endless = std::isinf(wait);
    progress.show({"waiting: " + owner, 0, 1, endless ? "its turn" : "--wait", endless ? 0 : wait - left,
                   endless ? -1 : left});
  });
  progress.clear();
  if (!locks->remark().empty()) warn(locks->remark());
  return locks;
}

int busy(const run::DeviceLocks& held) {
  warn(fmt::format("{}; nothing was measured; --wait SECONDS waits for it", held.refusal()));
  return static_cast<int>(judge::ExitCode::cannot_judge);
}

Devices find_devices(const std::string& device) {
  return find_devices(device, conductor::host_only(device) ? stack::GpuReport{} : stack::probe_gpus());
}

Devices find_devices(const std::string& device, stack::GpuReport gpus) {
  Devices devices;
  devices.gpus = std::move(gpus);
  const result::Fingerprint fingerprint = stack::fingerprint(devices.gpus);
  devices.targets = conductor::select_targets(chosen_device(device, devices.gpus), devices.gpus,
                                              result::fact(fingerprint.device, "host.cpu_model"));
  return devices;
}

conductor::MeasureOptions measure_options(const MeasureArguments& arguments, const Invocation& invocation,
                                          report::ProgressLine& progress) {
  stop_with_a_sentence();
  conductor::MeasureOptions options;
  options.profile = run::profile(arguments.profile);
  // One process runs all of its family's, one after the other: there are fewer than these.
  constexpr double most_in_a_process = 5;
  options.profile.sustained_seconds = arguments.sustained_seconds;
  options.profile.limit_seconds += most_in_a_process * arguments.sustained_seconds;
  if (arguments.process_limit > 0) options.profile.limit_seconds = arguments.process_limit;
  options.seed = arguments.seed_given ? arguments.seed : static_cast<std::uint32_t>(run::random_bits());
  options.command = invocation.arguments;
  options.together = measured_together(arguments.device);
  options.runs_folder = state_directory(arguments.state_directory) / "runs";
  options.progress = [&progress](const report::ProgressState& state) { progress.show(state); };
  return options;
}

std::filesystem::path state_directory(const std::string& given) {
  // One door for everybody who asks where the state is: the selection of a baseline too.
  if (!given.empty()) ::setenv("GPUGAUGE_STATE", result::without_detours(given).c_str(), 1);
  return baseline::state_directory();
}

void warn(std::string_view sentence) {
  std::string text = "gpugauge: ";
  for (std::size_t start = 0; start < sentence.size();) {
    const std::size_t end = std::min(sentence.find('\n', start), sentence.size());
    text += report::plain(sentence.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print(const std::string& given) {
  const std::string text = report::guarded(given);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno != EPIPE)
    throw result::FileError(fmt::format("standard output could not be written: {}", std::strerror(errno)));
}

void add_exit_style_option(CLI::App& command) {
  const std::string meaning =
      fmt::format("Whose conventions the exit status follows: {} (docs/exit-codes.md)", judge::exit_styles());
  command.add_option(exit_style_option, meaning)
      ->default_str("ci")
      ->check([](const std::string& word) {
        return judge::exit_style(word)
                   ? ""
                   : fmt::format("there is no exit style '{}'; there are {}", word, judge::exit_styles());
      })
      ->type_name("STYLE");
}

judge::ExitStyle exit_style_of(const CLI::App& app) {
  if (const CLI::Option* option = app.get_option_no_throw(exit_style_option);
      option != nullptr && option->count() > 0)
    return judge::exit_style(option->as<std::string>()).value_or(judge::ExitStyle::ci);
  for (const CLI::App* chosen : app.get_subcommands()) {
    if (const judge::ExitStyle below = exit_style_of(*chosen); below != judge::ExitStyle::ci) return below;
  }
  return judge::ExitStyle::ci;
}

void add_policy_file_option(CLI::App& command, PolicyArguments& arguments) {
  reads(command.add_option(
            "--policy", arguments.file,
            "Policy file: tolerances, advisory metrics and, for check, what is expected of the node"),
        "FILE");
}

void add_policy_options(CLI::App& command, PolicyArguments& arguments, std::string_view other) {
  add_policy_file_option(command, arguments);
  command
      .add_option(
          "--treatment", arguments.treatment,
          fmt::format("What was changed on purpose and may differ from {}, such as driver (may be repeated)",
                      other))
      ->type_name("FIELD");
}

judge::Policy policy(const PolicyArguments& arguments) {
  judge::Policy out;
  if (!arguments.file.empty())
    out = judge::parse_policy(result::read_file(arguments.file, judge::policy_limit), arguments.file);
  judge::require_treatment(arguments.treatment);
  out.treatment.insert(out.treatment.end(), arguments.treatment.begin(), arguments.treatment.end());
  return out;
}

}  // namespace gpugauge::cli
