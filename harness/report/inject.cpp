// Writes the results of injected faults for the terminal and as JSON.
#include "report/inject.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/format.hpp"
#include "report/table.hpp"
#include "result/build.hpp"
#include "result/counted.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

bool names(const InjectedFault& fault, const InjectTrial& trial) {
  return !trial.causes.empty() &&
         std::find(fault.causes.begin(), fault.causes.end(), trial.causes.front()) != fault.causes.end();
}

bool is_alarm(const InjectTrial& trial) {
  return trial.found || !trial.causes.empty();
}

double mean_seconds(const std::vector<InjectTrial>& trials) {
  double sum = 0;
  for (const InjectTrial& trial : trials) sum += trial.seconds;
  return trials.empty() ? 0 : sum / static_cast<double>(trials.size());
}

/// "cpu_contention 2, nothing 1".
std::string confusion_text(const InjectedFault& fault) {
  std::vector<std::string> parts;
  for (const auto& [cause, count] : confusions(fault))
    parts.push_back(fmt::format("{} {}", cause.empty() ? "nothing" : cause, count));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

Cell share_cell(int count, std::size_t of) {
  return {fmt::format("{}/{}", count, of), count == static_cast<int>(of) ? Tone::good : Tone::bad};
}

std::string said(std::string_view what, std::string_view why, const Terminal& terminal) {
  return "  " + wrap(fmt::format("{}: {}", plain(what), plain(why)), terminal.width, 4) + "\n";
}

ordered_json trial_json(const InjectTrial& trial) {
  return {{"found", trial.found},     {"causes", trial.causes},       {"score", trial.score},
          {"metrics", trial.metrics}, {"disturbed", trial.disturbed}, {"seconds", trial.seconds},
          {"problem", trial.problem}};
}

ordered_json trials_json(const std::vector<InjectTrial>& trials) {
  ordered_json out = ordered_json::array();
  for (const InjectTrial& trial : trials) out.push_back(trial_json(trial));
  return out;
}

ordered_json fault_json(const InjectedFault& fault) {
  ordered_json confused = ordered_json::object();
  for (const auto& [cause, count] : confusions(fault)) confused[cause.empty() ? "nothing" : cause] = count;
  return {{"fault", fault.id},
          {"what", fault.what},
          {"device", fault.device},
          {"causes", fault.causes},
          {"run", fault.not_run.empty()},
          {"not_run", fault.not_run},
          {"found", found(fault)},
          {"named_first", named_first(fault)},
          {"seconds", mean_seconds(fault.trials)},
          {"confused_with", std::move(confused)},
          {"trials", trials_json(fault.trials)}};
}

std::string problems_of(const InjectReport& report, const Terminal& terminal) {
  std::string out;
  for (const InjectedFault& fault : report.faults)
    for (const InjectTrial& trial : fault.trials)
      if (!trial.problem.empty()) out += said(fault.id, trial.problem, terminal);
  for (const InjectTrial& trial : report.quiet)
    if (!trial.problem.empty()) out += said("quiet run", trial.problem, terminal);
  return out;
}

std::string listed(const std::vector<std::string>& words, const char* none) {
  return words.empty() ? none : fmt::format("{}", fmt::join(words, ", "));
}

int alarms(const InjectReport& report) {
  return static_cast<int>(std::count_if(report.quiet.begin(), report.quiet.end(), is_alarm));
}

int silent(const InjectReport& report) {
  return static_cast<int>(std::count_if(report.quiet.begin(), report.quiet.end(),
                                        [](const InjectTrial& trial) { return !trial.problem.empty(); }));
}

/// The quiet runs. An alarm also lists other activity meanwhile: a real disturbance makes it no false alarm.
std::string quiet_of(const InjectReport& report, const Terminal& terminal) {
  if (report.quiet.empty()) return "";
  const int cried = alarms(report);
  std::string out = fmt::format("\n  {} of {:.0f} s: {}, findings included\n",
                                result::counted(report.quiet.size(), "quiet run"), mean_seconds(report.quiet),
                                result::counted(cried, "alarm"));
  for (const InjectTrial& trial : report.quiet)
    if (is_alarm(trial))
      out += said("quiet run",
                  fmt::format("{}; named: {}; {}", listed(trial.metrics, "no metric regressed"),
                              listed(trial.causes, "nothing"),
                              trial.disturbed.empty() ? "nothing else was seen meanwhile"
                                                      : fmt::format("{}", fmt::join(trial.disturbed, " "))),
                  terminal);
  return out;
}

}  // namespace

int found(const InjectedFault& fault) {
  return static_cast<int>(std::count_if(fault.trials.begin(), fault.trials.end(),
                                        [](const InjectTrial& trial) { return trial.found; }));
}

int named_first(const InjectedFault& fault) {
  return static_cast<int>(std::count_if(fault.trials.begin(), fault.trials.end(),
                                        [&](const InjectTrial& trial) { return names(fault, trial); }));
}

std::map<std::string, int> confusions(const InjectedFault& fault) {
  std::map<std::string, int> out;
  for (const InjectTrial& trial : fault.trials)
    if (!names(fault, trial)) ++out[trial.causes.empty() ? "" : trial.causes.front()];
  return out;
}

