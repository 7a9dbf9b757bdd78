#include "conductor/pair_ways.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"

namespace gpugauge::conductor {
namespace {

/// A machine of four GPUs without NVLinks: 0 and 1 below one switch, 2 on the same processor, 3 on the other. CUDA
/// counts them the other way round than NVML.
result::Run machine() {
  result::Run run;
  run.device = "links";
  run.fingerprint.settings["host.virtualization"] = "none";
  const std::vector<std::pair<std::string, std::string>> places{
      {"0000:00:01.0 0000:01:00.0 0000:02:00.0", "0"},
      {"0000:00:01.0 0000:01:00.0 0000:02:08.0", "0"},
      {"0000:20:01.0", "0"},
      {"0000:80:01.0", "1"}};
  result::BenchmarkResult benchmark;
  benchmark.id = "copy/peer";
  for (std::size_t gpu = 0; gpu < places.size(); ++gpu) {
    const std::string prefix = fmt::format("gpu.{}.", gpu);
    const std::string uuid = fmt::format("GPU-{}", gpu);
    run.fingerprint.device[prefix + "uuid"] = uuid;
    run.fingerprint.topology[prefix + "pci_bridges"] = places[gpu].first;
    run.fingerprint.topology[prefix + "pci_chipset"] = "none";
    run.fingerprint.topology[prefix + "socket"] = places[gpu].second;
    run.telemetry.push_back({"gpu:" + uuid, "nvlinks_active", "1", {1}, {0}});
    run.telemetry.push_back({"gpu:" + uuid, "pcie_generation", "1", {1}, {5}});
    run.telemetry.push_back({"gpu:" + uuid, "pcie_width", "1", {1}, {16}});
    benchmark.notes[fmt::format("gpu_{}", 3 - gpu)] = uuid;
  }
  result::Process process;
  process.samples.emplace();
  process.samples->benchmarks = {benchmark};
  run.processes = {process};
  return run;
}

/// The path of the copies between two GPUs as NVML counts them.
std::string path(const result::Run& run, int from, int to, const char* middle = "_to_",
                 const char* metric_class = "p2p") {
  diagnose::Observation out;
  diagnose::Metric metric;
  metric.metric_class = metric_class;
  metric.scope.op = fmt::format("copy/peer:bandwidth_{}{}{}", 3 - from, middle, 3 - to);
  out.metrics = {metric};
  add_pair_ways({run}, out);
  return out.metrics.front().scope.path;
}

TEST(PairWays, FollowThePciTree) {
  EXPECT_EQ(path(machine(), 0, 1), "same_switch");
  EXPECT_EQ(path(machine(), 1, 2), "host_bridge");
  EXPECT_EQ(path(machine(), 3, 0), "cross_socket");
  EXPECT_EQ(path(machine(), 3, 0, "_and_"), "cross_socket") << "both at once";
  EXPECT_EQ(path(machine(), 3, 0, "_to_", "coll_small"), "cross_socket") << "times of small copies";
}

TEST(PairWays, AChipsetIsOnTheWayOfOneOfThem) {
  result::Run run = machine();
  run.fingerprint.topology["gpu.2.pci_chipset"] = "500 Series Chipset Switch Upstream Port";
  EXPECT_EQ(path(run, 2, 1), "chipset");
  EXPECT_EQ(path(run, 0, 1), "same_switch");
  run.fingerprint.topology["gpu.2.pci_chipset"] = "unknown";
  EXPECT_EQ(path(run, 2, 1), "host_bridge");
}

TEST(PairWays, OnARootBusThereIsNoSwitch) {
  result::Run run = machine();
  for (const char* gpu : {"gpu.0.", "gpu.1."})
    run.fingerprint.topology[std::string(gpu) + "pci_bridges"] = "none";
  EXPECT_EQ(path(run, 0, 1), "host_bridge");
  for (const char* gpu : {"gpu.0.", "gpu.1."})
    run.fingerprint.topology[std::string(gpu) + "socket"] = "unknown";
  EXPECT_EQ(path(run, 0, 1), "");
}

TEST(PairWays, NvlinksAreTheWayWhereAllLeadToSwitches) {
  result::Run run = machine();
  for (result::Series& series : run.telemetry)
    if (series.name == "nvlinks_active") series.values = {18};
  EXPECT_EQ(path(run, 0, 1), "") << "a bridge may join others";
  for (int gpu = 0; gpu < 4; ++gpu)
    run.telemetry.push_back({fmt::format("gpu:GPU-{}", gpu), "nvlinks_to_switch", "1", {1}, {18}});
  EXPECT_EQ(path(run, 0, 1), "nvlink");
}

TEST(PairWays, NothingIsSaidOfWhatIsNotKnown) {
  result::Run machine_of_others = machine();
  machine_of_others.fingerprint.settings["host.virtualization"] = "kvm";
  EXPECT_EQ(path(machine_of_others, 0, 1), "");
  result::Run earlier = machine();
  earlier.fingerprint.topology.clear();
  EXPECT_EQ(path(earlier, 0, 1), "");
  result::Run unseen = machine();
  unseen.telemetry.clear();
  EXPECT_EQ(path(unseen, 0, 1), "");
  result::Run nameless = machine();
  nameless.processes.front().samples->benchmarks.front().notes.clear();
  EXPECT_EQ(path(nameless, 0, 1), "");
}

TEST(PairWays, AGpuOnTheChipsetIsSeenAlone) {
  result::Run run = machine();
  run.device = "GPU-1";
  diagnose::Observation out;
  add_pair_ways({run}, out);
  EXPECT_FALSE(out.inventory.contains("topology.path"));
  run.fingerprint.topology["gpu.1.pci_chipset"] = "500 Series Chipset Switch Upstream Port";
  add_pair_ways({run}, out);
  EXPECT_EQ(out.inventory.at("topology.path"), diagnose::Value(std::string("chipset")));
}

TEST(PairWays, CopiesBelowASwitchThatFellBehindThoseAcrossProcessorsAreRedirected) {
  diagnose::Observation out;
  out.about.compared_with = "earlier";
  for (const auto& [name, factor] :
       {std::pair{"3_to_2", 2.1}, {"2_to_3", 2.0}, {"3_to_0", 1.0}, {"0_to_3", 1.0}}) {
    diagnose::Metric metric;
    metric.metric_class = "p2p";
    metric.factor = factor;
    metric.judged = factor > 1 ? "slower" : "unchanged";
    metric.scope.op = fmt::format("copy/peer:bandwidth_{}", name);
    out.metrics.push_back(metric);
  }
  add_pair_ways({machine()}, out);
  const auto found = diagnose::diagnose(out).findings;
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().cause, "acs_enabled");
}

}  // namespace
}  // namespace gpugauge::conductor
