// gpugauge selftest: how often the gauge would cry wolf on this machine, and what it would find.
#include "judge/selftest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/named_files.hpp"
#include "cli/selftest_inject.hpp"
#include "judge/policy_reach.hpp"
#include "report/console.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/error.hpp"
#include "result/object_reader.hpp"
#include "result/stopwatch.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* selftest_footer =
    "Examples:\n"
    "  gpugauge selftest                           this node's only active baseline\n"
    "  gpugauge selftest --inject                  every fault that can be set here, once\n"
    "  gpugauge selftest --inject --repeat 20 --quiet-runs 20 --output certificate.json\n"
    "  gpugauge selftest --inject --only cpu_quota --only processors_taken\n"
    "\n"
    "Exit codes: 0 the table was printed, whatever it shows; 2 usage or tool error. With --inject: 0 every fault that was tried was found and named first, and no quiet run "
    "raised "
    "an alarm; 1 one was not, or one did; 2 usage or tool error; 3 none could be tried, or interrupted.";

struct SelftestArguments {
  std::string baseline;
  std::string state_directory;
  PolicyArguments policy;
  InjectArguments inject;
  int trials = judge::SelftestOptions{}.trials;
  int injections = judge::SelftestOptions{}.injections;
  std::uint64_t seed = judge::SelftestOptions{}.seed;
  bool json = false;
  bool quiet = false;
};

/// The one that was named, or the only active one of this node.
baseline::Baseline chosen(const std::string& name) {
  if (!name.empty()) return baseline::load(baseline::find(name));
  std::vector<std::string> names;
  std::filesystem::path folder;
  for (const baseline::Listed& listed : baseline::list()) {
    if (listed.place != "own" || !listed.manifest || listed.state != baseline::State::active ||
        listed.superseded)
      continue;
    names.push_back(listed.manifest->name);
    folder = listed.folder;
  }
  if (names.empty())
    throw result::UsageError(
        "there is no baseline of this node to test with: `gpugauge baseline create` makes one");
  if (names.size() > 1)
    throw result::UsageError(fmt::format("there are {} baselines of this node; name one: {}", names.size(),
                                         fmt::join(names, ", ")));
  return baseline::load(folder);
}

std::string json_of(const judge::Selftest& made, const baseline::Baseline& pinned) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const judge::SelftestRow& row : made.rows) {
    nlohmann::ordered_json one{{"class", row.metric_class.empty() ? "all" : row.metric_class},
                               {"metrics", row.metrics},
                               {"counted", row.counted},
                               {"false_alarm", row.false_alarm},
                               {"undecided", row.undecided},
                               {"power", row.power}};
    one["injected"] = row.injected;
    if (row.smallest) {
      one["smallest_drop_found"] = *row.smallest;
      one["found_at_least"] = row.at_least;
    }
    rows.push_back(std::move(one));
  }
  return result::dump_json({{"schema", "gpugauge.selftest/1"},
                            {"baseline", pinned.manifest.name},
                            {"trials", made.trials},
                            {"baseline_rounds", made.baseline_rounds},
                            {"resampled", made.resampled},
                            {"drops", made.drops},
                            {"rows", std::move(rows)}});
}

/// 3, 5, 10%: what people ask for; the JSON holds every size.
bool shown(double drop) {
  return drop == .03 || drop == .05 || drop == .10;
}

