// When two runs cannot be of one machine.
#include "judge/one_machine.hpp"

#include <gtest/gtest.h>

#include "baseline/fields.hpp"

namespace gpugauge::judge {
namespace {

constexpr double hour = 3600;

void expect_two(bool two, const Sighting& one, const Sighting& other) {
  EXPECT_EQ(are_two_machines(one, other), two);
  EXPECT_EQ(are_two_machines(other, one), two);
}

TEST(OneMachine, IsInOneBootAtATime) {
  expect_two(true, {"a", "", 0, 100}, {"b", "", 60, 160});
  expect_two(true, {"a", "", 0, 100}, {"b", "", 0, 100});
  expect_two(false, {"a", "", 0, 100}, {"b", "", 100, 200});
  expect_two(false, {"a", "", 0, 100}, {"a", "", 60, 160});
  expect_two(false, {"", "", 0, 100}, {"b", "", 60, 160});
}

TEST(OneMachine, HasOneIdentityUnlessItWasInstalledAnewMeanwhile) {
  expect_two(true, {"a", "x", 0, 100}, {"b", "y", hour, hour + 100});
  expect_two(false, {"a", "x", 0, 100}, {"b", "y", 24 * hour, 24 * hour + 100});
  expect_two(false, {"a", "x", 0, 100}, {"b", "x", hour, hour + 100});
  expect_two(false, {"a", "x", 0, 100}, {"b", "", hour, hour + 100});
  // A container has another identity than its machine, or none, and the same boot.
  expect_two(false, {"a", "x", 0, 100}, {"a", "y", 50, 150});
}

TEST(OneMachine, OfAnotherProgramsFileHasOneName) {
  const auto named = [](const std::string& name, double began) {
    return Sighting{"", "", began, began + 100, name};
  };
  expect_two(false, named("x", 0), named("x", 0));
  expect_two(true, named("x", 0), named("y", 0));
  expect_two(true, named("x", 0), named("y", hour));
  expect_two(false, named("x", 0), named("y", 24 * hour));
  expect_two(false, named("x", 0), named("", 0));
  expect_two(false, {"a", "", 0, 100}, named("x", 0));
  result::Run run;
  run.started = "1970-01-01T00:00:00Z";
  run.boot_id = "a";
  run.fingerprint.device["host.name"] = "pod-1";
  run.fingerprint.suite["suite.profile"] = "quick";
  EXPECT_EQ(sighting_of(run).name, "") << "a container has its own";
  EXPECT_EQ(sighting_of(run).boot, "a");
  run.fingerprint.suite["suite.profile"] = "google-benchmark";
  EXPECT_EQ(sighting_of(run).name, "pod-1");
  EXPECT_EQ(sighting_of(run).boot, "") << "the file tells of none";
  run.fingerprint.device["host.name"] = "3f2a91c0d7aa";
  EXPECT_EQ(sighting_of(run).name, "") << "a container's number";
  for (const char* const name : {"3f2a91c0d7a", "3f2a91c0d7aab", "3f2a91c0d7ag", "3F2A91C0D7AA"}) {
    run.fingerprint.device["host.name"] = name;
    EXPECT_EQ(sighting_of(run).name, name);
  }
}

TEST(OneMachine, IsSureByBootOrIdentity) {
  EXPECT_TRUE(are_one_machine({"a", "", 0, 1}, {"a", "", 5, 6}));
  EXPECT_TRUE(are_one_machine({"a", "x", 0, 1}, {"b", "x", 5, 6}));
  EXPECT_FALSE(are_one_machine({"a", "", 0, 1}, {"b", "", 5, 6}));
  EXPECT_FALSE(are_one_machine({"", "", 0, 1}, {"", "", 5, 6}));
}

TEST(OneMachine, ARunSaysWhenAndWhereItWas) {
  result::Run run;
  run.boot_id = "a";
  run.started = "2026-01-02T00:00:00Z";
  run.wall_seconds = 60;
  run.fingerprint.device = {{std::string(baseline::host_identity_fact), "x"}};
  const Sighting seen = sighting_of(run);
  EXPECT_EQ(seen.boot, "a");
  EXPECT_EQ(seen.identity, "x");
  EXPECT_EQ(seen.ended - seen.began, 60);
}

}  // namespace
}  // namespace gpugauge::judge
