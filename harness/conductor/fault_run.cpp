// Runs the gpugauge command under a fault and reads what it found.
#include "conductor/fault_run.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "conductor/fault_read.hpp"
#include "conductor/neighbour.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/processor_list.hpp"
#include "result/stopwatch.hpp"
#include "run/load.hpp"
#include "run/processes.hpp"
#include "run/quota.hpp"
#include "run/surroundings.hpp"
#include "run/under.hpp"

namespace gpugauge::conductor {
namespace {

/// A command may exceed its budget by this time, for its first round and the current one.
constexpr double beyond_budget_seconds = 600;
/// Time for the command to end its family, which has its own grace time.
constexpr double end_grace_seconds = 15;
/// Wait for another command that may be measuring the device.
constexpr std::string_view wait_for_device = "60";
constexpr double family_settle_seconds = 5;

/// Rounds of PyTorch with the fault: three is the fewest that show a spread.
constexpr int faulty_framework_rounds = 3;
constexpr const char* healthy_side = "frameworks-healthy";
constexpr const char* faulty_side = "frameworks-faulty";

std::string healthy_name(const Target& target, const std::string& profile) {
  return fmt::format("healthy-{}-{}", to_string(target.kind), profile);
}

std::filesystem::path report_file(const FaultBench& bench) {
  return bench.folder / "report.json";
}

/// A host's benchmarks use every allowed processor; the thread that feeds a GPU uses one.
double processors_of_case(const Target& target) {
  return target.kind == DeviceKind::host
             ? static_cast<double>(std::max<std::size_t>(run::allowed_processors().size(), 1))
             : 1;
}

Beside beside_of(const Fault& fault) {
  return fault.neighbour == Neighbour::family ? Beside::a_program : Beside::nobody;
}

}  // namespace

/// How a child command ended, and its output.
struct FaultRunner::Ended {
  std::optional<int> code;  ///< absent where it did not exit by itself
  std::string output;       ///< standard output
  std::string said;         ///< last part of standard error
  std::string fault;        ///< how it ended without an exit code
};

/// How a fault is set for the command that looks for it.
struct FaultRunner::Setting {
  std::vector<std::string> under;                ///< words of `probe under`
  std::map<std::string, std::string> variables;  ///< of the environment
  std::filesystem::path mark;                    ///< appears when it takes effect; "" where none is left
};

FaultRunner::FaultRunner(const FaultBench& bench)
    : bench_(bench), watch_(loop_, [this](int number) {
        if (signal_ == 0) signal_ = number;
        if (on_signal_) on_signal_(number);
      }) {}

FaultRunner::~FaultRunner() = default;

FaultRunner::Ended FaultRunner::run(const std::vector<std::string>& words,
                                    const std::vector<std::string>& under,
                                    const std::map<std::string, std::string>& environment) {
  Ended ended;
  run::Command command{bench_.executable, {"probe", "under", "--parent", fmt::format("{}", ::getpid())}, {}};
  command.arguments.insert(command.arguments.end(), under.begin(), under.end());
  command.arguments.emplace_back("--");
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  command.environment = environment;
  run::ChildOptions options;
  options.limit_seconds = bench_.budget_seconds + beyond_budget_seconds;
  options.grace_seconds = end_grace_seconds;
  options.end_descendants = false;  // the neighbours are not its descendants
  options.on_output = [&](std::string_view text) { ended.output += text; };
  run::Child child(loop_, command, std::move(options));
  bool asked = signal_ != 0;
  if (asked) child.stop();
  on_signal_ = [&](int) {
    if (asked) return child.kill_now();
    asked = true;
    child.stop();
  };
  struct Forget {
    std::function<void(int)>& call;
    ~Forget() { call = nullptr; }
  };
  // resets the callback even if the wait throws: it refers to locals
  const Forget when_it_leaves{on_signal_};
  run::Timer ticking(loop_);
  ticking.every(1, [this] {
    if (tick) tick();
  });
  loop_.run_until([&] { return child.ended(); });
  ended.code = child.end().exit_code;
  ended.fault = child.end().fault;
  ended.said = child.end().output;
  return ended;
}

std::vector<std::string> FaultRunner::check_words(const Target& target, const std::string& profile,
                                                  const std::vector<std::string_view>& measures) const {
  std::vector<std::string> words{"check",
                                 "--device",
                                 target.selection,
                                 "--profile",
                                 profile,
                                 "--baseline",
                                 healthy_name(target, profile),
                                 "--state-dir",
                                 (bench_.folder / "state").string(),
                                 "--report",
                                 "json=" + report_file(bench_).string(),
                                 "--budget",
                                 fmt::format("{:g}", bench_.budget_seconds),
                                 "--wait",
                                 std::string(wait_for_device),
                                 "--quiet"};
  for (const std::string_view word : measures) words.insert(words.end(), {"--only", std::string(word)});
  return words;
}

report::HealthyRounds FaultRunner::pin_healthy(const Target& target, const std::string& profile,
                                               const std::vector<std::string>& words) {
  report::HealthyRounds out{
      .device = target.selection, .label = target.label, .profile = profile, .rounds = 0, .problem = {}};
  std::vector<std::string> command{"baseline",    "create",
                                   "--device",    target.selection,
                                   "--profile",   profile,
                                   "--rounds",    fmt::format("{}", bench_.rounds),
                                   "--name",      healthy_name(target, profile),
                                   "--state-dir", (bench_.folder / "state").string(),
                                   "--wait",      std::string(wait_for_device),
                                   "--quiet"};
  for (const std::string& word : words) command.insert(command.end(), {"--only", word});
  const Ended ended = run(command, {}, {});
  if (ended.code == 0)
    out.rounds = bench_.rounds;
  else
    out.problem = fmt::format("no healthy rounds, so nothing is judged: {}",
                              without_place(last_said(ended.said, ended.fault), bench_.folder));
  return out;
}

FaultRunner::Ended FaultRunner::run_frameworks(const std::string& side, int rounds,
                                               const std::map<std::string, std::string>& environment) {
  const std::filesystem::path folder = bench_.folder / side;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  Ended ended;  // a signal before the first round leaves no code, which counts as no answer
  for (int i = 0; i < rounds && !stopped(); ++i) {
    ended = run({"frameworks", "torch", "--quiet", "--output", (folder / fmt::format("{}.json", i)).string()},
                {}, environment);
    if (ended.code != 0) break;
  }
  return ended;
}

report::HealthyRounds FaultRunner::pin_healthy_frameworks(const Target& target) {
  report::HealthyRounds out{
      .device = target.selection, .label = target.label, .profile = "frameworks", .rounds = 0, .problem = {}};
  const Ended ended = run_frameworks(healthy_side, bench_.rounds, healthy_variables(FoundBy::frameworks));
  if (ended.code == 0)
    out.rounds = bench_.rounds;
  else
    out.problem =
        fmt::format("no healthy rounds of PyTorch: {}", last_said(ended.output + ended.said, ended.fault));
  return out;
}

std::string FaultRunner::ask_healthy_doctor() {
  const Ended ended = run({"doctor", "--json"}, {}, {});
  try {
    for (const std::string& cause : doctor_causes(ended.output)) healthy_findings_.insert(cause);
  } catch (const result::FormatError&) {
    return fmt::format("the doctor gave no answer of the healthy machine: {}",
                       last_said(ended.said, ended.fault));
  }
  return "";
}

report::InjectTrial FaultRunner::read_check(const Ended& ended, Beside beside) const {
  const std::filesystem::path file = report_file(bench_);
  report::InjectTrial out;
  try {
    if (ended.code != 0 && ended.code != 1 && ended.code != 3)
      out.problem = last_said(ended.said, ended.fault);
    else
      out = check_trial(result::read_file(file), beside);
  } catch (const std::runtime_error& error) {
    out.problem = fmt::format("{}; the command said: {}", error.what(), last_said(ended.said, ended.fault));
  }
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return out;
}

report::InjectTrial FaultRunner::read_doctor(const Ended& ended) const {
  try {
    return doctor_trial(ended.output, healthy_findings_);
  } catch (const result::FormatError&) {
    report::InjectTrial out;
    out.problem = last_said(ended.said, ended.fault);
    return out;
  }
}

report::InjectTrial FaultRunner::measure_quiet(const Target& target) {
  const result::Stopwatch measuring;
  report::InjectTrial out = read_check(run(check_words(target, bench_.profile, {}), {}, {}), Beside::nobody);
  out.seconds = measuring.seconds();
  return out;
}

FaultRunner::UnderFault FaultRunner::read(const Ended& ended, const Setting& setting,
                                          const std::function<report::InjectTrial()>& trial) {
  if (ended.code == run::under_refused) {
    UnderFault none{{}, true};
    none.trial.problem = last_said(ended.said, ended.fault);
    return none;
  }
  UnderFault out{trial(), false};
  std::error_code ignored;
  if (setting.mark.empty() || std::filesystem::exists(setting.mark, ignored)) return out;
  constexpr const char* without_effect = "the fault never took effect in what was measured";
  out.trial.found = false;
  out.trial.problem =
      out.trial.problem.empty() ? without_effect : fmt::format("{}: {}", without_effect, out.trial.problem);
  return out;
}

FaultRunner::UnderFault FaultRunner::ask_check(const Fault& fault, const Target& target,
                                               const Setting& setting) {
  const Ended ended =
      run(check_words(target, profile_of(fault, bench_), fault.measures), setting.under, setting.variables);
  return read(ended, setting, [&] { return read_check(ended, beside_of(fault)); });
}

FaultRunner::UnderFault FaultRunner::ask_doctor(const Setting& setting) {
  const Ended ended = run({"doctor", "--json"}, setting.under, setting.variables);
  return read(ended, setting, [&] { return read_doctor(ended); });
}

FaultRunner::UnderFault FaultRunner::ask_frameworks(const Fault& fault, const Setting& setting) {
  const Ended measured = run_frameworks(faulty_side, faulty_framework_rounds, setting.variables);
  if (measured.code != 0) {
    UnderFault none;
    none.trial.problem =
        fmt::format("no rounds of PyTorch: {}", last_said(measured.output + measured.said, measured.fault));
    return none;
  }
  const Ended ended =
      run({"compare", "--before", (bench_.folder / healthy_side).string(), "--after",
           (bench_.folder / faulty_side).string(), "--report", "json=" + report_file(bench_).string()},
          {}, {});
  return read(ended, setting, [&] { return read_check(ended, beside_of(fault)); });
}

FaultRunner::UnderFault FaultRunner::ask(const Fault& fault, const Target& target,
                                         std::vector<std::string> under) {
  const FaultPlace place = place_of(fault, bench_);
  std::filesystem::create_directories(place.folder);
  const Setting setting{std::move(under), fault_variables(fault, place), fault_mark(fault, place)};
  if (!setting.mark.empty()) std::filesystem::remove(setting.mark);
  switch (fault.found_by) {
    case FoundBy::check:
      break;
    case FoundBy::doctor:
      return ask_doctor(setting);
    case FoundBy::frameworks:
      return ask_frameworks(fault, setting);
  }
  return ask_check(fault, target, setting);
}

FaultRunner::UnderFault FaultRunner::measure(const Fault& fault) {
  const result::Stopwatch measuring;
  UnderFault out{{}, true};
  const Target& target = *target_of_kind(bench_, fault.device);
  std::optional<run::Quota> quota;
  std::vector<std::string> under;
  try {
    if (fault.quota > 0) {
      quota.emplace(fault.quota * processors_of_case(target), bench_.root);
      under.insert(under.end(), {"--group", quota->folder().string()});
    }
  } catch (const run::QuotaRefused& error) {
    out.trial.problem = error.what();
    return out;
  }
  const std::vector<int> confined = confined_processors(fault, &target);
  if (!confined.empty()) under.insert(under.end(), {"--processors", result::processors_text(confined)});
  if (fault.shm_mib > 0) under.insert(under.end(), {"--shm-mib", fmt::format("{}", fault.shm_mib)});
  {
    std::optional<NeighbourProcesses> beside;
    if (fault.neighbour != Neighbour::none) {
      beside.emplace(loop_, neighbours(fault, confined, bench_));
      const bool family = fault.neighbour == Neighbour::family;
      const std::string why = beside->wait_until_at_work(family ? "" : run::load_ready, family_settle_seconds,
                                                         [&] { return stopped(); });
      if (!why.empty()) {
        out.trial.problem = fmt::format("the neighbour could not be set to work: {}", why);
        return out;
      }
    }
    out = ask(fault, target, std::move(under));
    if (beside && !beside->fault().empty() && out.trial.problem.empty())
      out.trial.problem = fmt::format("the neighbour did not stay at work: {}", beside->fault());
  }
  if (quota)
    if (const std::string why = quota->remove(); !why.empty()) left_behind_.push_back(why);
  out.trial.seconds = measuring.seconds();
  return out;
}

}  // namespace gpugauge::conductor
