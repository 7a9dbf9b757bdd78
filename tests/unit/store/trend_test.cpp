// Series, their changes and what changed there.
#include "store/trend.hpp"

#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include "unit/store/histories.hpp"

namespace gpugauge::store {
namespace {

using ::testing::DoubleNear;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Alternates by .1% around each level, so that there is a noise.
Series series(const std::vector<std::pair<int, double>>& levels) {
  Series out;
  out.device = {1, "node-1", "GPU-1"};
  out.metric = {
      1, {"memory/triad/a:bandwidth", "memory/triad/a", "hbm", "byte/second", result::Direction::higher}};
  out.profile = "quick";
  for (const auto& [runs, level] : levels)
    for (int i = 0; i < runs; ++i) {
      const auto at = static_cast<int>(out.points.size());
      out.points.push_back({fmt::format("2026-01-{:02}T03:00:00Z", at + 1), fmt::format("run-{}", at),
                            "quick", 1, level * (at % 2 == 0 ? 1.001 : .999)});
    }
  return out;
}

class Fingerprints {
 public:
  Fingerprints() {
    known_[1] = test::facts("570.86");
    known_[2] = test::facts("580.65");
  }
  result::Fingerprint& operator[](std::int64_t id) { return known_[id]; }
  Facts look_up() const {
    return [this](std::int64_t id) -> const result::Fingerprint& { return known_.at(id); };
  }

