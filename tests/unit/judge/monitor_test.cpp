// What nights within the tolerance say together.
#include "judge/monitor.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/time.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string day(int number) {
  return fmt::format("2026-03-{:02}T02:00:00Z", number);
}

/// A metric's night: the slope of its evidence is 100, its cap ln 200.
WatchedNight night_at(double value, const std::string& benchmark = "memory/copy") {
  WatchedNight out;
  out.metric = benchmark + ":bandwidth";
  out.benchmark = benchmark;
  out.better = result::Direction::lower;
  out.value = value;
  out.tolerance = .04;
  out.watched = {.centre = 0, .spread = .02, .tolerance = .04};
  return out;
}

/// A night of that metric alone, of so many that are watched.
Night one(double value, int watched = 1) {
  return {{night_at(value)}, watched};
}

const WatchedSum& copy(const Monitor& monitor) {
  return monitor.at("memory/copy:bandwidth");
}

TEST(AddNight, SumsTheEvidenceUntilItReachesTheLimit) {
  Monitor monitor;
  const double limit = std::log(365);  // of one metric, 5.9
  // tau / s^2 (x - tau / 2) = 100 (.04 - .02) = 2
  EXPECT_THAT(add_night(monitor, day(1), one(.04)), IsEmpty());
  EXPECT_NEAR(copy(monitor).sum, 2, 1e-9);
  EXPECT_THAT(add_night(monitor, day(2), one(.03)), IsEmpty());
  EXPECT_NEAR(copy(monitor).sum, 3, 1e-9);
  const auto declines = add_night(monitor, day(3), one(.05));
  ASSERT_THAT(declines, SizeIs(1));
  EXPECT_GE(copy(monitor).sum, limit);
  EXPECT_EQ(declines[0].metric, "memory/copy:bandwidth");
  EXPECT_EQ(declines[0].benchmark, "memory/copy");
  EXPECT_EQ(declines[0].since, day(1));
  EXPECT_EQ(declines[0].nights, 3);
  EXPECT_NEAR(declines[0].change, std::expm1(.04), 1e-9) << "the mean of .04, .03 and .05 on the scale";
  EXPECT_EQ(declines[0].tolerance, .04);
}

TEST(AddNight, OneBadNightNeverAlarms) {
  Monitor monitor;
  EXPECT_THAT(add_night(monitor, day(1), one(10)), IsEmpty());
  EXPECT_NEAR(copy(monitor).sum, std::log(200), 1e-9);
}

TEST(AddNight, GoodNightsEndTheSumAndWhatItKnewOfTheShift) {
  Monitor monitor;
  add_night(monitor, day(1), one(.04));
  EXPECT_THAT(add_night(monitor, day(2), one(0)), IsEmpty());
  EXPECT_EQ(copy(monitor).sum, 0);
  EXPECT_EQ(copy(monitor).nights, 0);
  add_night(monitor, day(3), one(.04));
  EXPECT_EQ(copy(monitor).since, day(3));
  EXPECT_EQ(copy(monitor).nights, 1);
}

TEST(AddNight, AMendedFaultIsForgottenInDays) {
  Monitor monitor;
  for (int night = 1; night <= 20; ++night) add_night(monitor, day(night), one(.06));
  EXPECT_NEAR(copy(monitor).sum, 2 * std::log(365), 1e-9) << "however long it lasted";
  int nights = 20;
  while (copy(monitor).sum > 0 && nights < 28) add_night(monitor, day(++nights), one(0));
  EXPECT_LE(nights, 26);
}

TEST(AddNight, AnHourIsOneNightsEvidence) {
  Monitor monitor;
  add_night(monitor, "2026-03-01T02:00:00Z", one(.04));
  EXPECT_THAT(add_night(monitor, "2026-03-01T13:59:00Z", one(.9)), IsEmpty());
  EXPECT_NEAR(copy(monitor).sum, 2, 1e-9);
  EXPECT_EQ(copy(monitor).last, "2026-03-01T02:00:00Z");
  add_night(monitor, "2026-03-01T14:00:00Z", one(.04));
  EXPECT_NEAR(copy(monitor).sum, 4, 1e-9);
}

