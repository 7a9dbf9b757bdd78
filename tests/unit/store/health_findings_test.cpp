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

std::vector<HealthFinding> health_findings(const std::vector<HealthPoint>& points) {
  std::vector<HealthFinding> out;
  add_health_findings(out, first, points);
  put_gravest_first(out);
  return out;
}

HealthPoint point(int day, VerdictKind kind, const std::string& subject = "health/memory") {
  return {subject, fmt::format("2026-01-{:02}T00:00:00Z", day), fmt::format("run{}", day), kind,
          kind == VerdictKind::ok ? "" : fmt::format("{} on {}", to_string(kind), day)};
}

TEST(HealthFindings, AStretchHoldsUntilARunFindsItWell) {
  const auto found = health_findings({point(1, VerdictKind::ok), point(2, VerdictKind::inconclusive),
                                      point(3, VerdictKind::inconclusive), point(5, VerdictKind::ok),
                                      point(6, VerdictKind::ok), point(7, VerdictKind::inconclusive)});
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
  const auto found = health_findings({point(1, VerdictKind::inconclusive), point(2, VerdictKind::failed),
                                      point(3, VerdictKind::inconclusive)});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, VerdictKind::failed);
  EXPECT_EQ(found[0].reason, "failed on 2");
  EXPECT_EQ(found[0].latest, "2026-01-03T00:00:00Z");
  EXPECT_EQ(found[0].runs, 3);
}

TEST(HealthFindings, TheGravestStandsFirstThenTheNewest) {
  std::vector<HealthFinding> found;
  add_health_findings(found, first,
                      {point(1, VerdictKind::failed), point(4, VerdictKind::ok),
                       point(9, VerdictKind::inconclusive, "health/xid")});
  add_health_findings(found, second,
                      {point(2, VerdictKind::failed), point(3, VerdictKind::failed, "health/xid")});
  put_gravest_first(found);
  std::vector<std::string> order;
  order.reserve(found.size());
  for (const HealthFinding& one : found) order.push_back(one.device.node + " " + one.subject);
  EXPECT_THAT(order, ElementsAre("n2 health/xid", "n2 health/memory", "n1 health/xid", "n1 health/memory"));
}

TEST_P(StoreTest, TheHealthOfADeviceIsThatOfASpanByTime) {
  Store store = open();
  const auto told = [](int day, const std::string& node, VerdictKind kind) {
    Record out = record(day, {3}, node);
    out.peer.health = {
        judge::physical_verdict("health/memory", kind, kind == VerdictKind::ok ? "" : "a row")};
    return out;
  };
  store.ingest({told(7, "node-1", VerdictKind::ok), told(5, "node-1", VerdictKind::failed),
                told(6, "node-2", VerdictKind::ok), record(8, {3})});
  const auto devices = store.devices();
  ASSERT_THAT(devices, SizeIs(2));
  const auto days = [&](const Device& device, const Span& span) {
    std::vector<std::string> out;
    for (const HealthPoint& one : store.health(device, span)) out.push_back(one.started + " " + one.reason);
    return out;
  };
  EXPECT_THAT(days(devices[0], {}), ElementsAre("2026-01-05T03:00:00Z a row", "2026-01-07T03:00:00Z "));
  EXPECT_THAT(days(devices[1], {}), ElementsAre("2026-01-06T03:00:00Z "));
  EXPECT_THAT(days(devices[0], {"2026-01-06", "2026-01-08"}), ElementsAre("2026-01-07T03:00:00Z "));
  EXPECT_THAT(days(devices[0], {"2026-01-08", ""}), IsEmpty());
}

}  // namespace
}  // namespace gpugauge::store
