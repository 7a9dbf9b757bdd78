// Calls of NVML that replace older ones, and what only they tell.
#include <gmock/gmock.h>

#include "servers.hpp"
#include "unit/stack/inventory/gpus_found.hpp"

namespace gpugauge::stack {
namespace {

TEST(NewerCalls, TheHealthOfAFabricIsToldWhereTheDriverJudgesIt) {
  FakeTree tree;
  make_server(tree);
  const auto health = [&](const std::string& mask) {
    return gpus_of(tree, h100 + "fabric_health=" + mask + "\n").value("gpu.0.fabric_health");
  };
  EXPECT_EQ(health("0"), "") << "not supported";
  EXPECT_EQ(health("426"), "healthy") << "0x1AA: no flag holds, the configuration is right";
  EXPECT_EQ(health("425"), "degraded_bandwidth");
  EXPECT_EQ(health("340"), "route_recovery,route_unhealthy,access_timeout_recovery") << "0x154";
  EXPECT_EQ(health("1365"),
            "degraded_bandwidth,route_recovery,route_unhealthy,access_timeout_recovery,"
            "too_few_nvlinks");
  EXPECT_EQ(health("2218"), "misconfiguration_8") << "0x8AA, of a newer driver";
  const Inventory waits = gpus_of(tree, h100 + "gpu.0.fabric_state=2\nfabric_health=425\n");
  EXPECT_EQ(waits.value("gpu.0.fabric_state"), "in_progress");
  EXPECT_EQ(waits.value("gpu.0.fabric_health"), "") << "not before it has joined";
}

TEST(NewerCalls, AnOlderDriverTellsTheFabricByItsOlderCall) {
  FakeTree tree;
  make_server(tree);
  for (const char* const code : {"13", "25"}) {
    const Inventory found =
        gpus_of(tree, h100 + "code.nvmlDeviceGetGpuFabricInfoV=" + code + "\nfabric_health=425\n");
    EXPECT_EQ(found.value("gpu.0.fabric_state"), "completed");
    EXPECT_EQ(how(found, "gpu.0.fabric_state"), "nvmlDeviceGetGpuFabricInfo");
    EXPECT_EQ(found.find("gpu.0.fabric_health"), nullptr);
  }
}

TEST(NewerCalls, TheTemperatureIsAskedByItsNewerCallWhereTheOlderIsGone) {
  FakeTree tree;
  const Inventory found = gpus_of(tree, h100 + "code.nvmlDeviceGetTemperature=3\n");
  EXPECT_EQ(found.value("gpu.0.temperature_c"), "31");
  EXPECT_EQ(how(found, "gpu.0.temperature_c"), "nvmlDeviceGetTemperatureV");
}

}  // namespace
}  // namespace gpugauge::stack
