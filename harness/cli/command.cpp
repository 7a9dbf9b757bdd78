#include "cli/command.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "judge/policy_file.hpp"
#include "result/error.hpp"

namespace gpugauge::cli {
void add_measure_options(CLI::App& command, MeasureArguments& arguments) {
  std::string profiles;
  for (const run::Profile& profile : run::profiles())
    profiles += (profiles.empty() ? "" : ", ") + profile.name;
  command
      .add_option("-d,--device", arguments.device,
                  "all (every GPU), host, a GPU's index or UUID; several with commas")
      ->capture_default_str();
  command.add_option("-p,--profile", arguments.profile, "How much is measured: " + profiles)
      ->capture_default_str();
  command.add_option("--family", arguments.families, "Only this family (may be repeated)")->type_name("NAME");
  command
      .add_option("--only", arguments.only,
                  "Only the benchmarks of a class or family, or whose id matches; * stands for anything (may "
                  "be repeated)")
      ->type_name("CLASS|FAMILY|PATTERN");
  command.add_option("--seed", arguments.seed,
                     "Seed of the random order (default: a new one, recorded in the run file)");
  command
      .add_option(
          "--state-dir", arguments.state_directory,
          "Where runs and baselines are kept (default: $GPUGAUGE_STATE, then the XDG state directory)")
      ->type_name("DIR");
  command.add_flag("-q,--quiet", arguments.quiet, "No progress line");
}

Devices find_devices(const std::string& device) {
  Devices devices;
  if (!conductor::host_only(device)) devices.gpus = stack::probe_gpus();
  const result::Fingerprint fingerprint = stack::fingerprint(devices.gpus);
  const auto model = fingerprint.device.find("host.cpu_model");
  devices.targets =
      conductor::select_targets(device, devices.gpus, model == fingerprint.device.end() ? "" : model->second);
  return devices;
}

conductor::MeasureOptions measure_options(const MeasureArguments& arguments, const Invocation& invocation,
                                          report::ProgressLine& progress) {
  conductor::MeasureOptions options;
  options.profile = run::profile(arguments.profile);
  options.families = arguments.families;
  options.patterns = arguments.only;
  options.seed = arguments.seed_given ? arguments.seed : std::random_device{}();
  options.command = invocation.arguments;
  options.runs_folder = state_directory(arguments.state_directory) / "runs";
  options.progress = [&progress](const report::ProgressState& state) { progress.show(state); };
  return options;
}

std::filesystem::path state_directory(const std::string& given) {
  // One door for everybody who asks where the state is: the selection of a baseline too.
  if (!given.empty()) ::setenv("GPUGAUGE_STATE", given.c_str(), 1);
  return baseline::state_directory();
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
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

void add_policy_options(CLI::App& command, PolicyArguments& arguments) {
  command
      .add_option("--policy", arguments.file,
                  "Policy file: tolerances, advisory metrics, what is expected of the node")
      ->type_name("FILE");
  command
      .add_option(
          "--treatment", arguments.treatment,
          "What was changed on purpose and may differ from the baseline, such as driver (may be repeated)")
      ->type_name("FIELD");
}

judge::Policy policy(const PolicyArguments& arguments) {
  judge::Policy out = arguments.file.empty() ? judge::Policy{} : judge::read_policy(arguments.file);
  judge::require_treatment(arguments.treatment);
  out.treatment.insert(out.treatment.end(), arguments.treatment.begin(), arguments.treatment.end());
  return out;
}

std::vector<std::string> known_benchmarks() {
  std::vector<std::string> ids;
  for (const conductor::Benchmark& benchmark : conductor::catalogue().benchmarks) ids.push_back(benchmark.id);
  return ids;
}

}  // namespace gpugauge::cli
