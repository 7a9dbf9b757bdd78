// The course of a device's rounds: what is drawn of its telemetry.
#include "report/over_time.hpp"

#include <gmock/gmock.h>

#include "report/page_data.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Moments = std::vector<Moment>;

constexpr const char* gpu_of_time = "GPU-0";

result::Series telemetry_of(const char* name, const char* unit, std::vector<double> seconds,
                            std::vector<double> values) {
  return {std::string("gpu:") + gpu_of_time, name, unit, std::move(seconds), std::move(values)};
}

result::Run round_with(std::vector<result::Series> telemetry) {
  result::Run run;
  run.device = gpu_of_time;
  run.wall_seconds = 10;
  run.telemetry = std::move(telemetry);
  return run;
}

result::Process process_of(const char* family, double start, double wall) {
  result::Process process;
  process.family = family;
  process.start_seconds = start;
  process.wall_seconds = wall;
  return process;
}

TEST(Thinned, LeavesWhatIsShortEnough) {
  const Moments moments{{0, 5}, {1, 7}, {2, 6}};
  EXPECT_EQ(thinned(moments, 3), moments);
  EXPECT_THAT(thinned({}, 2), IsEmpty());
}

TEST(Thinned, KeepsTheLowestAndTheHighestOfEachGroupInTheirOrder) {
  const Moments moments{{0, 5}, {1, 9}, {2, 1}, {3, 5}, {4, 4}, {5, 6}, {6, 5}, {7, 5}};
  EXPECT_EQ(thinned(moments, 4), (Moments{{1, 9}, {2, 1}, {4, 4}, {5, 6}}));
  EXPECT_EQ(thinned(moments, 2), (Moments{{1, 9}, {2, 1}}));
  EXPECT_EQ(thinned(moments, 5), thinned(moments, 4)) << "an odd number rounds down";
}

TEST(Thinned, AFlatLineKeepsBothEndsOfEachGroup) {
  const Moments moments{{0, 5}, {1, 5}, {2, 5}, {3, 5}, {4, 5}, {5, 5}};
  EXPECT_EQ(thinned(moments, 4), (Moments{{0, 5}, {2, 5}, {3, 5}, {5, 5}}));
}

TEST(OverTime, OfNoRoundAndOfNoTelemetryThereIsNothing) {
  EXPECT_THAT(over_time({}).rounds, IsEmpty());
  result::Run run = round_with({{"host", "load1", "1", {0, 1}, {1, 2}}});
  EXPECT_THAT(over_time({&run, 1}).quantities, IsEmpty());
  EXPECT_TRUE(page_time({run}).is_null());
}

TEST(OverTime, AnotherGpuIsNotDrawn) {
  result::Run run = round_with({telemetry_of("power_watts", "watt", {0, 1}, {100, 200})});
  run.telemetry.push_back({"gpu:GPU-1", "power_watts", "watt", {0, 1}, {700, 700}});
  const OverTime time = over_time({&run, 1});
  ASSERT_EQ(time.quantities.size(), 1U);
  EXPECT_EQ(time.quantities[0].title, "Power");
  EXPECT_EQ(time.quantities[0].highest, 200);
}

TEST(OverTime, RoundsStandOneBehindAnother) {
  result::Run first = round_with({telemetry_of("sm_clock_hz", "hertz", {0, 4}, {1e9, 3e9})});
  first.processes = {process_of("gemm", 1, 4), process_of("copy", 5, 2), process_of("gemm", 7, 2)};
  first.fingerprint.device = {{"gpu.0.uuid", gpu_of_time}};
  first.fingerprint.settings = {{"gpu.0.power_limit_watt", "700"}};
  result::Run second = round_with({telemetry_of("sm_clock_hz", "hertz", {0.5}, {2e9})});
  second.round = 2;
  second.processes = {process_of("copy", 0, 3)};
  const OverTime time = over_time(std::vector{first, second});
  ASSERT_EQ(time.rounds.size(), 2U);
  EXPECT_EQ(time.rounds[0].span, (Span{0, 10}));
  EXPECT_EQ(time.rounds[0].power_limit_watt, 700);
  EXPECT_EQ(time.rounds[1].span, (Span{10, 20}));
  EXPECT_EQ(time.rounds[1].power_limit_watt, 0) << "not known";
  ASSERT_EQ(time.families.size(), 2U);
  EXPECT_EQ(time.families[0].family, "gemm");
  EXPECT_THAT(time.families[0].spans, ElementsAre(Span{1, 5}, Span{7, 9}));
  EXPECT_THAT(time.families[1].spans, ElementsAre(Span{5, 7}, Span{10, 13}));
  ASSERT_EQ(time.quantities.size(), 1U);
  const Quantity& clock = time.quantities[0];
  EXPECT_THAT(clock.rounds, ElementsAre(Moments{{0, 1e9}, {4, 3e9}}, Moments{{10.5, 2e9}}));
  EXPECT_EQ(clock.unit, "hertz");
  EXPECT_EQ(clock.lowest, 1e9);
  EXPECT_EQ(clock.median, 2e9);
  EXPECT_EQ(clock.highest, 3e9);
  EXPECT_EQ(clock.samples, 3U);
  const auto data = page_time({first, second});
  EXPECT_EQ(data["quantities"][0]["points"],
            nlohmann::ordered_json::parse(
                "[[0.0, 1000000000.0], [4.0, 3000000000.0], [10.5, null], [10.5, 2000000000.0]]"));
  EXPECT_EQ(data["rounds"][0]["power_limit"], 700);
  EXPECT_TRUE(data["rounds"][1]["power_limit"].is_null());
}

