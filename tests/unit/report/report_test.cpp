#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "report/console.hpp"
#include "report/json.hpp"
#include "report/metric_rows.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"
#include "unit/result/example.hpp"

namespace gpugauge::report {
namespace {

using judge::VerdictKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

judge::Verdict verdict(const std::string& metric, VerdictKind kind, double change) {
  judge::Verdict made;
  made.metric = metric;
  made.kind = kind;
  made.metric_class = "host_memory";
  made.unit = "byte/second";
  made.value = 1e10;
  made.baseline = 1.25e10;
  made.change = change;
  made.minimum_detectable_drop = .07;
  made.tolerance = .1;
  made.rounds = 2;
  made.reason = "because of a test";
  return made;
}

Report example() {
  Report report;
  report.stack = {{"GPU", "absent", "no NVIDIA device"}};
  DeviceReport device;
  device.label = "host, no GPU judged";
  device.selection = "host";
  device.rounds = {result::example_run()};
  device.baseline_origin = "No baseline.";
  device.verdicts = {verdict("host/triad/one_core:bandwidth", VerdictKind::ok, .01),
                     verdict("host/triad/one_core:bandwidth_mean", VerdictKind::regressed, .25)};
  device.outcome = {judge::ExitCode::regressed, "regressed: 1 of 2 metrics", true,
                    judge::VerdictKind::regressed};
  report.devices = {device};
  report.outcome = device.outcome;
  return report;
}

/// A device whose fault began after the first of three rounds.
DeviceReport late_fault() {
  const auto round_of = [](double bandwidth) {
    result::Run run = result::example_run();
    run.processes.erase(run.processes.begin() + 1);
    run.processes[0].samples->benchmarks[0].metrics[0].value = bandwidth;
    return run;
  };
  DeviceReport device;
  device.label = device.selection = "host";
  device.rounds = {round_of(2e10), round_of(1.2e10), round_of(1e10)};
  judge::Verdict regressed = verdict("host/triad/one_core:bandwidth", VerdictKind::regressed, .45);
  regressed.value = 1.1e10;
  regressed.baseline = 2e10;
  judge::Verdict physical = verdict("host/triad/one_core:bandwidth", VerdictKind::ok, 0);
  physical.judge = judge::Judge::physical;
  physical.value = 1.2e10;
  physical.baseline = physical.change = std::nullopt;
  physical.share = .6;
  device.verdicts = {regressed, physical};
  device.outcome = {judge::ExitCode::regressed, "regressed: 1 of 1 metric", true,
                    judge::VerdictKind::regressed};
  return device;
}

TEST(Summary, OfSeveralRoundsTheValueIsThatOfTheChange) {
  DeviceReport device = late_fault();
  const auto found = [&] { return summarise(device).front(); };
  EXPECT_DOUBLE_EQ(found().value, 1.1e10);
  EXPECT_DOUBLE_EQ(*found().range, 1e10 / 1.1e10) << "of the processes of all rounds";
  EXPECT_DOUBLE_EQ(*found().share_of_limit, .55) << "of that value";
  EXPECT_EQ(found().processes, 3);
  // A limit that the physical judge alone knows.
  for (result::Run& run : device.rounds) run.processes[0].samples->benchmarks[0].metrics[0].limit.reset();
  EXPECT_DOUBLE_EQ(*found().share_of_limit, .55);
  device.verdicts[1].better = result::Direction::lower;
  EXPECT_DOUBLE_EQ(*found().share_of_limit, .6 * 1.2 / 1.1);
  // Another quantity under the same name is none of this one.
  device.verdicts[0].unit = "second";
  EXPECT_DOUBLE_EQ(found().value, 1.2e10);
}

TEST(Summary, WithoutABaselineItIsTheMedianOverTheRounds) {
  DeviceReport device = late_fault();
  device.verdicts.clear();
  device.rounds[1].processes[0].samples->benchmarks.clear();
  device.rounds.erase(device.rounds.begin());
  EXPECT_DOUBLE_EQ(summarise(device).front().value, 1e10) << "and a round may lack the metric";
  device.rounds.clear();
  EXPECT_TRUE(summarise(device).empty());
}

TEST(Console, OfSeveralRoundsARowSaysOneThing) {
  Report report;
  report.devices = {late_fault()};
  const std::string text = draw(report, {false, false, 130});
  EXPECT_THAT(text, testing::ContainsRegex(
                        "one_core +11[.]0 GB/s +90[.]9% +55[.]0% +20[.]0 GB/s +[+]45[.]0% .*regressed"));
  EXPECT_THAT(text, HasSubstr("now: of the rounds that the change is of"));
}

TEST(JsonReport, OfSeveralRoundsValueAndChangeBelongTogether) {
  Report report;
  report.devices = {late_fault()};
  const auto measured = nlohmann::json::parse(to_json(report))["devices"][0]["measured"][0];
  EXPECT_DOUBLE_EQ(measured["value"], 1.1e10);
  EXPECT_DOUBLE_EQ(measured["share_of_limit"], .55);
  EXPECT_EQ(measured["processes"], 3);
}

TEST(Console, NoLineIsLongerThanTheTerminal) {
  Report report;
  report.devices = {late_fault()};
  DeviceReport& device = report.devices.front();
  device.verdicts[0].kind = VerdictKind::inconclusive;
  device.verdicts[0].advisory = true;
  const std::string label = "GPU-c16e571b-9f71-e740-fda5-018a37c10f17, measured 2026-11-21T02:00:00.000Z";
  device.verdicts[0].metric = "torch/convolution/bf16/32x128x28x28x128x3:throughput";
  for (const int width : {60, 80, 100, 120}) {
    if (width > static_cast<int>(label.size())) device.label = label;  // which is not broken
    std::istringstream lines(draw(report, {false, false, width}));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
  }
}

TEST(Console, NoCellOfTheStackIsCutWhereNobodySetAWidth) {
  const std::string detail =
      "up to CUDA 13.0, /usr/lib/x86_64-linux-gnu/" + std::string(120, 'd') + "/libcuda.so.1";
  const std::vector<stack::Layer> layers{{"user-mode driver", "580.65.06", detail}};
  Terminal terminal;
  EXPECT_THAT(draw_stack(layers, terminal), Not(HasSubstr(detail)));
  terminal.measured = false;
  EXPECT_THAT(draw_stack(layers, terminal), HasSubstr(detail));
}

TEST(Console, SaysOneReasonOfManyMetricsOnce) {
  Report report;
  report.devices = {late_fault()};
  DeviceReport& device = report.devices.front();
  judge::Verdict verdict = device.verdicts.front();
  verdict.kind = VerdictKind::inconclusive;
  verdict.advisory = false;
  verdict.reason = "the baseline holds 1 round of it; verdicts need 5";
  device.verdicts.clear();
  for (const char* const metric : {"a:latency", "b:latency", "c:latency"}) {
    verdict.metric = metric;
    device.verdicts.push_back(verdict);
  }
  const std::string text = draw(report, {false, false, 120});
  const std::size_t first = text.find(verdict.reason);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(verdict.reason, first + 1), std::string::npos);
  EXPECT_THAT(text, HasSubstr("a:latency and 2 more\n"));
}

TEST(Summary, NamesWhatWasNotMeasured) {
  const std::vector<FamilyState> states = family_states(result::example_run());
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].family, "gemm");
  EXPECT_EQ(states[0].reason, "ended by SIGSEGV");
  EXPECT_EQ(states[0].benchmarks, 0);
  EXPECT_EQ(states[1].benchmarks, 1);
  EXPECT_THAT(states[1].skipped, testing::ElementsAre("host/triad/all_cores skipped: one processor only"));
}