std::string table_of(const judge::Selftest& made, const baseline::Baseline& pinned,
                     const report::Terminal& terminal) {
  std::vector<report::Column> columns{
      {"class"}, {"metrics", true}, {"counted", true}, {"false alarms", true}, {"undecided", true}};
  for (const double drop : made.drops)
    if (shown(drop)) columns.push_back({fmt::format("finds {:.0f}%", 100 * drop), true});
  columns.push_back({"99% found from", true});
  report::Table table(columns);
  for (const judge::SelftestRow& row : made.rows) {
    std::vector<report::Cell> cells{
        {row.metric_class.empty() ? "all" : row.metric_class, report::Tone::strong},
        {std::to_string(row.metrics)},
        {std::to_string(row.counted)},
        {fmt::format("{:.3f}", row.false_alarm),
         row.false_alarm > .02 ? report::Tone::bad : report::Tone::good},
        {fmt::format("{:.3f}", row.undecided)}};
    for (std::size_t i = 0; i < made.drops.size(); ++i)
      if (shown(made.drops[i])) cells.push_back({fmt::format("{:.3f}", row.power[i])});
    cells.push_back(row.smallest ? report::Cell{fmt::format("{:.0f}% (of {}, >= {:.3f})", 100 * *row.smallest,
                                                            row.injected.front(), row.at_least),
                                                report::Tone::strong}
                                 : report::Cell{"none tried", report::Tone::doubt});
    table.add(std::move(cells));
  }
  std::string text = fmt::format(
      "Selftest with baseline {}: {} judgements without a drop, and as many or more for each size of drop\n",
      report::plain(pinned.manifest.name), made.trials);
  text += table.draw(terminal);
  text +=
      "  " +
      report::wrap(
          "false alarms: share of judgements without a drop that called any metric regressed; undecided: "
          "share of "
          "metrics there that stayed inconclusive or unstable; finds: share of the drops of that size, "
          "put into a "
          "tenth of the metrics, that were called regressed and counted; 99% found from: smallest size "
          "tried from which on, larger ones included, 99% were found (of how many drops, and the lower 95% "
          "bound of the true share)",
          terminal.width, 2) +
      "\n";
  text +=
      "  " +
      report::wrap(
          made.resampled
              ? fmt::format(
                    "The baseline has fewer than {} rounds, so none could be held back: the new side repeats "
                    "rounds of the old one, which flatters the false alarms.",
                    judge::selftest_split_rounds)
              : fmt::format("Each judgement compared rounds held back with a baseline of {} others.",
                            made.baseline_rounds),
          terminal.width, 2) +
      "\n";
  return text;
}

int selftest(const SelftestArguments& arguments) {
  if (arguments.inject.wanted) {
    if (!arguments.baseline.empty())
      throw result::UsageError(fmt::format(
          "--inject judges against rounds that it measures itself: leave {} out", arguments.baseline));
    return inject(arguments.inject, arguments.json, arguments.quiet);
  }
  state_directory(arguments.state_directory);
  const judge::Policy decided = policy(arguments.policy);
  const baseline::Baseline pinned = chosen(arguments.baseline);
  judge::SeenMetrics seen;
  seen.add_reference(pinned.runs);
  judge::require_matches(decided, seen);
  report::ProgressLine progress(report::terminal(2), arguments.quiet);
  judge::SelftestOptions options;
  options.trials = arguments.trials;
  options.injections = arguments.injections;
  options.seed = arguments.seed;
  const result::Stopwatch judging;
  options.progress = [&](int done, int all) {
    const double elapsed = judging.seconds();
    progress.show({"selftest", done, all, "judging", elapsed, elapsed / done * (all - done)});
  };
  const judge::Selftest made = judge::selftest(pinned, decided, options);
  progress.clear();
  print(arguments.json ? json_of(made, pinned) : table_of(made, pinned, report::terminal(1)));
  return 0;
}

}  // namespace

void add_selftest(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command = app.add_subcommand("selftest",
                                         "Test the judge on a baseline's own data: false alarms, and drops "
                                         "put into it; or, with --inject, judge "
                                         "and diagnosis on faults set on this machine");
  command->footer(selftest_footer);
  auto arguments = std::make_shared<SelftestArguments>();
  reads(command->add_option("baseline", arguments->baseline,
                            "Name or folder of the baseline (default: this node's only active one)"),
        "NAME|DIR", Reads::baseline);
  command->add_option("--trials", arguments->trials, "Judgements of each kind, at least")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--injections", arguments->injections,
                   "Drops of each size put into each class, at least; of fewer than 300 the bounds are wide")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  command->add_option("--seed", arguments->seed, "Seed of the splits")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--state-dir", arguments->state_directory, "Where baselines are kept")
      ->type_name("DIR");
  command->add_flag("--json", arguments->json, "As JSON, with every size of drop");
  command->add_flag("-q,--quiet", arguments->quiet, "No progress line");
  add_policy_file_option(*command, arguments->policy);
  add_inject_options(*command, arguments->inject);
  command->callback([arguments, &action] { action = [arguments] { return selftest(*arguments); }; });
}

}  // namespace gpugauge::cli
