// gpugauge compare: judge rounds that were measured before, anywhere.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "baseline/card.hpp"
#include "baseline/same_measurement.hpp"
#include "cli/command.hpp"
#include "cli/named_files.hpp"
#include "cli/run_files.hpp"
#include "conductor/policy_metrics.hpp"
#include "report/console.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"
#include "result/file.hpp"
#include "result/future.hpp"
#include "result/google_benchmark.hpp"
#include "result/run_file.hpp"
#include "result/schema_in.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* compare_footer =
    "Examples:\n"
    "  gpugauge compare one.json                   against the baseline of the same kind\n"
    "  gpugauge compare new.json --against old.json\n"
    "  gpugauge compare --before old/ --after new/ --treatment driver\n"
    "  gpugauge compare new.json --against google-benchmark.json --every-metric\n"
    "\n"
    "Exit codes: 0 pass; 1 regressed or failed; 2 usage or tool error; 3 cannot judge; 4 inconclusive (with "
    "--strict).";

struct CompareArguments {
  std::vector<std::string> runs;
  std::vector<std::string> against;
  std::vector<std::string> before;
  std::vector<std::string> after;
  std::string baseline;
  std::string state_directory;
  ReportArguments report;
  PolicyArguments policy;
  bool strict = false;
};

/// Last night's report may lie in a folder of results. What cannot be read is left to who reads it.
bool holds_another_schema(const std::filesystem::path& file) {
  try {
    return result::of_another_schema(result::read_file(file));
  } catch (const result::FileError&) {
    return false;
  }
}

/// A folder stands for the run files that lie in it, or else below it, as `run` keeps them by host.
std::vector<std::filesystem::path> files_of(const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> out;
  for (const std::string& name : names) {
    std::vector<FoundFile> found = find_files({name});
    std::erase_if(found,
                  [](const FoundFile& one) { return one.in_a_folder && holds_another_schema(one.file); });
    if (found.empty())
      throw result::UsageError(
          fmt::format("{} holds no run file: its *.json files are reports or the like", name));
    const auto is_inside = [](const FoundFile& one) { return one.label.find('/') == std::string::npos; };
    const bool inside =
        std::any_of(found.begin(), found.end(), [&](const FoundFile& one) { return is_inside(one); });
    for (const FoundFile& one : found)
      if (!one.in_a_folder || !inside || is_inside(one)) out.push_back(one.file);
  }
  return out;
}

std::vector<result::Run> read(const std::vector<std::string>& names) {
  std::vector<result::Run> runs;
  for (const std::filesystem::path& file : files_of(names)) {
    runs.push_back(result::read_any_run(file));
    result::Run& run = runs.back();
    if (std::string remark = result::from_the_future(file.string(), run.started); !remark.empty())
      run.remarks.push_back(std::move(remark) + ".");
    for (std::size_t i = 0; i + 1 < runs.size(); ++i)
      if (runs[i].id == runs.back().id)
        throw result::UsageError(fmt::format("{} is given twice: each run counts once", file.string()));
  }
  return runs;
}

bool foreign(const std::vector<result::Run>& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [](const result::Run& run) { return run.profile == result::google_benchmark_profile; });
}

/// Refuses runs that are not of one kind; `what` names them in the sentence.
void require_one_kind(const std::vector<result::Run>& runs, const char* what) {
  for (const result::Run& run : runs) {
    if (run.device != runs.front().device)
      throw result::UsageError(fmt::format("{} are of two devices ({} and {}); compare one at a time", what,
                                           result::shortened(runs.front().device),
                                           result::shortened(run.device)));
    if (baseline::of_two_machines(runs.front(), run))
      throw result::UsageError(
          fmt::format("{} are of two machines ({} and {}): what machines differ by would pass for what one "
                      "spreads by; give the runs of one",
                      what, runs.front().id, run.id));
  }
  for (const baseline::Mismatch& field : baseline::mismatches(runs, runs))
    throw result::UsageError(fmt::format("{} are not of one kind: {} is {} in one and {} in another", what,
                                         result::shortened(field.field), result::quoted(field.now),
                                         result::quoted(field.then)));
}