TEST(AddNight, AClockThatWasSetBackAddsNoNightAndStopsNone) {
  Monitor monitor;
  add_night(monitor, "2026-03-01T02:00:00Z", one(.04));
  add_night(monitor, "2026-02-28T14:05:00Z", one(.04));
  add_night(monitor, "2026-02-28T14:00:00Z", one(.04));
  EXPECT_NEAR(copy(monitor).sum, 2, 1e-9) << "minutes later, or half a day earlier: who knows";
  EXPECT_EQ(copy(monitor).last, "2026-02-28T14:00:00Z");
  add_night(monitor, "2026-03-01T02:00:00Z", one(.04));
  EXPECT_NEAR(copy(monitor).sum, 4, 1e-9);
  add_night(monitor, "2025-12-31T02:00:00Z", one(.03));
  EXPECT_NEAR(copy(monitor).sum, 4, 1e-9);
  add_night(monitor, "2026-01-01T02:00:00Z", one(.04));
  EXPECT_THAT(add_night(monitor, "2026-01-01T03:00:00Z", one(0)), SizeIs(1))
      << "whoever asks again is told again, and nothing is added";
  EXPECT_EQ(copy(monitor).nights, 3);
}

TEST(AddNight, ANightIsAMetricsOwn) {
  Monitor monitor;
  add_night(monitor, day(1), {{night_at(.04), night_at(.04, "memory/read")}, 2});
  // A narrowed check at noon takes no night from what it does not measure.
  add_night(monitor, "2026-03-01T15:00:00Z", one(.04, 2));
  add_night(monitor, day(2), {{night_at(.04), night_at(.04, "memory/read")}, 2});
  EXPECT_NEAR(copy(monitor).sum, 4, 1e-9) << "eleven hours after noon";
  EXPECT_NEAR(monitor.at("memory/read:bandwidth").sum, 4, 1e-9);
}

TEST(AddNight, TheLimitIsThatOfAllThatIsWatchedHoweverFewAreMeasured) {
  Monitor monitor;
  int nights = 0;
  while (add_night(monitor, day(++nights), one(.04, 150)).empty()) ASSERT_LT(nights, 20);
  EXPECT_EQ(nights, 6) << "2 a night, and ln(365 150) is 10.9";
}

TEST(Confirm, KeepsWhatAnotherRoundShowsToo) {
  std::vector<Decline> found;
  Monitor monitor;
  for (int night = 1; found.empty(); ++night) found = add_night(monitor, day(night), one(.04));
  confirm(found, Night{});
  ASSERT_THAT(found, SizeIs(1)) << "not measured";
  EXPECT_FALSE(found[0].again);
  std::vector<Decline> refuted = found;
  confirm(refuted, one(.013));
  EXPECT_THAT(refuted, IsEmpty()) << "a third of the tolerance is .0133";
  confirm(found, one(.02));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(*found[0].again, std::expm1(.02), 1e-9);
  confirm(found, one(0));
  EXPECT_THAT(found, SizeIs(1)) << "the first round that measured it has decided";
}

/// Nights of metrics whose rounds spread by .33 to 1.3%, against a baseline of ten rounds, all from the same noise. The
/// share of metrics of which the monitor alarms within these nights, and another round confirms.
double told(int nights, double shift, std::uint64_t seed) {
  constexpr std::size_t metrics = 150;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<double> spread;
  std::vector<Series> series(metrics);
  for (std::size_t m = 0; m < metrics; ++m) {
    spread.push_back(.0033 * std::pow(4, static_cast<double>(m) / metrics));
    series[m].tolerance = .03;
    for (int k = 0; k < 10; ++k) series[m].rounds.push_back({spread[m] * normal(engine)});
  }
  const Calibration calibration = calibrate(series, {});
  const auto round = [&] {
    Night out;
    for (std::size_t m = 0; m < metrics; ++m)
      if (can_be_watched(calibration.scales[m]))
        out.metrics.push_back({std::to_string(m), "b", result::Direction::lower,
                               shift + spread[m] * normal(engine) - calibration.scales[m].centre, .03,
                               watched_of(calibration.scales[m], calibration.contamination)});
    out.watched = static_cast<int>(out.metrics.size());
    return out;
  };
  Monitor monitor;
  std::set<std::string> found;
  for (int night = 0; night < nights; ++night) {
    auto declines = add_night(monitor, result::utc_text(1.75e9 + 86400.0 * night), round());
    confirm(declines, round());
    for (const Decline& decline : declines) found.insert(decline.metric);
  }
  return static_cast<double>(found.size()) / metrics;
}

