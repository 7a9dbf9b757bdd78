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
  ASSERT_THAT(facts, SizeIs(2)) << "names and UUIDs, which are everybody's own, are no drift";
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

TEST(FleetDrift, ModelsAreCountedApartAndHalvesAreNoMajority) {
  FleetDrift drift;
  for (int node = 0; node < 4; ++node) drift.add(run(node), fmt::format("a{}", node));
  for (int node = 4; node < 6; ++node) {
    result::Run one = run(node, "H100");
    one.fingerprint.settings["gpu.0.vbios"] = fmt::format("{}", node);
    drift.add(one, fmt::format("b{}", node));
  }
  EXPECT_THAT(drift.facts(), IsEmpty());
}

TEST(FleetDrift, KeepsTheFirstFewNamesWhateverTheOrder) {
  FleetDrift drift;
  for (int node = 39; node >= 0; --node) {
    result::Run one = run(node);
    if (node < 15) one.fingerprint.stack["nccl.version"] = "2.26";
    drift.add(one, fmt::format("n{:02}", node));
  }
  const std::vector<DriftedFact> facts = drift.facts();
  ASSERT_THAT(facts, SizeIs(1));
  EXPECT_EQ(facts[0].odd[0].runs, 15U);
  EXPECT_THAT(facts[0].odd[0].labels, ElementsAre("n00", "n01", "n02", "n03", "n04", "n05", "n06", "n07"));
}

}  // namespace
}  // namespace gpugauge::judge