/// Run files given by name stand for a baseline that was never pinned.
baseline::Selection loose(std::vector<result::Run> runs, const result::Run& now) {
  baseline::Baseline made;
  made.runs = std::move(runs);
  made.manifest.name = "given run files";
  made.manifest.profile = made.runs.front().profile;
  made.manifest.device = made.runs.front().device;
  made.other_node = baseline::of_another_node(made, now.fingerprint, now.device);
  baseline::Selection out;
  out.tell(result::counted(made.runs.size(), "given run file"));
  out.baseline = std::move(made);
  return out;
}

/// The rounds of a check, first to last.
void in_order(std::vector<result::Run>& rounds) {
  std::sort(rounds.begin(), rounds.end(), [](const result::Run& a, const result::Run& b) {
    return std::pair(a.round, a.id) < std::pair(b.round, b.id);
  });
}

/// The id of a run whose measurement stands on both sides; "" where there is none.
std::string on_both_sides(const std::vector<result::Run>& old_side,
                          const std::vector<result::Run>& new_side) {
  for (const result::Run& run : new_side)
    for (const result::Run& old : old_side)
      if (baseline::same_measurement(old, run)) return run.id;
  return "";
}

/// Refuses a run that stands on both sides: nothing differs from itself.
void require_two_sides(const std::vector<result::Run>& old_side, const std::vector<result::Run>& new_side) {
  if (const std::string shared = on_both_sides(old_side, new_side); !shared.empty())
    throw result::UsageError(
        fmt::format("run {} stands on both sides: what is compared with itself shows nothing", shared));
}

report::DeviceReport against_baseline(const CompareArguments& arguments, std::vector<result::Run> rounds,
                                      const judge::Policy& policy) {
  in_order(rounds);
  require_one_kind(rounds, "the runs, which should be the rounds of one check,");
  if (arguments.baseline.empty() || !arguments.state_directory.empty())
    state_directory(arguments.state_directory);
  const std::filesystem::path given =
      arguments.baseline.empty() ? std::filesystem::path{} : baseline::find(arguments.baseline);
  const baseline::Selection selection =
      baseline::select(given, rounds.front().fingerprint, rounds.front().device);
  report::DeviceReport device = conductor::judge_rounds(rounds, selection, policy, arguments.strict);
  if (selection.baseline)
    if (const std::string shared = on_both_sides(selection.baseline->runs, rounds); !shared.empty())
      device.remarks.push_back(fmt::format(
          "Run {} is one of the baseline's own rounds: what is compared with itself shows little.", shared));
  return device;
}

/// Enough runs stand for a baseline that was never pinned; fewer are the old side of two.
report::DeviceReport against_runs(const CompareArguments& arguments, std::vector<result::Run> rounds,
                                  const judge::Policy& policy) {
  std::vector<result::Run> others = read(arguments.against);
  const bool of_others = foreign(rounds);
  if (!of_others) {
    in_order(rounds);
    require_one_kind(rounds, "the runs, which should be the rounds of one check,");
    require_one_kind(others, "the runs given with --against");
    require_two_sides(others, rounds);
  }
  if (of_others || std::ssize(others) < baseline::minimum_rounds)
    return conductor::judge_sides(others, rounds, policy, arguments.strict);
  const baseline::Selection selection = loose(std::move(others), rounds.front());
  return conductor::judge_rounds(rounds, selection, policy, arguments.strict);
}

/// "NVIDIA H200 GPU-74c4..., driver 580.159.04, measured 2026-11-27T03:34:51Z": what the run file knows of it.
std::string label_of(const result::Run& run) {
  std::string out = run.device;
  const result::Fingerprint& seen = run.fingerprint;
  if (const auto number = baseline::number_of_card(seen, run.device))
    if (const std::string name = result::fact(seen.device, fmt::format("gpu.{}.name", *number));
        !name.empty())
      out = name + " " + out;
  if (const std::string driver = result::fact(seen.stack, "driver.version"); !driver.empty())
    out += ", driver " + driver;
  return fmt::format("{}, measured {}", out, run.started);
}

