// What the runs of a history found on the health of GPUs, and since when.
#include "store/health_findings.hpp"

#include <gmock/gmock.h>

#include "judge/physical_verdict.hpp"
#include "unit/store/histories.hpp"
#include "unit/store/on_databases.hpp"

namespace gpugauge::store {
namespace {

using judge::VerdictKind;
using test::record;
using test::StoreTest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Device first{1, "n1", "GPU-1"};
const Device second{2, "n2", "GPU-2"};

HealthPoint point(int device, int day, VerdictKind kind, const std::string& subject = "health/memory") {
  return {device,
          subject,
          fmt::format("2026-01-{:02}T00:00:00Z", day),
          fmt::format("run{}", day),
          kind,
          kind == VerdictKind::ok ? "" : fmt::format("{} on {}", to_string(kind), day)};
}

TEST(HealthFindings, AStretchHoldsUntilARunFindsItWell) {
  const auto found =
      health_findings({first}, {point(1, 1, VerdictKind::ok), point(1, 2, VerdictKind::inconclusive),
                                point(1, 3, VerdictKind::inconclusive), point(1, 5, VerdictKind::ok),
                                point(1, 6, VerdictKind::ok), point(1, 7, VerdictKind::inconclusive)});
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].started, "2026-01-07T00:00:00Z") << "what stands is before what is well again";
  EXPECT_EQ(found[0].well, "");
  EXPECT_EQ(found[0].runs, 1);
  EXPECT_EQ(found[1].started, "2026-01-02T00:00:00Z");
  EXPECT_EQ(found[1].run_id, "run2");
  EXPECT_EQ(found[1].latest, "2026-01-03T00:00:00Z");
  EXPECT_EQ(found[1].well, "2026-01-05T00:00:00Z");
  EXPECT_EQ(found[1].runs, 2);
  EXPECT_EQ(found[1].reason, "inconclusive on 3");
}

TEST(HealthFindings, WhatFailedInAnyRunOfAStretchHasFailed) {
  const auto found =
      health_findings({first}, {point(1, 1, VerdictKind::inconclusive), point(1, 2, VerdictKind::failed),
                                point(1, 3, VerdictKind::inconclusive)});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, VerdictKind::failed);
  EXPECT_EQ(found[0].reason, "failed on 2");
  EXPECT_EQ(found[0].latest, "2026-01-03T00:00:00Z");
  EXPECT_EQ(found[0].runs, 3);
}

TEST(HealthFindings, TheGravestStandsFirstThenTheNewest) {
  const auto found =
      health_findings({first, second},
                      {point(1, 1, VerdictKind::failed), point(1, 4, VerdictKind::ok),
                       point(1, 9, VerdictKind::inconclusive, "health/xid"), point(2, 2, VerdictKind::failed),
                       point(2, 3, VerdictKind::failed, "health/xid"), point(3, 3, VerdictKind::failed)});
  std::vector<std::string> order;
  order.reserve(found.size());
  for (const HealthFinding& one : found) order.push_back(one.device.node + " " + one.subject);
  EXPECT_THAT(order, ElementsAre("n2 health/xid", "n2 health/memory", "n1 health/xid", "n1 health/memory"))
      << "a device that was not asked for has no finding";
}

TEST_P(StoreTest, TheHealthOfASpanIsByDeviceAndTime) {
  Store store = open();
  const auto told = [](int day, const std::string& node, VerdictKind kind) {
    Record out = record(day, {3}, node);
    out.peer.health = {
        judge::physical_verdict("health/memory", kind, kind == VerdictKind::ok ? "" : "a row")};
    return out;
  };
  store.ingest({told(7, "node-1", VerdictKind::ok), told(5, "node-1", VerdictKind::failed),
                told(6, "node-2", VerdictKind::ok), record(8, {3})});
  std::vector<std::string> days;
  for (const HealthPoint& one : store.health({}))
    days.push_back(one.started.substr(0, 10) + " " + one.reason);
  EXPECT_THAT(days, testing::AnyOf(ElementsAre("2026-01-05 a row", "2026-01-07 ", "2026-01-06 "),
                                   ElementsAre("2026-01-06 ", "2026-01-05 a row", "2026-01-07 ")));
  EXPECT_THAT(store.health({"2026-01-06", "2026-01-07"}), SizeIs(1));
  EXPECT_THAT(store.health({"2026-01-08", ""}), IsEmpty());
  EXPECT_THAT(health_findings(store.devices(), store.health({})), SizeIs(1));
}

}  // namespace
}  // namespace gpugauge::store
