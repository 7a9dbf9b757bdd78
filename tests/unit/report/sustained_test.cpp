// What reports say of a benchmark under a long load.
#include "report/sustained.hpp"

#include <gmock/gmock.h>

#include "report/console.hpp"
#include "report/digest.hpp"
#include "report/page_data.hpp"

namespace gpugauge::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

result::Metric metric_named(const char* name, const char* unit, double value) {
  result::Metric out;
  out.name = name;
  out.unit = unit;
  out.metric_class = "gemm16";
  out.statistic = "mean";
  out.value = value;
  return out;
}

/// Four seconds, two batches each; an operation is 100e12 operations of floating point.
result::BenchmarkResult gemm_of_four_seconds() {
  result::BenchmarkResult out;
  out.id = "sustained/gemm";
  out.work = {0, 100e12, 0};
  out.notes = {{"rate_per_second", "6.4e+14 6.3e+14 6.2e+14 6.1e+14"},
               {"sm_clock_mhz_per_second", "1410 1350 0 1290"},
               {"modes", "one"}};
  out.metrics = {metric_named("mean", "flop/second", 6.25e14), metric_named("last_over_first", "1", .95625),
                 metric_named("spread", "1", .03), metric_named("sm_clock_first_second", "hertz", 1.41e9),
                 metric_named("sm_clock_last_second", "hertz", 1.29e9)};
  out.batches.operations_per_batch = 3;
  out.batches.seconds_per_operation = {.16, .16, .16, .16, .16, .16, .16, .2};
  out.batches.window_seconds = 4;
  return out;
}

/// Ten seconds, of which the benchmark surely had those from 6 to 9: two are not known.
result::Run run_of_gemm() {
  result::Run run;
  run.device = "GPU-0";
  run.complete = true;
  run.wall_seconds = 12;
  run.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}};
  run.fingerprint.settings = {{"gpu.0.power_limit_watt", "700"}};
  result::Process process;
  process.family = "sustained";
  process.start_seconds = 5;
  process.wall_seconds = 5;
  process.samples = result::Samples{};
  process.samples->family = "sustained";
  process.samples->benchmarks = {gemm_of_four_seconds()};
  run.processes = {process};
  const std::vector<double> seconds{4, 5, 6, 7, 8, 9, 10};
  run.telemetry = {{"gpu:GPU-0", "temperature_celsius", "celsius", seconds, {40, 50, 62, 70, 80, 81, 60}},
                   {"gpu:GPU-0", "power_watts", "watt", seconds, {100, 300, 690, 698, 698, 699, 200}}};
  return run;
}

TEST(Sustained, IsTheFirstAndTheLastSecondAndWhatTheGpuDid) {
  const result::Run run = run_of_gemm();
  const std::vector<Sustained> found = sustained({&run, 1});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].unit, "flop/second");
  EXPECT_DOUBLE_EQ(found[0].rate.first, 6.4e14);
  EXPECT_DOUBLE_EQ(found[0].rate.last, 6.12e14) << "by the ratio that is judged";
  EXPECT_EQ(found[0].temperature_celsius, (FirstLast{62, 81}));
  EXPECT_EQ(found[0].power_watt, 698);
  EXPECT_EQ(
      sentence(found[0]),
      "sustained/gemm: 4 s, first second 640 TFLOP/s, last 612 (-4.4%); SM clock 1.41 to 1.29 GHz, 62 to "
      "81 C, power 698 of 700 W");
}

TEST(Sustained, HasAPointASecondAndItsSlowestAndFastestBatch) {
  const result::Run run = run_of_gemm();
  const std::vector<SustainedPoint> points = sustained({&run, 1})[0].points;
  // 1.32 s of the GPU: the seventh batch begins in the third quarter of it and has its middle in the fourth.
  EXPECT_THAT(points, ElementsAre(SustainedPoint{.5, 6.4e14, 6.25e14, 6.25e14, 1.41e9},
                                  SustainedPoint{1.5, 6.3e14, 6.25e14, 6.25e14, 1.35e9},
                                  SustainedPoint{2.5, 6.2e14, 6.25e14, 6.25e14, std::nullopt},
                                  SustainedPoint{3.5, 6.1e14, 5e14, 6.25e14, 1.29e9}));
}