TEST(Monitor, TellsOfAboutOneHealthyMetricAYearAndOfTwoPercentInAWeekOrTwo) {
  double in_health = 0;
  for (std::uint64_t year = 0; year < 10; ++year) in_health += told(365, 0, year) * 150 / 10;
  EXPECT_LT(in_health, 2);
  const double week = told(7, .02, 1);
  const double two_months = told(60, .02, 2);
  const double half = told(60, .01, 3);
  EXPECT_GT(week, .4);
  EXPECT_GT(two_months, .9) << "of all, those that are too noisy to be watched among them";
  EXPECT_LT(half, .2) << "less than half of the tolerance";
  RecordProperty("healthy_metrics_a_year", std::to_string(in_health));
  RecordProperty("two_percent", std::to_string(week) + " " + std::to_string(two_months));
  RecordProperty("one_percent", std::to_string(half));
}

TEST(NightOf, MeasuresFromTheBaselinesCentre) {
  const baseline::Baseline baseline = make_baseline(10);
  const Night night = night_of(make_run(500, {.triad = 1.05}), baseline, {});
  ASSERT_THAT(night.metrics, SizeIs(3)) << "the three metrics of the runs";
  EXPECT_EQ(night.watched, 3);
  for (const WatchedNight& one : night.metrics) {
    EXPECT_THAT(one.value, DoubleNear(one.metric == triad ? std::log(1.05) : 0, .01)) << one.metric;
    EXPECT_GT(one.watched.spread, 0) << one.metric;
    EXPECT_GT(one.watched.tolerance, 0) << one.metric;
    EXPECT_EQ(one.watched.centre, 0);
  }
}

TEST(NightOf, LooksAtNothingThatReachesNoVerdict) {
  const result::Run round = make_run(500);
  EXPECT_THAT(night_of(round, make_baseline(4), {}).metrics, IsEmpty()) << "too few rounds";
  baseline::Baseline foreign = make_baseline(10);
  foreign.other_node = true;
  EXPECT_THAT(night_of(round, foreign, {}).metrics, IsEmpty()) << "healthy nodes differ, every night";
  result::Run narrowed = round;
  for (result::Process& process : narrowed.processes) process.samples->benchmarks.resize(1);
  const Night some = night_of(narrowed, make_baseline(10), {});
  EXPECT_THAT(some.metrics, SizeIs(1));
  EXPECT_EQ(some.watched, 3) << "the limit is of all";
  baseline::Baseline young = make_baseline(10);
  for (result::Run& run : young.runs) {
    run.boot_id = "one";
    run.started = day(1);
  }
  EXPECT_THAT(night_of(round, young, {}).metrics, IsEmpty()) << "provisional";
  Policy policy;
  policy.metrics = {{triad, {}, true, "known"}};
  EXPECT_THAT(night_of(round, make_baseline(10), policy).metrics,
              Not(Contains(Field(&WatchedNight::metric, triad))));
}

TEST(NightOf, WhatWasAcceptedIsNoShift) {
  baseline::Baseline baseline = make_baseline(10);
  const auto value_of_triad = [&] {
    for (const WatchedNight& one : night_of(make_run(500, {.triad = 1.2}), baseline, {}).metrics)
      if (one.metric == triad) return one.value;
    return -1.0;
  };
  const double before = value_of_triad();
  EXPECT_NEAR(before, std::log(1.2), .01);
  baseline::LogEntry entry;
  entry.time = "2025-12-31T00:00:00Z";
  entry.accepted = {.metric = triad,
                    .unit = "byte/second",
                    .old_value = 2e10,
                    .new_value = 2e10 / 1.2,
                    .run_id = "R",
                    .expires = ""};
  baseline.log.push_back(entry);
  EXPECT_NEAR(value_of_triad(), 0, .02);
}

}  // namespace
}  // namespace gpugauge::judge