/// The name that the rounds' files give their host, as those of Google Benchmark do. Run files hold none.
std::string host_of(const std::vector<result::Run>& rounds) {
  std::string out;
  for (const result::Run& run : rounds) {
    const std::string name = result::fact(run.fingerprint.device, "host.name");
    if (name.empty() || (!out.empty() && name != out)) return "";
    out = name;
  }
  return out;
}

int compare(const CompareArguments& arguments) {
  check_report_arguments(arguments.report);
  const judge::Policy decided = policy(arguments.policy);
  if (arguments.before.empty() != arguments.after.empty())
    throw result::UsageError("--before and --after belong together: give the runs of both sides");
  if (arguments.runs.empty() == arguments.after.empty())
    throw result::UsageError(arguments.runs.empty()
                                 ? "nothing to compare: give run files, or --before and --after"
                                 : "give either run files or --before and --after, not both");
  report::Report report;
  report.command = "compare";
  if (arguments.runs.empty()) {
    std::vector<result::Run> before = read(arguments.before);
    std::vector<result::Run> after = read(arguments.after);
    require_one_kind(before, "the runs given with --before");
    require_one_kind(after, "the runs given with --after");
    require_two_sides(before, after);
    report.devices.push_back(conductor::judge_sides(before, after, decided, arguments.strict));
  } else {
    std::vector<result::Run> rounds = read(arguments.runs);
    if (arguments.against.empty() && foreign(rounds))
      throw result::UsageError(
          "Google Benchmark's files are compared with --against, or with --before and --after");
    report.devices.push_back(arguments.against.empty()
                                 ? against_baseline(arguments, std::move(rounds), decided)
                                 : against_runs(arguments, std::move(rounds), decided));
  }
  report::DeviceReport& device = report.devices.front();
  judge::require_matches(decided, conductor::seen_in(report.devices));
  const result::Run& first = device.rounds.front();
  device.selection = first.device;
  device.label = label_of(first);
  report.host = host_of(device.rounds);
  for (const result::Run& round : device.rounds) device.seconds += round.wall_seconds;
  report.outcome = device.outcome;
  return write_reports(&report, arguments.report,
                       report::draw(report, report::terminal(1), {arguments.report.every_metric}),
                       static_cast<int>(report.outcome.code));
}

}  // namespace

void add_compare(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command = app.add_subcommand(
      "compare", "Judge run files against a baseline, other run files, or before against after");
  command->footer(compare_footer);
  auto arguments = std::make_shared<CompareArguments>();
  reads(command->add_option("runs", arguments->runs, "Run files: the rounds of one check of one device"),
        "RUN", Reads::runs);
  CLI::Option* pinned =
      reads(command->add_option("-b,--baseline", arguments->baseline,
                                "Baseline, by name or folder (default: the one of the same kind in the state "
                                "directory, then one of this site, then one of a package)"),
            "NAME|DIR", Reads::baseline);
  reads(command->add_option(
            "--against", arguments->against,
            "Run files to compare with (five or more are judged as a baseline, fewer as --before), "
            "or Google Benchmark's JSON of any project"),
        "RUN", Reads::runs)
      ->excludes(pinned);
  reads(command->add_option("--before", arguments->before,
                            "Runs of the old side, files or folders; of several boots where possible"),
        "RUN", Reads::runs);
  reads(command->add_option("--after", arguments->after, "Runs of the new side"), "RUN", Reads::runs);
  command->add_option("--state-dir", arguments->state_directory, "Where baselines are kept")
      ->type_name("DIR");
  command->add_flag("--strict", arguments->strict, "End with 4 when a metric stays inconclusive or unstable");
  add_policy_options(*command, arguments->policy);
  add_report_options(*command, arguments->report);
  add_exit_style_option(*command);
  add_every_metric_option(*command, arguments->report);
  command->callback([arguments, &action] { action = [arguments] { return compare(*arguments); }; });
}

}  // namespace gpugauge::cli