TEST(Disturbance, IsSilentOnAQuietMachine) {
  EXPECT_EQ(disturbance(result::example_run()), "");
}

TEST(Disturbance, NamesThrottlingOtherWorkWaitingAndSteal) {
  result::Run run = result::example_run();
  run.processes.resize(1);
  run.processes[0].wall_seconds = 10;
  run.processes[0].host = {{"cgroup_throttled_periods", 44},
                           {"cgroup_throttled_seconds", 2.2},
                           {"other_cpu_seconds", 15},
                           {"pressure_cpu_seconds", 8},
                           {"steal_seconds", 1}};
  EXPECT_EQ(
      disturbance(run),
      "While it was measured: a control group throttled it in 44 periods, for 2.20 s in all; other work took "
      "1.5 "
      "processors on average; some thread waited for a processor 80.0% of the time; the hypervisor took 0.10 "
      "processors away on average.");
  run.processes[0].host = {{"pressure_cpu_seconds", 10.1}};
  EXPECT_EQ(disturbance(run), "While it was measured: some thread waited for a processor 100% of the time.");
}

TEST(Summary, ComparesWithTheEstimateAndNamesTheFamilyWhereThereAreSeveral) {
  result::Run run = result::example_run();
  const auto process = [&](const char* family, double wall, double expected) {
    result::Process made = run.processes[0];
    made.family = family;
    made.wall_seconds = wall;
    made.expected_seconds = expected;
    return made;
  };
  const auto shown = [&] { return draw(run, {false, false, 200}); };
  const result::Process host = process("host", 37, 9);
  run.processes = {host};
  EXPECT_THAT(shown(), HasSubstr("  Processes took 37 s, 9 s were estimated.\n"));
  run.processes = {host, process("gemm", 10, 10)};
  EXPECT_THAT(shown(), HasSubstr("  Processes took 47 s, 19 s were estimated; host 37 s instead of 9 s.\n"));
}