// Of four seconds the second and the third are pauses: the eight batches belong to the other two, four each.
TEST(Sustained, SecondsInWhichNothingRanAreSaidAndDrawnAsZero) {
  result::Run run = run_of_gemm();
  result::BenchmarkResult& gemm = run.processes[0].samples->benchmarks[0];
  gemm.notes["rate_per_second"] = "6.4e+14 0 0 6.1e+14";
  gemm.notes["sm_clock_mhz_per_second"] = "1410 0 0 1290";
  gemm.batches.seconds_per_operation = {.16, .16, .16, .16, .16, .16, .16, .16};
  const Sustained found = sustained({&run, 1})[0];
  EXPECT_EQ(found.idle_seconds, 2);
  EXPECT_THAT(sentence(found),
              HasSubstr("4 s, first second 640 TFLOP/s, last 612 (-4.4%); nothing ran for 2 s; SM clock"));
  EXPECT_THAT(found.points,
              ElementsAre(SustainedPoint{.5, 6.4e14, 6.25e14, 6.25e14, 1.41e9}, SustainedPoint{1.5, 0},
                          SustainedPoint{2.5, 0}, SustainedPoint{3.5, 6.1e14, 6.25e14, 6.25e14, 1.29e9}));
  EXPECT_EQ(page_sustained({run})[0]["points"][1].dump(), "[1.5,0.0,null,null,null]");
  gemm.notes["rate_per_second"] = "0 6.4e+14 6.1e+14 0";
  gemm.metrics.resize(1);
  EXPECT_EQ(sustained({&run, 1})[0].rate, (FirstLast{6.4e14, 6.1e14})) << "of what ran";
}

TEST(Sustained, APointOfSeveralSecondsHoldsThePauseInIts) {
  result::Run run = run_of_gemm();
  result::BenchmarkResult& gemm = run.processes[0].samples->benchmarks[0];
  std::string rates = "0";
  for (int second = 1; second < 480; ++second) rates += " 6e+14";
  gemm.notes["rate_per_second"] = rates;
  gemm.batches.window_seconds = 480;
  const Sustained found = sustained({&run, 1})[0];
  EXPECT_EQ(found.points[0].rate, 3e14);
  EXPECT_EQ(found.points[1].rate, 6e14);
}

TEST(Sustained, WhatTheFileLacksIsLeftOut) {
  result::Run run = run_of_gemm();
  run.telemetry.clear();
  run.fingerprint.settings.clear();
  result::BenchmarkResult& gemm = run.processes[0].samples->benchmarks[0];
  gemm.metrics.resize(2);
  gemm.notes.erase("sm_clock_mhz_per_second");
  gemm.batches.seconds_per_operation.clear();
  const std::vector<Sustained> found = sustained({&run, 1});
  EXPECT_EQ(sentence(found[0]), "sustained/gemm: 4 s, first second 640 TFLOP/s, last 612 (-4.4%)");
  EXPECT_EQ(found[0].points[0], (SustainedPoint{.5, 6.4e14, std::nullopt, std::nullopt, std::nullopt}));
  gemm.metrics.resize(1);
  EXPECT_EQ(sentence(sustained({&run, 1})[0]),
            "sustained/gemm: 4 s, first second 640 TFLOP/s, last 610 (-4.7%)")
      << "then the last whole second";
  gemm.notes["rate_per_second"] = "6.4e+14 nonsense";
  EXPECT_THAT(sustained({&run, 1}), IsEmpty());
  gemm.notes["rate_per_second"] = "-1 6.4e+14";
  EXPECT_THAT(sustained({&run, 1}), IsEmpty());
  gemm.notes["rate_per_second"] = "0 0";
  EXPECT_THAT(sustained({&run, 1}), IsEmpty());
  gemm.notes.erase("rate_per_second");
  EXPECT_THAT(sustained({&run, 1}), IsEmpty());
}

TEST(Sustained, WhatStoppedOrWasNotMeasuredHasNoCourse) {
  result::Run run = run_of_gemm();
  run.processes[0].samples->benchmarks[0].status = result::Status::failed;
  EXPECT_THAT(sustained({&run, 1}), IsEmpty());
  run.processes[0].samples.reset();
  EXPECT_THAT(sustained({&run, 1}), IsEmpty());
}

TEST(Sustained, ATimelineTellsTheWindow) {
  result::Process process;
  process.start_seconds = 10;
  process.wall_seconds = 130;
  process.samples = result::Samples{};
  process.samples->benchmarks.resize(2);
  process.samples->benchmarks[1].batches.window_seconds = 60;
  process.samples->benchmarks[1].timeline = result::Timeline{3, 5, 66, 70};
  EXPECT_EQ(surely_within(process, 1), (FirstLast{16, 76}));
  process.samples->benchmarks[1].timeline->timed = 40;
  EXPECT_EQ(surely_within(process, 1), (FirstLast{10, 50})) << "never before the process";
}

