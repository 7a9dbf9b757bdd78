// gpugauge baseline accept, retire: decisions by people, with their reason, in the baseline's log.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "baseline/log.hpp"
#include "cli/baseline.hpp"
#include "cli/baseline_in_force.hpp"
#include "cli/baseline_replaced.hpp"
#include "cli/named_files.hpp"
#include "judge/collect.hpp"
#include "judge/pinned.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "report/format.hpp"
#include "result/error.hpp"
#include "result/number.hpp"
#include "result/pattern.hpp"
#include "result/time.hpp"

namespace gpugauge::cli {
namespace {

struct BaselineDecisionsArguments {
  std::string name;
  std::string reason;
  std::vector<std::string> metrics;
  std::vector<std::string> runs;
  std::string expires;
  std::string state_directory;
  PolicyArguments policy;
};

/// "2027-01-31" as it is, "30d" as the day so many days from today. Throws result::UsageError for a day that
/// is past or none.
std::string expiry_day(const std::string& given) {
  using std::chrono::sys_days;
  if (given.empty()) return "";
  const sys_days today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const auto number = [](const std::string& text) -> int {
    const auto digits = text.size() <= 4 ? result::number_in<unsigned>(text) : std::nullopt;
    return digits ? static_cast<int>(*digits) : -1;
  };
  sys_days day;
  bool valid = false;
  if (given.back() == 'd') {
    const int days = number(given.substr(0, given.size() - 1));
    valid = days > 0;
    day = today + std::chrono::days(days);
  } else if (given.size() == 10 && given[4] == '-' && given[7] == '-') {
    const std::chrono::year_month_day date{
        std::chrono::year(number(given.substr(0, 4))),
        std::chrono::month(static_cast<unsigned>(std::max(0, number(given.substr(5, 2))))),
        std::chrono::day(static_cast<unsigned>(std::max(0, number(given.substr(8, 2)))))};
    valid = date.ok();
    if (valid) day = date;
  }
  const std::string_view days = std::string_view(given).substr(0, given.size() - 1);
  if (!valid && given.back() == 'd' && days.size() > 4 &&
      days.find_first_not_of("0123456789") == std::string_view::npos)
    throw result::UsageError(
        fmt::format("--expires {}: give at most 9999d, or a day such as 2027-01-31", given));
  if (!valid)
    throw result::UsageError(
        fmt::format("--expires {}: give a day such as 2027-01-31, or a number of days such as 30d", given));
  if (day < today) throw result::UsageError(fmt::format("--expires {}: that day is past", given));
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

void append(const std::filesystem::path& folder, std::vector<baseline::LogEntry> entries,
            const std::string& reason) {
  for (baseline::LogEntry& entry : entries) {
    entry.time = result::utc_now();
    entry.who = baseline::current_user();
    entry.reason = reason;
  }
  baseline::append_log(folder, entries);
}

/// What the given runs measured: per metric the median over the runs of the median over the processes (also
/// where the baseline's metric is only recorded now, as the judge has it), and
/// the same of the class means, whose values only a comparison with the baseline gives.
std::map<std::string, double> values_of(const std::vector<result::Run>& runs,
                                        const baseline::Baseline& pinned, const judge::Policy& policy) {
  std::map<std::string, std::vector<double>> found;
  for (const result::Run& run : runs) {
    for (const auto& [key, metric] : judge::collect(run).metrics)
      if (const std::vector<double> values = judge::measured(metric); !values.empty())
        found[key].push_back(judge::median(values));
    for (const judge::Verdict& verdict : judge::judge_baseline({run}, pinned, policy).verdicts)
      if (verdict.metric == judge::class_key(verdict.metric_class) && verdict.value)
        found[verdict.metric].push_back(*verdict.value);
  }
  std::map<std::string, double> out;
  for (const auto& [key, values] : found) out[key] = judge::median(values);
  return out;
}

/// The changes that the patterns select: metrics of the baseline that the runs show worse than what is called
/// none. The gate can show less than a tolerance, and what it shows fails the node until it is accepted.
std::vector<baseline::LogEntry> changes(const BaselineDecisionsArguments& arguments,
                                        const baseline::Baseline& pinned,
                                        const std::vector<result::Run>& runs) {
  const judge::Policy rules = policy(arguments.policy);
  const std::map<std::string, double> now = values_of(runs, pinned, rules);
  const std::string expires = expiry_day(arguments.expires);
  // It counts from the run on that shows it: that one is judged again, too.
  std::string since = result::utc_now();
  for (const result::Run& run : runs) since = std::min(since, run.started);
  std::vector<baseline::LogEntry> out;
  for (const std::string& pattern : arguments.metrics) {
    bool known = false;
    bool worse = false;
    for (const judge::Sensitivity& row : judge::sensitivity(pinned, rules)) {
      const auto found = now.find(row.metric);
      if (found == now.end() || !result::matches(pattern, row.metric)) continue;
      known = true;
      const double step =
          judge::to_scale(found->second, row.better) - judge::to_scale(row.centre, row.better);
      if (step <= judge::null_share * judge::step_of(row.tolerance, row.better)) continue;
      worse = true;
      baseline::LogEntry entry;
      entry.accepted = {row.metric, row.unit, row.centre, found->second, runs.front().id, expires, since};
      out.push_back(std::move(entry));
    }
    if (!known)
      throw result::UsageError(
          fmt::format("--metric {}: matches no metric that both the baseline and the run hold", pattern));
    if (!worse)
      throw result::UsageError(
          fmt::format("--metric {}: the run is not worse than the baseline by more than a third of the "
                      "tolerance; there is nothing to accept",
                      pattern));
  }
  return out;
}

/// Refuses a run whose change is none of the baseline's device. A stack that was changed may be what the change came
/// from.
void require_same_subject(const result::Run& run, const baseline::Baseline& pinned, const std::string& file) {
  const result::Run& then = pinned.runs.front();
  const auto different = baseline::mismatches(run, then);
  const auto found = std::find_if(different.begin(), different.end(), [](const baseline::Mismatch& field) {
    return field.field.starts_with("suite.") || field.field.starts_with("device.");
  });
  if (run.device == pinned.manifest.device && found == different.end() &&
      !baseline::of_two_machines(run, then))
    return;
  const std::string why =
      found == different.end()
          ? ""
          : fmt::format(": {} is {} in the run and {} in the baseline", result::shortened(found->field),
                        result::quoted(found->now), result::quoted(found->then));
  throw result::UsageError(fmt::format("{} is not of the machine, device, profile and suite of baseline {}{}",
                                       file, pinned.manifest.name, why));
}

int accept(const BaselineDecisionsArguments& arguments) {
  state_directory(arguments.state_directory);
  const std::filesystem::path folder = baseline::find(arguments.name);
  const baseline::Baseline pinned = baseline::load(folder);
  if (arguments.metrics.empty()) {
    if (!arguments.runs.empty() || !arguments.expires.empty() || !arguments.policy.file.empty())
      throw result::UsageError(
          "--run, --expires and --policy belong to --metric: name the metrics whose change is accepted");
    if (state_of(pinned.log) == baseline::State::active)
      throw result::UsageError(
          fmt::format("baseline {} is active already; to accept a change of a metric, name it with --metric "
                      "and the run with --run",
                      pinned.manifest.name));
    const std::string against = against_replaced(folder, pinned.runs, arguments.reason, "");
    append(folder, {{"", "", "", baseline::State::active, std::nullopt}}, arguments.reason);
    print(fmt::format("Baseline {} is active from now on.\n{}{}", report::plain(pinned.manifest.name),
                      in_force(folder), against.empty() ? "" : fmt::format("  {}\n", against)));
    return 0;
  }
  if (arguments.runs.empty())
    throw result::UsageError("--metric needs --run: the run file that shows the change that is accepted");
  std::vector<result::Run> runs;
  for (const std::string& file : arguments.runs) {
    runs.push_back(result::read_run(file));
    require_same_subject(runs.back(), pinned, file);
  }
  const std::vector<baseline::LogEntry> entries = changes(arguments, pinned, runs);
  append(folder, entries, arguments.reason);
  std::string text;
  for (const baseline::LogEntry& entry : entries)
    text +=
        fmt::format("Accepted: {} from {} to {}{}\n", report::plain(entry.accepted->metric),
                    report::quantity(entry.accepted->old_value, entry.accepted->unit),
                    report::quantity(entry.accepted->new_value, entry.accepted->unit),
                    entry.accepted->expires.empty() ? ", for good" : ", until " + entry.accepted->expires);
  print(text);
  return 0;
}

int retire(const BaselineDecisionsArguments& arguments) {
  state_directory(arguments.state_directory);
  const std::filesystem::path folder = baseline::find(arguments.name);
  const baseline::Baseline pinned = baseline::load(folder);
  if (state_of(pinned.log) == baseline::State::retired)
    throw result::UsageError(fmt::format("baseline {} is retired already", pinned.manifest.name));
  append(folder, {{"", "", "", baseline::State::retired, std::nullopt}}, arguments.reason);
  print(fmt::format("Baseline {} is retired: kept, and not selected any more.\n",
                    report::plain(pinned.manifest.name)));
  return 0;
}

}  // namespace

void add_baseline_decisions(CLI::App& baseline, Action& action) {
  auto arguments = std::make_shared<BaselineDecisionsArguments>();
  CLI::App* accepting = baseline.add_subcommand(
      "accept", "Make a candidate active; or, with --metric, live with a change that a run shows");
  CLI::App* retiring =
      baseline.add_subcommand("retire", "Keep a baseline for the record and select it no more");
  for (CLI::App* command : {accepting, retiring}) {
    reads(command->add_option("baseline", arguments->name, "Name or folder of the baseline")->required(),
          "NAME|DIR", Reads::baseline);
    command->add_option("--reason", arguments->reason, "Why; kept in the baseline's log")
        ->required()
        ->type_name("TEXT")
        ->check([](const std::string& text) {
          return text.find_first_not_of(" \t") == std::string::npos ? "is empty" : "";
        });
    command->add_option("--state-dir", arguments->state_directory, "Where baselines are kept")
        ->type_name("DIR");
  }
  accepting
      ->add_option("--metric", arguments->metrics,
                   "Metric whose change is accepted; * stands for anything (may be repeated)")
      ->type_name("PATTERN");
  reads(accepting->add_option("--run", arguments->runs, "Run file that shows the change (may be repeated)"),
        "RUN", Reads::runs);
  reads(accepting->add_option("--policy", arguments->policy.file,
                              "Policy file with the tolerances that the change was judged by"),
        "FILE");
  accepting->add_option("--expires", arguments->expires, "Last day on which it counts: 2027-01-31, or 30d")
      ->type_name("DAY");
  accepting->callback([arguments, &action] { action = [arguments] { return accept(*arguments); }; });
  retiring->callback([arguments, &action] { action = [arguments] { return retire(*arguments); }; });
}

}  // namespace gpugauge::cli
