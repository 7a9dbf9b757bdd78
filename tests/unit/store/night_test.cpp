// One night of a fleet, out of the store.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "judge/physical_verdict.hpp"
#include "judge/pinned.hpp"
#include "judge/statistics.hpp"
#include "result/error.hpp"
#include "store/store.hpp"
#include "unit/store/histories.hpp"
#include "unit/store/on_databases.hpp"

namespace gpugauge::store {
namespace {

using test::record;
using test::StoreTest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_P(StoreTest, ANightIsWhatTheComparisonOfNodesNeeds) {
  Store store = open();
  Record faulty = record(5, {7}, "node-2", "580.65");
  faulty.peer.faults = {{"gemm/bf16/a", result::Status::failed, "it is wrong; \"quoted\" \\ 'text'"}};
  faulty.peer.health = {
      judge::physical_verdict("health/memory", judge::VerdictKind::failed, "a row; \"quoted\""),
      judge::physical_verdict("health/xid", judge::VerdictKind::inconclusive, "Xid 92"),
      judge::physical_verdict("health/memory/GPU-b", judge::VerdictKind::ok, "")};
  faulty.boot_id = "boot-2";
  faulty.peer.complete = false;
  faulty.peer.partial_reason = "interrupted";
  store.ingest({record(5, {3}), faulty, record(6, {1})});
  const judge::PeersInput night = store.night("2026-01-05");
  ASSERT_THAT(night.rounds, SizeIs(2));
  const judge::PeerRound& one = night.rounds[0].label == "node-1" ? night.rounds[0] : night.rounds[1];
  const judge::PeerRound& two = night.rounds[0].label == "node-1" ? night.rounds[1] : night.rounds[0];
  ASSERT_THAT(one.values, SizeIs(1));
  EXPECT_EQ(night.metrics.at(one.values[0].metric).key, "memory/triad/a:bandwidth");
  EXPECT_EQ(one.values[0].value, 3);
  EXPECT_EQ(one.kind, "gpu 570.86");
  EXPECT_THAT(one.source_hashes, SizeIs(2));
  EXPECT_EQ(one.fingerprint->stack.at("driver.version"), "570.86");
  EXPECT_TRUE(one.complete);
  EXPECT_EQ(two.node, "GPU-1 of node-2");
  EXPECT_EQ(two.device, "GPU-1");
  EXPECT_EQ(two.host, "node-2");
  EXPECT_EQ(two.boot, "boot-2");
  EXPECT_FALSE(two.complete);
  ASSERT_THAT(two.faults, SizeIs(1));
  EXPECT_EQ(two.faults[0].reason, "it is wrong; \"quoted\" \\ 'text'");
  EXPECT_EQ(two.faults[0].status, result::Status::failed);
  EXPECT_EQ(two.health, faulty.peer.health);
  EXPECT_THAT(one.health, IsEmpty());
  EXPECT_THAT(store.night("2026-01-07").rounds, IsEmpty());
  EXPECT_THROW(store.night("January"), result::UsageError);
  ASSERT_NE(store.facts_of_run(two.id), nullptr);
  EXPECT_EQ(store.facts_of_run(two.id)->stack.at("driver.version"), "580.65");
  EXPECT_EQ(store.facts_of_run("01NORUN"), nullptr);
}

/// A metric of record() beside the first.
Measured another(const std::string& name, std::vector<double> values) {
  Measured out;
  out.form = {"memory/triad/a:" + name, "memory/triad/a", "hbm", "byte/second", result::Direction::higher};
  out.statistic = "median";
  if (!values.empty()) out.median = judge::median(values);
  out.values = std::move(values);
  return out;
}

TEST_P(StoreTest, ANightKnowsHowFarProcessesLieApart) {
  Store store = open();
  Record two = record(5, {1, 2, 1, 2, 1}, "node-2");
  store.ingest({record(5, {3, 3, 3}), two, record(5, {3, 9}, "node-3")});
  std::map<std::string, float> seen;
  for (const judge::PeerRound& round : store.night("2026-01-05").rounds)
    seen.emplace(round.label, round.values.at(0).by_chance);
  EXPECT_EQ(seen.at("node-1"), 0);
  EXPECT_EQ(seen.at("node-2"), judge::by_chance({1, 2, 1, 2, 1}, result::Direction::higher));
  EXPECT_TRUE(std::isnan(seen.at("node-3"))) << "two are too few";
}

TEST_P(StoreTest, ANightKnowsWhatWasChosenAndWhatWasRecordedOnly) {
  Store store = open();
  Record chosen = record(5, {3, 4}, "node-2");
  chosen.peer.only = {"gemm/\"b\"", "memory/triad/a"};
  chosen.measured[0].recorded = {3, 4, 9, 10};
  chosen.measured[0].not_judged = "99 batches are too few";
  Measured recorded = another("said", {});
  recorded.form.judged = false;
  recorded.statistic = "p99";
  recorded.recorded = {7, 8, 6};
  recorded.not_judged = "only \"said\" \\ 'so'";
  Measured worthless = recorded;
  worthless.form.key += "_not";
  worthless.recorded.clear();
  chosen.measured.push_back(recorded);
  chosen.measured.push_back(worthless);
  store.ingest({record(5, {3}), chosen});
  const judge::PeersInput night = store.night("2026-01-05");
  ASSERT_THAT(night.rounds, SizeIs(2));
  const judge::PeerRound& one = night.rounds[0].label == "node-1" ? night.rounds[0] : night.rounds[1];
  const judge::PeerRound& two = night.rounds[0].label == "node-1" ? night.rounds[1] : night.rounds[0];
  EXPECT_TRUE(one.choice_known);
  EXPECT_THAT(one.only, IsEmpty());
  EXPECT_FALSE(one.recorded);
  EXPECT_EQ(one.recorded_values, 0U);
  EXPECT_TRUE(two.choice_known);
  EXPECT_EQ(two.only, chosen.peer.only);
  ASSERT_THAT(two.values, SizeIs(2));
  EXPECT_EQ(night.metrics.at(two.values[0].metric).key, "memory/triad/a:bandwidth");
  EXPECT_TRUE(night.metrics.at(two.values[0].metric).judged);
  EXPECT_EQ(two.values[0].value, 6.5) << "of all processes, as from a run file";
  EXPECT_EQ(two.recorded_values, 1U);
  const judge::PeerForm& form = night.metrics.at(two.values[1].metric);
  EXPECT_EQ(form.key, "memory/triad/a:said");
  EXPECT_FALSE(form.judged);
  EXPECT_EQ(form.group, judge::tail_group);
  EXPECT_EQ(two.values[1].value, 7);
  EXPECT_EQ(two.values[1].by_chance, judge::by_chance({6, 7, 8}, result::Direction::higher));
  ASSERT_TRUE(two.recorded);
  EXPECT_THAT(*two.recorded, ElementsAre(Pair("memory/triad/a:said", recorded.not_judged),
                                         Pair("memory/triad/a:said_not", recorded.not_judged)));
}

TEST_P(StoreTest, AMetricMayHaveAnyNumber) {
  open().ingest({record(5, {3})});
  {
    Database database(location_, Access::writing);
    if (database.postgresql()) database.sql() << "SET search_path = gpugauge";
    database.sql() << "UPDATE measurement SET metric = 2000000000";
    database.sql() << "UPDATE statistic SET metric = 2000000000";
    database.sql() << "UPDATE counted SET metric = 2000000000";
    database.sql() << "UPDATE metric SET id = 2000000000";
  }
  const judge::PeersInput night = open(Access::reading).night("2026-01-05");
  EXPECT_EQ(night.metrics.at(night.rounds.at(0).values.at(0).metric).key, "memory/triad/a:bandwidth");
}

TEST_P(StoreTest, AMetricThatCountsInNoRunIsMarkedUntilItDoes) {
  Store store = open();
  const auto judged = [&] {
    std::vector<bool> out;
    for (const Metric& metric : open(Access::reading).metrics()) out.push_back(metric.form.judged);
    return out;
  };
  Record first = record(5, {3});
  Measured recorded = another("said", {});
  recorded.form.judged = false;
  recorded.recorded = {7};
  first.measured.push_back(recorded);
  store.ingest({first});
  EXPECT_THAT(judged(), ElementsAre(true, false));
  Record second = record(6, {3});
  second.measured.push_back(another("said", {7}));
  store.ingest({second});
  EXPECT_THAT(judged(), ElementsAre(true, true));
  first.started = "2026-01-07T03:00:00Z";
  first.peer.id = "third";
  first.content_hash = std::string(64, 'e');
  store.ingest({first});
  EXPECT_THAT(judged(), ElementsAre(true, true)) << "it counts in some run";
}

TEST_P(StoreTest, ANightHasTheChecksumsOfItsRuns) {
  Store store = open();
  Record differing = record(5, {3}, "node-2");
  differing.peer.checksums = {{"integrity/gemm/short", {"aa", "bb"}}, {"integrity/sort/long", {"cc"}}};
  store.ingest({record(5, {3}), differing});
  const judge::PeersInput night = store.night("2026-01-05");
  ASSERT_THAT(night.rounds, SizeIs(2));
  for (const judge::PeerRound& round : night.rounds)
    EXPECT_EQ(round.checksums, round.label == "node-2" ? differing.peer.checksums : judge::Checksums{});
}

TEST_P(StoreTest, CardsOfANodeAreToldApart) {
  Store store = open();
  Record second = record(5, {4});
  second.identity = second.peer.device = "GPU-2";
  second.peer.id = "second";
  second.content_hash = std::string(64, 'd');
  store.ingest({record(5, {3}), second, record(5, {5}, "node-2"), record(5, {6}, "")});
  std::vector<std::string> labels;
  for (const judge::PeerRound& round : store.night("2026-01-05").rounds) labels.push_back(round.label);
  EXPECT_THAT(labels, UnorderedElementsAre("node-1 GPU-1", "node-1 GPU-2", "node-2", "GPU-1"));
}

/// A second run of what record(day, values, node) is.
Record further(int day, std::vector<double> values, const std::string& node, int round) {
  Record out = record(day, std::move(values), node);
  out.round = round;
  out.peer.id += fmt::format("-again-{}", round);
  out.content_hash = baseline::sha256(out.peer.id);
  out.peer.checksums = {{"integrity/gemm/short", {"aa"}}};
  out.peer.faults = {{"gemm/bf16/a", result::Status::failed, "it is wrong"}};
  return out;
}

TEST_P(StoreTest, ANightHasItsRepeatedRounds) {
  Store store = open();
  store.ingest({record(5, {3}), record(5, {4}, "node-2"), further(5, {2}, "node-1", 2)});
  const judge::PeersInput night = store.night("2026-01-05");
  ASSERT_THAT(night.rounds, SizeIs(3));
  const auto repeated = std::find_if(night.rounds.begin(), night.rounds.end(),
                                     [](const auto& round) { return round.id == "node-1-5-again-2"; });
  ASSERT_NE(repeated, night.rounds.end());
  EXPECT_EQ(repeated->node, "GPU-1 of node-1");
  EXPECT_EQ(repeated->label, "node-1");
  ASSERT_THAT(repeated->values, SizeIs(1));
  EXPECT_EQ(repeated->values[0].value, 2);
  EXPECT_THAT(repeated->faults, SizeIs(1));
  EXPECT_THAT(repeated->checksums, SizeIs(1));
  EXPECT_THAT(repeated->source_hashes, SizeIs(2));
}

TEST_P(StoreTest, ANightMaySpanDays) {
  Store store = open();
  store.ingest({record(4, {1}), record(5, {3}), record(5, {4}, "node-2"), record(6, {2}), record(8, {5})});
  EXPECT_THAT(store.night("2026-01-05..2026-01-06").rounds, SizeIs(3));
  EXPECT_THAT(store.night("2026-01-05..2026-01-05").rounds, SizeIs(2));
  EXPECT_THAT(store.night("2026-01-01..2026-01-31").rounds, SizeIs(5));
  for (const char* const no_night :
       {"", "..", "2026-01-05..", "..2026-01-05", "2026-01-05...2026-01-06", "2026-01-05..2026-02-30",
        "2026-01-05..2026-01-06..2026-01-07", "2026-01-06..2026-01-05"})
    EXPECT_THROW(store.night(no_night), result::UsageError) << no_night;
}

TEST_P(StoreTest, TheNewestNightGoesOnWithItsRepeatedRounds) {
  Store store = open();
  EXPECT_EQ(store.newest_night().days, "");
  store.ingest({further(3, {1}, "node-1", 2)});
  EXPECT_EQ(store.newest_night().days, "2026-01-03") << "rounds that repeat what is not here";
  store.ingest({record(5, {3}), record(5, {4}, "node-2")});
  EXPECT_EQ(store.newest_night().days, "2026-01-05");
  store.ingest({further(6, {2}, "node-1", 2)});
  EXPECT_EQ(store.newest_night().days, "2026-01-05..2026-01-06");
  EXPECT_THAT(store.night(store.newest_night().days).rounds, SizeIs(3));
}

/// record(day, {1}, node) at another time of that day, "23:30".
Record at(int day, const std::string& time, const std::string& node) {
  Record out = record(day, {1}, node);
  out.started = fmt::format("2026-01-{:02}T{}:00Z", day, time);
  out.peer.id += " " + time;
  out.content_hash = baseline::sha256(out.peer.id);
  return out;
}

TEST_P(StoreTest, TheNewestNightBeginsAfterAPauseAndNotAtMidnight) {
  Store store = open();
  store.ingest({at(5, "22:00", "node-1"), at(5, "23:59", "node-2"), at(6, "02:00", "node-3")});
  EXPECT_EQ(store.newest_night().days, "2026-01-05..2026-01-06");
  EXPECT_THAT(store.night(store.newest_night().days).rounds, SizeIs(3));
  store.ingest({at(6, "22:00", "node-1"), at(6, "23:59", "node-2"), at(7, "02:00", "node-3")});
  EXPECT_EQ(store.newest_night().days, "2026-01-06T22:00:00Z..2026-01-07")
      << "the night before ended on that day";
  EXPECT_THAT(store.night(store.newest_night().days).rounds, SizeIs(3));
  store.ingest({at(7, "08:00", "node-2")});
  EXPECT_EQ(store.newest_night().days, "2026-01-07T08:00:00Z..2026-01-07") << "6 hours are a pause";
  EXPECT_EQ(store.with_night_before(store.newest_night().days).days, "2026-01-06T22:00:00Z..2026-01-07");
}

TEST_P(StoreTest, AClockThatWasWrongHidesNoLaterNight) {
  Store store = open();
  const std::string now = "2026-01-09T00:00:00Z";
  EXPECT_EQ(store.newest_night(now).days, "");
  store.ingest({at(20, "04:00", "node-1")});
  EXPECT_EQ(store.newest_night(now).days, "2026-01-20") << "the clock that is wrong may be this one";
  EXPECT_EQ(store.newest_night(now).later, 0U);
  store.ingest({at(8, "22:00", "node-1"), at(8, "23:59", "node-2"), at(9, "00:00", "node-3"),
                at(19, "04:00", "node-3")});
  const NewestNight found = store.newest_night(now);
  EXPECT_EQ(found.days, "2026-01-08");
  EXPECT_EQ(found.later, 3U);
  EXPECT_EQ(found.source, "node-1/20.json");
  EXPECT_EQ(found.started, "2026-01-20T04:00:00Z");
  EXPECT_EQ(store.newest_night().days, "2026-01-20");
}

TEST_P(StoreTest, ANightWithoutAPauseIsADayLong) {
  Store store = open();
  for (const int day : {5, 6, 7})
    for (int hour = 0; hour < 24; hour += 4)
      store.ingest({at(day, fmt::format("{:02}:00", hour), fmt::format("node-{}", hour))});
  EXPECT_EQ(store.newest_night().days, "2026-01-07");
  EXPECT_THAT(store.with_night_before("2026-01-07").added, IsEmpty());
}

TEST_P(StoreTest, ANightMayBeginAtATimeOfItsFirstDay) {
  Store store = open();
  store.ingest({at(5, "01:00", "node-1"), at(5, "23:00", "node-1"), at(6, "01:00", "node-2")});
  EXPECT_THAT(store.night("2026-01-05T12:00:00Z..2026-01-06").rounds, SizeIs(2));
  EXPECT_THAT(store.night("2026-01-05T23:00:00+01:00..2026-01-05").rounds, SizeIs(1));
  for (const char* const no_night : {"2026-01-05T12:00:00Z", "2026-01-05T25:00:00Z..2026-01-06",
                                     "2026-01-05..2026-01-06T12:00:00Z", "2026-01-07T12:00:00Z..2026-01-06"})
    EXPECT_THROW(store.night(no_night), result::UsageError) << no_night;
}

/// What the store says of a night: the wider one, and what it adds.
std::vector<std::string> wider(Store& store, const std::string& days) {
  const WiderNight found = store.with_night_before(days);
  std::vector<std::string> out;
  for (const judge::PeerRound& round : found.added) out.push_back(round.label);
  std::sort(out.begin(), out.end());
  out.insert(out.begin(), found.days);
  return out;
}

TEST_P(StoreTest, TheNightBeforeIsNamedWhereItAddsADevice) {
  Store store = open();
  store.ingest(
      {record(2, {1}), record(2, {1}, "node-2"), record(5, {3}), record(8, {3}), record(8, {3}, "node-2")});
  EXPECT_THAT(wider(store, "2026-01-05"), ElementsAre("2026-01-02..2026-01-05", "node-2"));
  EXPECT_THAT(wider(store, "2026-01-05..2026-01-06"), ElementsAre("2026-01-02..2026-01-06", "node-2"));
  EXPECT_THAT(wider(store, "2026-01-08"), ElementsAre("")) << "node-1 is there already";
  EXPECT_THAT(wider(store, "2026-01-02"), ElementsAre("")) << "nothing is older";
}

TEST_P(StoreTest, ARetestBetweenTwoNightsHidesNoDeviceAndARemovedOneIsNamedOnce) {
  Store store = open();
  for (const int day : {2, 5, 7})
    for (const char* const node : {"node-1", "node-2", "node-3", "node-4", "node-5"})
      if (day == 2 || node != std::string("node-5")) store.ingest({record(day, {1}, node)});
  store.ingest({record(3, {1}, "node-1")});
  EXPECT_THAT(wider(store, "2026-01-05"), ElementsAre("2026-01-02..2026-01-05", "node-5"));
  EXPECT_THAT(wider(store, "2026-01-07"), ElementsAre(""));
}

TEST_P(StoreTest, HostsThatWereMeasuredBeforeAreMissedOnlyAmongHosts) {
  Store store = open();
  Record host = record(4, {1}, "node-9");
  host.identity = host.peer.device = "host";
  Record card = record(4, {1}, "node-2");
  card.identity = card.peer.device = "GPU-2";
  store.ingest({host, card, record(5, {1}), record(5, {1}, "node-2")});
  EXPECT_THAT(wider(store, "2026-01-05"), ElementsAre("2026-01-04..2026-01-05", "node-2 GPU-2"))
      << "called as beside the card of its node that was measured";
}

TEST_P(StoreTest, ANightGivesTheFactsOfEachRun) {
  Store store = open();
  Record unnamed = record(5, {3}, "");
  unnamed.facts = facts_text(test::facts("999.1"));
  unnamed.facts_hash = baseline::sha256(unnamed.facts);
  store.ingest({record(5, {3}), record(5, {4}, "node-2"), further(5, {2}, "node-2", 2), unnamed});
  std::vector<std::string> seen;
  const auto night =
      store.night("2026-01-05", [&](const judge::PeerRound& round, const result::Fingerprint& facts) {
        seen.push_back(
            fmt::format("{} {} {} {}", round.id, round.label, round.host, facts.stack.at("driver.version")));
        EXPECT_EQ(facts.device.at("gpu.0.uuid"), "GPU-1");
        EXPECT_EQ(round.kind, "gpu 570.86");
        EXPECT_EQ(round.device, "GPU-1");
      });
  EXPECT_THAT(seen, UnorderedElementsAre("node-1-5 node-1 node-1 570.86", "node-2-5 node-2 node-2 570.86",
                                         "node-2-5-again-2 node-2 node-2 570.86", "-5 GPU-1  999.1"));
  for (const judge::PeerRound& round : night.rounds) ASSERT_TRUE(round.fingerprint);
}

}  // namespace
}  // namespace gpugauge::store
