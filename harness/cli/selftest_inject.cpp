#include "cli/selftest_inject.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/definition.hpp"
#include "cli/named_files.hpp"
#include "conductor/faults.hpp"
#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::cli {
namespace {

std::vector<std::string> fault_names() {
  std::vector<std::string> out;
  for (const conductor::Fault& fault : conductor::fault_table()) out.emplace_back(fault.id);
  return out;
}

/// The host always, since most faults are set there; of GPUs and links the first of each.
std::vector<conductor::Target> one_of_each_kind(const Devices& devices) {
  std::vector<conductor::Target> out = find_devices("host").targets.devices;
  for (const conductor::Target& target : devices.targets.devices)
    if (std::none_of(out.begin(), out.end(),
                     [&](const conductor::Target& other) { return other.kind == target.kind; }))
      out.push_back(target);
  return out;
}

}  // namespace

void add_inject_options(CLI::App& command, InjectArguments& arguments) {
  CLI::Option* wanted = command.add_flag(
      "--inject", arguments.wanted,
      "Instead: set known faults on this machine, one after the other, none of them in the card's settings; "
      "each must be found by the judge and named first by the diagnosis");
  offer(command.add_option("--only", arguments.only, "With --inject: only this fault (may be repeated)")
            ->needs(wanted)
            ->type_name("FAULT"),
        fault_names);
  command.add_option("--repeat", arguments.repeat, "With --inject: how often each fault is tried")
      ->needs(wanted)
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command
      .add_option("--quiet-runs", arguments.quiet_runs,
                  "With --inject: so many checks without a fault, which must find and name nothing")
      ->needs(wanted)
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  command
      .add_option("--rounds", arguments.rounds,
                  "With --inject: healthy rounds to judge against; verdicts need 5 or more")
      ->needs(wanted)
      ->capture_default_str()
      ->check(CLI::Range(5, 100));
  offer(command
            .add_option("-d,--device", arguments.device,
                        "With --inject: whose faults are tried beside the host's: all, host, links, a GPU's "
                        "index or UUID")
            ->needs(wanted)
            ->capture_default_str(),
        [] {
          return std::vector<std::string>{"all", "host", "links"};
        });
  offer(command.add_option("-p,--profile", arguments.profile, "With --inject: how much each check measures")
            ->needs(wanted)
            ->capture_default_str(),
        profile_names);
  writes(
      command
          .add_option("-o,--output", arguments.output, "With --inject: also write the result there, as JSON")
          ->needs(wanted),
      "FILE");
}

int inject(const InjectArguments& arguments, bool json, bool quiet) {
  conductor::require_faults(arguments.only);  // a bad name must not cost minutes
  report::ProgressLine progress(report::terminal(2), quiet);
  conductor::InjectOptions options;
  options.only = arguments.only;
  options.repeat = arguments.repeat;
  options.quiet_runs = arguments.quiet_runs;
  options.progress = [&](const report::ProgressState& state) { progress.show(state); };
  options.bench.profile = run::profile(arguments.profile).name;
  options.bench.rounds = arguments.rounds;
  const Devices devices = find_devices(arguments.device);
  const bool gpu_missing = devices.targets.gpu_wanted && devices.gpus.state != stack::GpuState::usable;
  if (gpu_missing) options.bench.no_gpu = "no GPU can be used here";
  options.bench.targets = one_of_each_kind(devices);
  options.bench.catalogue = conductor::catalogue();
  report::InjectReport report = conductor::inject_faults(options);
  progress.clear();
  if (gpu_missing) report.remarks.push_back("No GPU can be used: " + devices.gpus.explanation);
  const std::string text = report::to_json(report);
  Beside beside;
  beside.attempt("", [&] { print(json ? text : report::draw(report, report::terminal(1))); });
  if (!arguments.output.empty())
    beside.attempt("--output: ", [&] { result::write_file(arguments.output, text); });
  return beside.end(static_cast<int>(report::outcome(report).code));
}

}  // namespace gpugauge::cli