TEST(Console, ShowsProblemsBeforeTheTableAndTheVerdictLast) {
  const std::string text = draw(example(), {false, false, 120});
  const std::size_t problem = text.find("regressed  host/triad/one_core:bandwidth_mean");
  const std::size_t row = text.find("\n  host/triad/one_core:bandwidth_mean  ");
  ASSERT_NE(problem, std::string::npos) << text;
  ASSERT_NE(row, std::string::npos) << text;
  EXPECT_LT(problem, row);
  EXPECT_THAT(text, testing::EndsWith("regressed: 1 of 2 metrics\n"));
  EXPECT_THAT(text, HasSubstr("gemm (0 of 1 processes whole): ended by SIGSEGV"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Console, FamiliesThatShareAReasonShareAParagraph) {
  Report report = example();
  std::vector<result::Process>& processes = report.devices[0].rounds[0].processes;
  const auto fail = [&](const char* family, const char* reason) {
    result::Process made = processes.back();
    made.family = family;
    made.reason = reason;
    processes.push_back(made);
  };
  fail("cublas", "ended by SIGSEGV");
  fail("peak", "another");
  const std::string text = draw(report, {false, false, 200});
  EXPECT_THAT(text,
              HasSubstr("  families cublas (0 of 1 processes whole), gemm (0 of 1 processes whole): ended by "
                        "SIGSEGV\n"));
  EXPECT_THAT(text, HasSubstr("  family peak (0 of 1 processes whole): another\n"));
}

TEST(Console, AClassHasItsChangeAndVerdictAlsoWhereOneRowStandsForABenchmark) {
  Report report = example();
  report.devices[0].verdicts.push_back(verdict("class/host_memory", VerdictKind::ok, .034));
  for (const bool every_metric : {false, true}) {
    const std::string text = draw(report, {false, false, 120}, {every_metric});
    const std::size_t row = text.find("\n  class/host_memory ");
    ASSERT_NE(row, std::string::npos) << text;
    EXPECT_THAT(text.substr(row + 1, text.find('\n', row + 1) - row),
                testing::ContainsRegex("[+]3[.]4% .* ok"));
  }
}

TEST(Console, SaysWhyAMetricIsInDoubtThatDoesNotCount) {
  Report report = example();
  for (const char* metric : {"clocks/telemetry", "peak/a", "peak/b"}) {
    judge::Verdict unknown = verdict(metric, VerdictKind::inconclusive, 0);
    unknown.advisory = true;
    unknown.judge = judge::Judge::physical;
    unknown.reason = std::string(metric) == "clocks/telemetry" ? "no NVML" : "its peak is not known";
    report.devices[0].verdicts.push_back(unknown);
  }
  const std::string text = draw(report, {false, false, 120});
  EXPECT_THAT(text, HasSubstr("\n  clocks/telemetry: no NVML\n  peak/a, peak/b: its peak is not known\n"));
}

TEST(Console, OneWordForOneThing) {
  const std::string check = draw(example(), {false, false, 200});
  EXPECT_THAT(check, HasSubstr("range: largest minus smallest of the processes, relative to that median"));
  EXPECT_THAT(check, Not(HasSubstr("spread")));
  const std::string baseline = draw(std::vector<judge::Sensitivity>{{}}, {false, false, 200});
  EXPECT_THAT(baseline, HasSubstr("spread: standard deviation of a round's value"));
  EXPECT_THAT(baseline, Not(HasSubstr("range")));
}

TEST(Console, ARowIsOfOneMetric) {
  Report report = example();
  const auto row_of = [&](const std::string& name) {
    const std::string text = draw(report, {false, false, 120});
    const std::size_t row = text.find("\n  " + name + "  ");
    return row == std::string::npos ? text : text.substr(row + 1, text.find('\n', row + 1) - row - 1);
  };
  // The mean is what is slower: its own value, change and verdict, under its own name.
  EXPECT_THAT(
      row_of("host/triad/one_core:bandwidth_mean"),
      AllOf(HasSubstr("10.0 GB/s"), HasSubstr("12.5 GB/s"), HasSubstr("+25.0%"), HasSubstr("regressed")));
  EXPECT_THAT(draw(report, {false, false, 120}), Not(HasSubstr("\n  host/triad/one_core  ")));
  for (judge::Verdict& verdict : report.devices[0].verdicts) verdict.kind = judge::VerdictKind::ok;
  EXPECT_THAT(row_of("host/triad/one_core"), AllOf(HasSubstr("10.0 GB/s"), HasSubstr("ok")));
}

TEST(Console, AProductIsShownByItsRateAndAPeakByItsOperationsPerClock) {
  const auto shown = [](const std::string& benchmark, bool rate_is_judged) {
    Measured clock;
    clock.key = benchmark + ":flop_per_clock_per_sm";
    clock.benchmark = benchmark;
    clock.statistic = "median";
    clock.metric_class = "gemm16";
    clock.unit = "flop/clock";
    clock.value = 3708;
    Measured rate = clock;
    rate.key = benchmark + ":throughput";
    rate.unit = "flop/second";
    rate.value = 7e14;
    rate.judged = rate_is_judged;
    MetricTable table;
    table.measured = {clock, rate};
    return draw(table, {false, false, 120});
  };
  EXPECT_THAT(shown("cublas/bf16/lt/4096", true), HasSubstr("700 TFLOP/s"));
  EXPECT_THAT(shown("peak/bf16/wgmma", true), HasSubstr("3708 flop/clock"));
  EXPECT_THAT(shown("cublas/bf16/lt/4096", false), HasSubstr("3708 flop/clock"))
      << "what is judged goes first";
}

TEST(Console, ThatNoLimitIsKnownDoesNotHideWhatWasCompared) {
  MetricTable table;
  Measured copy;
  copy.key = "copy/d2h/pinned/256MiB:bandwidth";
  copy.benchmark = "copy/d2h/pinned/256MiB";
  copy.statistic = "median";
  copy.unit = "byte/second";
  copy.value = 5.5e10;
  copy.judged = true;
  table.measured = {copy};
  table.judged = true;
  judge::Verdict unknown;
  unknown.judge = judge::Judge::physical;
  unknown.kind = judge::VerdictKind::inconclusive;
  unknown.advisory = true;
  unknown.metric = copy.key;
  judge::Verdict compared;
  compared.judge = judge::Judge::baseline;
  compared.kind = judge::VerdictKind::ok;
  compared.metric = copy.key;
  table.verdicts = {unknown, compared};
  EXPECT_THAT(draw(table, {false, false, 120}), Not(HasSubstr("inconclusive")));
  table.verdicts = {unknown};
  EXPECT_THAT(draw(table, {false, false, 120}), HasSubstr("inconclusive"));
}

TEST(Console, ANarrowTerminalKeepsTheIdsReadable) {
  const std::string text = draw(example(), {false, false, 100});
  EXPECT_THAT(text, HasSubstr("  host/triad/one_core:bandwidth_mean  "));
}

TEST(Console, EveryMetricGetsARowWhenAsked) {
  const std::string text = draw(example(), {false, false, 120}, {true});
  EXPECT_THAT(text, HasSubstr("  host/triad/one_core:bandwidth  "));
  EXPECT_THAT(text, HasSubstr("  host/triad/one_core:bandwidth_mean  "));
}

TEST(Console, ForeignTextIsNotObeyed) {
  Report report = example();
  report.devices[0].label = "evil \x1b[2J";
  report.devices[0].verdicts[1].reason = "red \x1b[31m";
  EXPECT_THAT(draw(report, {false, false, 120}), Not(HasSubstr("\x1b")));
}

TEST(JsonReport, HoldsEveryVerdictAndMeasuredValue) {
  const auto json = nlohmann::json::parse(to_json(example()));
  EXPECT_EQ(json["schema"], report_schema);
  EXPECT_EQ(json["outcome"]["exit_code"], 1);
  EXPECT_EQ(json["devices"][0]["verdicts"].size(), 2U);
  EXPECT_EQ(json["devices"][0]["verdicts"][1]["verdict"], "regressed");
  EXPECT_DOUBLE_EQ(json["devices"][0]["verdicts"][1]["change"], .25);
  EXPECT_EQ(json["devices"][0]["measured"].size(), 2U);
}

TEST(Progress, SaysWhatRunsAndHowLong) {
  const ProgressState state{"round 1 of host", 2, 5, "host", 12, 20};
  EXPECT_EQ(progress_text(state, 100),
            "round 1 of host  [########............]  2/5  host  12 s, about 20 s left");
  EXPECT_EQ(progress_text(state, 60), "round 1 of host  2/5  host  12 s, about 20 s left")
      << "without its bar";
  EXPECT_EQ(progress_text(state, 40), "round 1 of host  2/5  host  12 s");
  EXPECT_EQ(progress_text(state, 31), "round 1 of host  2/5  host  12") << "whole words";
}

}  // namespace
}  // namespace gpugauge::report