TEST(Sustained, OnlyWhatSurelyLayWithinTheWindowCounts) {
  result::Process process;
  process.start_seconds = 10;
  process.wall_seconds = 130;
  EXPECT_EQ(surely_within(process, 0), std::nullopt);
  process.samples = result::Samples{};
  process.samples->benchmarks.resize(3);
  process.samples->benchmarks[0].batches.window_seconds = 60;
  process.samples->benchmarks[2].batches.window_seconds = 61;
  // Nine seconds are not known: each window began up to nine seconds later than at once.
  EXPECT_EQ(surely_within(process, 0), (FirstLast{19, 70}));
  EXPECT_EQ(surely_within(process, 1), std::nullopt);
  EXPECT_EQ(surely_within(process, 2), (FirstLast{79, 131}));
  EXPECT_EQ(surely_within(process, 3), std::nullopt);
  process.wall_seconds = 190;
  EXPECT_EQ(surely_within(process, 0), std::nullopt) << "the time that is not known is longer";
  process.wall_seconds = 100;
  EXPECT_EQ(surely_within(process, 0), (FirstLast{10, 70})) << "clocks differ: never before the start";
  process.wall_seconds = 50;
  EXPECT_EQ(surely_within(process, 0), (FirstLast{10, 60})) << "and never behind the end";
}

TEST(Sustained, OfSeveralTheWorst) {
  const result::Run run = run_of_gemm();
  result::Run worse = run;
  worse.processes[0].samples->benchmarks[0].metrics[1].value = .9;
  const std::vector<Sustained> found = sustained(std::vector{run, worse, run});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(sentence(found[0]),
              HasSubstr("sustained/gemm, the worst of 3: 4 s, first second 640 TFLOP/s, last 576 (-10.0%)"));
}

TEST(Sustained, TwoModesAndASteadyCourseAreSaid) {
  result::Run run = run_of_gemm();
  result::BenchmarkResult& gemm = run.processes[0].samples->benchmarks[0];
  gemm.metrics[1].value = 1.0002;
  gemm.metrics[4].value = gemm.metrics[3].value;
  gemm.metrics[2].note = "two modes, 4.1% apart, 30% of the batches in the smaller one";
  gemm.notes["modes"] = "two";
  run.telemetry[0].values.assign(7, 62.2);
  run.fingerprint.settings.clear();
  EXPECT_EQ(
      sentence(sustained({&run, 1})[0]),
      "sustained/gemm: 4 s, first second 640 TFLOP/s, last 640 (same); two modes, 4.1% apart, 30% of the "
      "batches in the smaller one; SM clock 1.41 GHz, 62 C, power 698 W");
  gemm.notes["rate_per_second"] = "9.9e+14 1.1e+15";
  gemm.metrics[1].value = 1.1e15 / 9.9e14;
  EXPECT_THAT(sentence(sustained({&run, 1})[0]),
              HasSubstr("first second 990 TFLOP/s, last 1.10 PFLOP/s (+11.1%)"));
}

TEST(Sustained, AnHourHasNoMorePointsThanAPictureShows) {
  result::Run run = run_of_gemm();
  result::BenchmarkResult& gemm = run.processes[0].samples->benchmarks[0];
  std::string rates;
  for (int second = 0; second < 3600; ++second) rates += second == 0 ? "6e+14" : " 6e+14";
  gemm.notes["rate_per_second"] = rates;
  gemm.batches.window_seconds = 3600;
  const std::vector<SustainedPoint> points = sustained({&run, 1})[0].points;
  EXPECT_THAT(points, SizeIs(most_sustained_points));
  EXPECT_DOUBLE_EQ(points[0].seconds, 7.5);
  EXPECT_DOUBLE_EQ(points[0].rate, 6e14);
  EXPECT_LT(page_sustained({run}).dump().size(), 20'000U);
}

TEST(Sustained, StandsBelowTheTableAndInMarkdown) {
  Report report;
  DeviceReport device;
  device.label = device.selection = "GPU-0";
  device.rounds = {run_of_gemm()};
  report.devices = {device};
  Terminal wide;
  wide.width = 200;
  const char* const text = "first second 640 TFLOP/s, last 612 (-4.4%); SM clock 1.41 to 1.29 GHz";
  EXPECT_THAT(draw(report, wide), HasSubstr(std::string("\n  sustained/gemm: 4 s, ") + text));
  EXPECT_THAT(draw(device.rounds[0], wide), HasSubstr(text));
  EXPECT_THAT(markdown_text(&report),
              HasSubstr("\n- sustained/gemm: 4 s, first second 640 TFLOP/s, last 612"));
  report.devices[0].rounds[0].processes.clear();
  EXPECT_THAT(draw(report, wide), Not(HasSubstr("first second")));
}

}  // namespace
}  // namespace gpugauge::report