judge::Outcome outcome(const InjectReport& report) {
  int tried = 0;
  int proven = 0;
  for (const InjectedFault& fault : report.faults) {
    if (fault.trials.empty()) continue;
    ++tried;
    const auto all = static_cast<int>(fault.trials.size());
    if (found(fault) == all && named_first(fault) == all) ++proven;
  }
  const int cried = alarms(report);
  const int mute = silent(report);
  const std::string quiet = report.quiet.empty()
                                ? ""
                                : fmt::format("; {} of {} raised an alarm", cried,
                                              result::counted(report.quiet.size(), "quiet run")) +
                                      (mute == 0 ? "" : fmt::format(", {} could not be judged", mute));
  const std::string counted =
      tried == 0 ? "no fault was tried" + quiet
                 : fmt::format("{} of {} faults that were tried were found and named first every time{}",
                               proven, tried, quiet);
  if (proven < tried || cried > 0)
    return {judge::ExitCode::regressed, "failed: " + counted, true, judge::VerdictKind::failed};
  if (report.interrupted)
    return {judge::ExitCode::cannot_judge, "cannot judge: interrupted; until then " + counted};
  if (mute > 0) return {judge::ExitCode::cannot_judge, "cannot judge: " + counted};
  for (const HealthyRounds& healthy : report.healthy)
    if (!healthy.problem.empty() && healthy.profile == report.profile)
      return {judge::ExitCode::cannot_judge,
              fmt::format("cannot judge: there are no healthy rounds of {} to judge its faults against; {}",
                          healthy.device, counted)};
  if (tried == 0) return {judge::ExitCode::cannot_judge, "cannot judge: " + counted};
  return {judge::ExitCode::pass, "pass: " + counted};
}

std::string draw(const InjectReport& report, const Terminal& terminal) {
  std::string out = fmt::format("Injected faults, profile {}, {} each\n", plain(report.profile),
                                result::counted(report.repeat, "time"));
  for (const HealthyRounds& healthy : report.healthy)
    out +=
        said(healthy.label,
             healthy.problem.empty()
                 ? fmt::format("judged against {} healthy rounds of this machine, measured just before ({})",
                               healthy.rounds, healthy.profile)
                 : healthy.problem,
             terminal);
  Table table({{"fault"}, {"found", true}, {"named first", true}, {"seconds", true}, {"confused with"}});
  for (const InjectedFault& fault : report.faults) {
    if (fault.trials.empty()) continue;
    table.add({{fault.id, Tone::strong},
               share_cell(found(fault), fault.trials.size()),
               share_cell(named_first(fault), fault.trials.size()),
               {fmt::format("{:.0f}", mean_seconds(fault.trials))},
               {confusion_text(fault)}});
  }
  if (!table.empty()) out += "\n" + table.draw(terminal);
  out += quiet_of(report, terminal);
  std::string not_run;
  for (const InjectedFault& fault : report.faults)
    if (!fault.not_run.empty())
      not_run += said(fault.id, fmt::format("{}: {}", fault.what, fault.not_run), terminal);
  if (!not_run.empty()) out += "\n  Not run:\n" + not_run;
  const std::string problems = problems_of(report, terminal);
  if (!problems.empty()) out += "\n  Without an answer:\n" + problems;
  for (const std::string& remark : report.remarks)
    out += "\n  " + wrap(plain(remark), terminal.width, 2) + "\n";
  const judge::Outcome end = outcome(report);
  const Tone tone = end.code == judge::ExitCode::pass        ? Tone::good
                    : end.code == judge::ExitCode::regressed ? Tone::bad
                                                             : Tone::doubt;
  return out + fmt::format("\n  {}, in {}\n",
                           terminal.paint(wrap(plain(end.sentence), terminal.width, 2), tone),
                           duration(report.seconds));
}

std::string to_json(const InjectReport& report) {
  const judge::Outcome end = outcome(report);
  ordered_json healthy = ordered_json::array();
  for (const HealthyRounds& one : report.healthy)
    healthy.push_back({{"device", one.device},
                       {"label", one.label},
                       {"profile", one.profile},
                       {"rounds", one.rounds},
                       {"problem", one.problem}});
  ordered_json faults = ordered_json::array();
  for (const InjectedFault& fault : report.faults) faults.push_back(fault_json(fault));
  return result::dump_json(
      {{"schema", inject_schema},
       {"gpugauge", result::build().version},
       {"commit", result::build().commit},
       {"outcome", {{"exit_code", static_cast<int>(end.code)}, {"sentence", end.sentence}}},
       {"profile", report.profile},
       {"repeat", report.repeat},
       {"healthy", std::move(healthy)},
       {"faults", std::move(faults)},
       {"quiet", {{"alarms", alarms(report)}, {"trials", trials_json(report.quiet)}}},
       {"remarks", report.remarks},
       {"interrupted", report.interrupted},
       {"seconds", report.seconds}});
}

}  // namespace gpugauge::report