 private:
  std::map<std::int64_t, result::Fingerprint> known_;
};

/// As `history changes` gathers them: none of the series stays.
Events told(const std::vector<Trend>& trends) {
  Events out;
  for (const Trend& trend : trends) out.add(trend);
  return out;
}

void upgrade_at(Series& of, std::size_t run, std::int64_t to = 2) {
  for (std::size_t i = run; i < of.points.size(); ++i) of.points[i].fingerprint = to;
}

TEST(Trend, NamesTheDriverThatCameWithALowerLevel) {
  Series slower = series({{10, 100}, {10, 90}});
  upgrade_at(slower, 10);
  const Fingerprints facts;
  const Trend trend = analyse(slower, 150, {}, facts.look_up());
  ASSERT_THAT(trend.changes, SizeIs(1));
  const Change& change = trend.changes[0];
  EXPECT_EQ(change.at, 10U);
  EXPECT_NEAR(change.relative, .1, .002);  // a tenth less bandwidth: + is worse
  EXPECT_NEAR(change.before, 100, .1);
  EXPECT_NEAR(change.after, 90, .1);
  // ln(100/90) over the tolerance's step of -ln(1 - tau)
  EXPECT_NEAR(change.weight, std::log(100.0 / 90) / -std::log1p(-trend.tolerance), .03);
  ASSERT_THAT(change.since, SizeIs(1));
  EXPECT_EQ(change.since[0], (baseline::Mismatch{"stack.driver.version", "580.65", "570.86"}));
  EXPECT_EQ(change.runs_off, 0);
  EXPECT_EQ(trend.reference, 10U);
  ASSERT_THAT(trend.alarms, SizeIs(1));
  const Alarm& alarm = trend.alarms[0];
  EXPECT_GT(alarm.at, 10U);
  EXPECT_EQ(alarm.change.at, 10U) << "the shift began where the level did";
  EXPECT_NEAR(alarm.change.relative, .1, .002);
  EXPECT_EQ(alarm.change.since, change.since);
  EXPECT_TRUE(alarm.told_by_a_level);
  EXPECT_TRUE(trend.alarming());
  EXPECT_THAT(told({trend}).take_alarms(), IsEmpty());
}

TEST(Trend, FindsACauseARunAwayAndSaysSo) {
  Series slower = series({{8, 100}, {8, 90}});
  upgrade_at(slower, 7);
  const Fingerprints facts;
  const Trend trend = analyse(slower, 1, {}, facts.look_up());
  ASSERT_THAT(trend.changes, SizeIs(1));
  EXPECT_EQ(trend.changes[0].at, 8U);
  EXPECT_EQ(trend.changes[0].runs_off, -1);
  EXPECT_THAT(trend.changes[0].since, SizeIs(1));
  upgrade_at(slower = series({{8, 100}, {8, 90}}), 4);
  const Trend far = analyse(slower, 1, {}, facts.look_up());
  ASSERT_THAT(far.changes, SizeIs(1));
  EXPECT_THAT(far.changes[0].since, IsEmpty()) << "four runs away is no cause";
}

TEST(Trend, SourcesOfAnotherFamilySayNothing) {
  Series slower = series({{8, 100}, {8, 90}});
  upgrade_at(slower, 8);
  Fingerprints facts;
  facts[2] = test::facts("570.86");
  facts[2].suite["suite.source_hash.gemm"] = "other";
  EXPECT_THAT(analyse(slower, 1, {}, facts.look_up()).changes.at(0).since, IsEmpty());
  facts[2].suite["suite.source_hash.memory"] = "other";
  EXPECT_THAT(analyse(slower, 1, {}, facts.look_up()).changes.at(0).since, SizeIs(1));
  facts[2].stack["driver.version"] = "580.65";
  facts[2].stack["host.kernel"] = "6.2";
  const auto since = analyse(slower, 1, {}, facts.look_up()).changes.at(0).since;
  ASSERT_THAT(since, SizeIs(3));
  EXPECT_EQ(since[0].field, "stack.driver.version") << "what is most often the cause stands first";
}

TEST(Trend, ASteadySeriesHasNeitherChangeNorAlarm) {
  const Fingerprints facts;
  const Trend trend = analyse(series({{31, 100}}), 150, {}, facts.look_up());
  EXPECT_THAT(trend.changes, IsEmpty());
  EXPECT_THAT(trend.alarms, IsEmpty());
  EXPECT_NEAR(trend.centre, 100, .2);
  EXPECT_THAT(trend.sums, SizeIs(21));
  EXPECT_THAT(trend.limit, DoubleNear(std::log(365.0 * 150), 1e-12));
}

TEST(Trend, OneBadNightIsNoLevelAndNoAlarm) {
  const Fingerprints facts;
  const Trend trend = analyse(series({{12, 100}, {1, 40}, {12, 100}}), 150, {}, facts.look_up());
  EXPECT_THAT(trend.changes, IsEmpty());
  EXPECT_THAT(trend.alarms, IsEmpty());
}

TEST(Trend, AnAlarmWithoutALevelSaysSinceWhat) {
  // Two nights at half speed raise the alarm of a monitor of one metric, and are too few to make a level.
  Series slower = series({{12, 100}, {2, 50}});
  upgrade_at(slower, 12);
  const Fingerprints facts;
  const Trend trend = analyse(slower, 1, {}, facts.look_up());
  EXPECT_THAT(trend.changes, IsEmpty());
  ASSERT_THAT(trend.alarms, SizeIs(1));
  const Alarm& alarm = trend.alarms[0];
  EXPECT_EQ(alarm.at, 13U);
  EXPECT_EQ(alarm.change.at, 12U);
  EXPECT_NEAR(alarm.change.relative, .5, .002);
  ASSERT_THAT(alarm.change.since, SizeIs(1));
  EXPECT_EQ(alarm.change.since[0].field, "stack.driver.version");
  EXPECT_EQ(alarm.change.runs_off, 0);
  EXPECT_FALSE(alarm.told_by_a_level);
  const auto found = told({trend}).take_alarms();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].started, "2026-01-14T03:00:00Z");
  EXPECT_THAT(found[0].since, SizeIs(1));
  EXPECT_EQ(found[0].items.at(0).from, "2026-01-13T03:00:00Z");
  EXPECT_TRUE(found[0].items.at(0).still);
  EXPECT_TRUE(trend.last);
  EXPECT_THAT(told({trend}).take_last(), IsEmpty()) << "the alarm tells of these runs";
}

