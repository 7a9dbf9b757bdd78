#include "judge/fleet_drift.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

result::Run run(int node, const std::string& model = "H200") {
  result::Run out;
  out.device = fmt::format("GPU-{}", node);
  out.fingerprint.device = {{"gpu.0.name", model}, {"gpu.0.uuid", out.device}, {"host.cpu_model", "X"}};
  if (node % 2 == 0) out.fingerprint.device["host.identity"] = fmt::format("{:016x}", node);
  out.fingerprint.stack = {{"driver.version", "580.65"}, {"nccl.version", "2.27"}};
  out.fingerprint.settings = {{"gpu.0.vbios", "96.00"}, {"host.name", fmt::format("n{}", node)}};
  out.fingerprint.suite = {{"suite.profile", "quick"}};
  return out;
}

TEST(FleetDrift, NamesWhoDiffersFromWhatMostAre) {
  FleetDrift drift;
  for (int node = 0; node < 12; ++node) {
    result::Run one = run(node);
    if (node == 7) one.fingerprint.stack["driver.version"] = "575.57";
    if (node == 3 || node == 9) one.fingerprint.settings["gpu.0.vbios"] = "95.11";
    drift.add(one, fmt::format("n{:02}", node));
  }
  const std::vector<DriftedFact> facts = drift.facts();
  ASSERT_THAT(facts, SizeIs(2)) << "names, UUIDs and identities, which are everybody's own, are no drift";
  EXPECT_EQ(facts[0].field, "stack.driver.version") << "what must match stands first";
  EXPECT_TRUE(facts[0].must_match);
  EXPECT_EQ(facts[0].device, "H200");
  EXPECT_EQ(facts[0].usual, "580.65");
  EXPECT_EQ(facts[0].runs, 11U);
  EXPECT_EQ(facts[0].of, 12U);
  ASSERT_THAT(facts[0].odd, SizeIs(1));
  EXPECT_EQ(facts[0].odd[0].value, "575.57");
  EXPECT_THAT(facts[0].odd[0].labels, ElementsAre("n07"));
  EXPECT_EQ(facts[1].field, "settings.gpu.0.vbios");
  EXPECT_FALSE(facts[1].must_match);
  EXPECT_THAT(facts[1].odd.at(0).labels, ElementsAre("n03", "n09"));
}

TEST(FleetDrift, ModelsAreCountedApart) {
  FleetDrift drift;
  for (int node = 0; node < 4; ++node) drift.add(run(node), fmt::format("a{}", node));
  for (int node = 4; node < 6; ++node) {
    result::Run one = run(node, "H100");
    one.fingerprint.stack["driver.version"] = "575.57";
    drift.add(one, fmt::format("b{}", node));
  }
  EXPECT_THAT(drift.facts(), IsEmpty());
}

TEST(FleetDrift, WithoutAMajorityEveryValueIsListed) {
  FleetDrift drift;
  for (int node = 0; node < 12; ++node) {
    result::Run one = run(node);
    one.fingerprint.settings["gpu.0.vbios"] = fmt::format("{}.00", 95 + node % 3);
    one.fingerprint.settings["host.cpus_allowed"] = node < 6 ? "0-7" : "8-15";
    one.fingerprint.settings["host.governor"] = fmt::format("own {}", node);
    drift.add(one, fmt::format("n{:02}", node));
  }
  const std::vector<DriftedFact> facts = drift.facts();
  ASSERT_THAT(facts, SizeIs(1)) << "where a run was put, and what each has to itself, tells them apart only";
  EXPECT_EQ(facts[0].field, "settings.gpu.0.vbios");
  EXPECT_FALSE(facts[0].majority);
  EXPECT_EQ(facts[0].usual, std::nullopt);
  EXPECT_EQ(facts[0].runs, 0U);
  EXPECT_EQ(facts[0].of, 12U);
  ASSERT_THAT(facts[0].odd, SizeIs(3));
  EXPECT_EQ(facts[0].odd[0].value, "95.00");
  EXPECT_EQ(facts[0].odd[0].runs, 4U);
  EXPECT_THAT(facts[0].odd[1].labels, ElementsAre("n01", "n04", "n07", "n10"));
}

TEST(FleetDrift, TwoNodesWithTwoDriversOrTwoFirmwaresDiffer) {
  FleetDrift drift;
  for (int node = 0; node < 2; ++node) {
    result::Run one = run(node);
    one.fingerprint.settings["gpu.0.vbios"] = fmt::format("{}", node);
    one.fingerprint.stack["driver.version"] = fmt::format("{}", node);
    drift.add(one, fmt::format("n{}", node));
  }
  const std::vector<DriftedFact> facts = drift.facts();
  ASSERT_THAT(facts, SizeIs(2));
  EXPECT_EQ(facts[0].field, "stack.driver.version");
  EXPECT_EQ(facts[1].field, "settings.gpu.0.vbios");
}