TEST(OverTime, BenchmarksHaveTheirOwnTimeWhereTheProcessTellsIt) {
  result::Run first = round_with({telemetry_of("sm_clock_hz", "hertz", {0}, {1e9})});
  first.processes = {process_of("gemm", 1, 8)};
  result::Samples samples;
  samples.benchmarks.resize(3);
  samples.benchmarks[0].id = "gemm/a";
  samples.benchmarks[0].timeline = result::Timeline{0.5, 1, 2, 3};
  samples.benchmarks[1].id = "gemm/own";
  samples.benchmarks[1].timeline = result::Timeline{3, std::nullopt, std::nullopt, 5};
  samples.benchmarks[2].id = "gemm/untold";
  first.processes[0].samples = samples;
  result::Run second = round_with({});
  second.processes = {process_of("gemm", 2, 5)};
  second.processes[0].samples = samples;
  const OverTime time = over_time(std::vector{first, second});
  ASSERT_EQ(time.families.size(), 1U);
  EXPECT_THAT(time.families[0].benchmarks,
              ElementsAre(testing::Pair("gemm/a", ElementsAre(Span{2, 3}, Span{13, 14})),
                          testing::Pair("gemm/own", ElementsAre(Span{4, 6}, Span{15, 17}))));
  EXPECT_EQ(page_time({first, second}).at("families").at(0).at("benchmarks").at(1).dump(),
            R"({"label":"gemm/own","spans":[[4.0,6.0],[15.0,17.0]]})");
}

TEST(OverTime, ARunThatWasKilledIsShownAsFarAsItGoes) {
  result::Run run = round_with({telemetry_of("temperature_celsius", "celsius", {0, 1, 2}, {40, 45, 50}),
                                telemetry_of("throttle_reasons", "1", {0, 1, 2}, {0, 0, 4})});
  run.complete = false;
  run.wall_seconds = 0;
  run.processes = {process_of("gemm", 0.5, 0)};
  run.processes[0].status = result::Status::interrupted;
  const OverTime time = over_time({&run, 1});
  EXPECT_EQ(time.rounds[0].span, (Span{0, 2}));
  EXPECT_THAT(time.families[0].spans, ElementsAre(Span{0.5, 0.5}));
  EXPECT_EQ(time.quantities[0].samples, 3U);
  EXPECT_THAT(time.reasons[0].spans, ElementsAre(Span{2, 2}));
}

TEST(OverTime, ReasonsAreMarkedWhereTheyWereSeenAndRestIsNone) {
  // 1 is rest, 4 the power limit, 64 heat.
  result::Run run = round_with(
      {telemetry_of("power_watts", "watt", {0}, {100}),
       telemetry_of("throttle_reasons", "1", {0, .5, 1, 1.5, 5, 5.5, 6}, {1, 4, 4, 0, 4 + 64, 0, -1})});
  const OverTime time = over_time({&run, 1});
  ASSERT_EQ(time.reasons.size(), 2U);
  EXPECT_EQ(time.reasons[0].word, "sw_power_cap");
  EXPECT_FALSE(time.reasons[0].fault);
  EXPECT_EQ(time.reasons[0].samples, 3U);
  EXPECT_EQ(time.reasons[0].of, 7U);
  EXPECT_THAT(time.reasons[0].spans, ElementsAre(Span{.5, 1.5}, Span{5, 5.5}));
  EXPECT_EQ(time.reasons[1].word, "hw_thermal");
  EXPECT_TRUE(time.reasons[1].fault);
  EXPECT_THAT(time.reasons[1].spans, ElementsAre(Span{5, 5.5}));
  run.telemetry[1].values = {4, 4, 4, 0, 0, 0, 4};
  EXPECT_THAT(over_time({&run, 1}).reasons[0].spans, ElementsAre(Span{0, 1.5}, Span{6, 7}))
      << "what telemetry did not see for longer than a second is not known";
}

TEST(OverTime, ManyLongRoundsStaySmall) {
  std::vector<double> seconds, values, masks;
  for (int i = 0; i < 20'000; ++i) {
    seconds.push_back(.5 * i);
    values.push_back(1e9 + i % 997);
    masks.push_back(i % 4 < 2 ? 4 : 0);
  }
  result::Run run = round_with({});
  for (const char* name :
       {"sm_clock_hz", "power_watts", "temperature_celsius", "memory_temperature_celsius", "utilization"})
    run.telemetry.push_back(telemetry_of(name, "1", seconds, values));
  run.telemetry.push_back(telemetry_of("throttle_reasons", "1", seconds, masks));
  const std::vector<result::Run> rounds(20, run);
  const OverTime time = over_time(rounds);
  EXPECT_EQ(time.rounds.size(), most_rounds_over_time);
  EXPECT_EQ(time.left_out, 20 - most_rounds_over_time);
  std::size_t points = 0;
  for (const std::vector<Moment>& round : time.quantities[0].rounds) points += round.size();
  EXPECT_LE(points, most_moments);
  EXPECT_EQ(time.quantities[0].highest, 1e9 + 996) << "of all samples";
  EXPECT_LE(time.reasons[0].spans.size(), 301U);
  EXPECT_LT(page_time(rounds).dump().size(), 120'000U);
  EXPECT_LT(page_time({run}).dump().size(), 120'000U);
}

}  // namespace
}  // namespace gpugauge::report