TEST(Trend, LastRunsTooFewForALevelAreNoChangeAndNoSilence) {
  const Fingerprints facts;
  for (const int runs : {1, 2}) {
    Series slower = series({{13, 100}, {runs, 50}});
    upgrade_at(slower, 13);
    const Trend trend = analyse(slower, 150, {}, facts.look_up());
    EXPECT_THAT(trend.changes, IsEmpty()) << "a healthy run does not lend itself to a level of bad ones";
    EXPECT_THAT(trend.alarms, IsEmpty());
    ASSERT_TRUE(trend.last) << runs;
    EXPECT_EQ(trend.last->at, 13U);
    EXPECT_NEAR(trend.last->relative, .5, .002);
    EXPECT_THAT(trend.last->since, SizeIs(1));
    const auto found = told({trend}).take_last();
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].started, "2026-01-14T03:00:00Z");
    EXPECT_EQ(found[0].items.at(0).runs, runs);
  }
  const Trend level = analyse(series({{13, 100}, {3, 50}}), 150, {}, facts.look_up());
  ASSERT_THAT(level.changes, SizeIs(1)) << "three runs are a level";
  EXPECT_EQ(level.changes[0].at, 13U);
  EXPECT_FALSE(level.last);
  EXPECT_FALSE(analyse(series({{13, 100}, {1, 98}}), 150, {}, facts.look_up()).last)
      << "within the tolerance";
}

TEST(Trend, ALevelThatWasBetterTellsOfNoAlarm) {
  const Fingerprints facts;
  const Trend trend = analyse(series({{10, 100}, {6, 110}, {8, 100}, {2, 60}}), 1, {}, facts.look_up());
  ASSERT_THAT(trend.changes, SizeIs(2));
  ASSERT_THAT(trend.alarms, SizeIs(1));
  EXPECT_FALSE(trend.alarms[0].told_by_a_level);
}

TEST(Trend, LessThanAThirdOfTheToleranceIsNoChange) {
  const Fingerprints facts;
  const Series tiny = series({{15, 100}, {15, 99.2}});
  judge::Policy policy;
  EXPECT_THAT(analyse(tiny, 1, policy, facts.look_up()).changes, IsEmpty());
  policy.tolerance["hbm"] = .01;
  EXPECT_THAT(analyse(tiny, 1, policy, facts.look_up()).changes, SizeIs(1));
}

TEST(Trend, LowerIsBetterTurnsTheSign) {
  Series slower = series({{10, 1e-6}, {10, 1.2e-6}});
  slower.metric.form.better = result::Direction::lower;
  slower.metric.form.unit = "second";
  const Fingerprints facts;
  const Trend trend = analyse(slower, 1, {}, facts.look_up());
  ASSERT_THAT(trend.changes, SizeIs(1));
  EXPECT_NEAR(trend.changes[0].relative, .2, .005);
}

TEST(Trend, AFewRunsAreShownAndNotJudged) {
  const Fingerprints facts;
  const Trend trend = analyse(series({{1, 100}}), 1, {}, facts.look_up());
  EXPECT_EQ(trend.reference, 0U);
  EXPECT_NEAR(trend.centre, 100.1, 1e-9);
  EXPECT_EQ(analyse(series({{6, 100}}), 1, {}, facts.look_up()).reference, 5U);
}

TEST(Trend, ProfilesAreSeriesOfTheirOwn) {
  Series mixed = series({{4, 100}});
  mixed.points[1].profile = mixed.points[3].profile = "standard";
  const auto split = by_profile(mixed.device, mixed.metric, mixed.points);
  ASSERT_THAT(split, SizeIs(2));
  EXPECT_EQ(split[0].profile, "quick");
  EXPECT_THAT(split[0].points, SizeIs(2));
  EXPECT_EQ(split[1].points[0].run_id, "run-1");
}

TEST(Events, GatherTheMetricsOfANightAndPutTheWorstFirst) {
  const Fingerprints facts;
  Series bad = series({{10, 100}, {10, 80}});
  Series worse = series({{10, 100}, {10, 50}});
  worse.metric.form.key = "memory/triad/b:bandwidth";
  Series other = series({{10, 100}, {10, 96}});
  other.device = {2, "node-2", "GPU-2"};
  upgrade_at(bad, 10);
  std::vector<Trend> trends;
  for (const Series& one : {other, bad, worse}) trends.push_back(analyse(one, 3, {}, facts.look_up()));
  const auto found = told(trends).take_levels();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].device.node, "node-1");
  ASSERT_THAT(found[0].items, SizeIs(2));
  EXPECT_EQ(found[0].items[0].metric.form.key, "memory/triad/b:bandwidth");
  EXPECT_THAT(found[0].since, SizeIs(1)) << "of the metric that knows";
  EXPECT_EQ(found[0].started, "2026-01-11T03:00:00Z");
  EXPECT_THAT(found[1].since, IsEmpty());
}

}  // namespace
}  // namespace gpugauge::store