TEST(FleetDrift, WhatARunLacksIsDrift) {
  FleetDrift drift;
  for (int node = 0; node < 12; ++node) {
    result::Run one = run(node);
    if (node == 2) one.fingerprint.settings.erase("gpu.0.vbios");
    if (node == 4) one.fingerprint.stack.erase("nccl.version");
    if (node == 6) one.fingerprint.settings["env.NCCL_ALGO"] = "Ring";
    drift.add(one, fmt::format("n{:02}", node));
  }
  const std::vector<DriftedFact> facts = drift.facts();
  ASSERT_THAT(facts, SizeIs(3));
  EXPECT_EQ(facts[0].field, "stack.nccl.version");
  EXPECT_EQ(facts[0].usual, "2.27");
  EXPECT_EQ(facts[0].of, 12U);
  EXPECT_EQ(facts[0].odd.at(0).value, std::nullopt);
  EXPECT_THAT(facts[0].odd.at(0).labels, ElementsAre("n04"));
  EXPECT_EQ(facts[1].field, "settings.env.NCCL_ALGO");
  EXPECT_TRUE(facts[1].majority);
  EXPECT_EQ(facts[1].usual, std::nullopt) << "most do not set it";
  EXPECT_EQ(facts[1].runs, 11U);
  EXPECT_EQ(facts[1].odd.at(0).value, "Ring");
  EXPECT_EQ(facts[2].field, "settings.gpu.0.vbios");
  EXPECT_THAT(facts[2].odd.at(0).labels, ElementsAre("n02"));
}

TEST(FleetDrift, AGpuThatANodeDoesNotHaveAndAFamilyThatItDidNotMeasureAreNotLacking) {
  FleetDrift drift;
  for (int node = 0; node < 8; ++node) {
    result::Run one = run(node);
    one.fingerprint.suite["suite.source_hash.host"] = "ab";
    one.fingerprint.device["gpu.count"] = node < 5 ? "2" : "1";
    if (node < 5) {
      one.fingerprint.device["gpu.1.name"] = "H200";
      one.fingerprint.settings["gpu.1.vbios"] = "96.00";
    }
    if (node == 1) one.fingerprint.settings.erase("gpu.1.vbios");
    if (node == 3) one.fingerprint.suite.erase("suite.source_hash.host");
    drift.add(one, fmt::format("n{}", node));
  }
  const std::vector<DriftedFact> facts = drift.facts();
  ASSERT_THAT(facts, SizeIs(2));
  EXPECT_EQ(facts[0].field, "device.gpu.count");
  EXPECT_EQ(facts[1].field, "settings.gpu.1.vbios");
  EXPECT_EQ(facts[1].of, 5U) << "those that have this GPU";
  EXPECT_THAT(facts[1].odd.at(0).labels, ElementsAre("n1"));
}

TEST(FleetDrift, KeepsAllNamesWhateverTheOrder) {
  FleetDrift drift;
  for (int node = 39; node >= 0; --node) {
    result::Run one = run(node);
    if (node < 15) one.fingerprint.stack["nccl.version"] = "2.26";
    drift.add(one, fmt::format("n{:02}", node));
  }
  const std::vector<DriftedFact> facts = drift.facts();
  ASSERT_THAT(facts, SizeIs(1));
  EXPECT_EQ(facts[0].odd[0].runs, 15U);
  ASSERT_THAT(facts[0].odd[0].labels, SizeIs(15));
  EXPECT_EQ(facts[0].odd[0].labels.front(), "n00");
  EXPECT_EQ(facts[0].odd[0].labels.back(), "n14");
}

TEST(FleetDrift, CallsRunsAsItIsTold) {
  FleetDrift drift;
  for (int node = 0; node < 8; ++node) {
    result::Run one = run(node);
    if (node < 3) one.fingerprint.stack["nccl.version"] = "2.26";
    drift.add(one, fmt::format("{}.json", node));
  }
  const std::vector<DriftedFact> facts = drift.facts({{"0.json", "box"}, {"1.json", "box"}});
  ASSERT_THAT(facts, SizeIs(1));
  EXPECT_EQ(facts[0].odd[0].runs, 3U);
  EXPECT_THAT(facts[0].odd[0].labels, ElementsAre("2.json", "box"));
}

}  // namespace
}  // namespace gpugauge::judge
