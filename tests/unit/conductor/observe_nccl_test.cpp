// From what NCCL's log said of two nodes to the cause. The lines are those of NCCL's sources and of public reports.
#include "conductor/observe_nccl.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "report/summary.hpp"
#include "unit/conductor/observe_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// Two nodes with InfiniBand and GPUDirect RDMA, before and now; collectives are half as fast now.
class ObserveNccl : public testing::Test {
 protected:
  ObserveNccl() {
    result::Run run;
    run.device = "links";
    run.started = "2026-11-28T10:00:00Z";
    run.complete = true;
    run.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}, {"gpu.0.name", "NVIDIA H100 80GB HBM3"}};
    result::BenchmarkResult benchmark;
    benchmark.id = "nccl/all_reduce/256MiB";
    benchmark.verifications = {{"compared", true, 0., 1.}};
    benchmark.notes = {{"nccl.version", "2.27.7"},
                       {"nccl.transport", "ib"},
                       {"nccl.network", "IB"},
                       {"nccl.plugin", "none"},
                       {"nccl.paths", "NET/IB/GDRDMA x 16, P2P/CUMEM x 24"},
                       {"nccl.reasons",
                        "NET/Plugin: Could not find: libnccl-net.so | "
                        "NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'"}};
    result::Process process;
    process.family = "nccl";
    process.samples.emplace().family = "nccl";
    process.samples->context = {{"ranks.nodes", "node1 node2"}};
    process.samples->benchmarks = {benchmark};
    run.processes = {process};
    before_.runs = {run};
    device_.rounds = {run};
    judge::Verdict verdict;
    verdict.kind = judge::VerdictKind::regressed;
    verdict.metric = "nccl/all_reduce/256MiB:busbw";
    verdict.metric_class = "coll_large";
    verdict.better = result::Direction::higher;
    verdict.value = 1e11;
    verdict.baseline = 2e11;
    device_.verdicts = {verdict};
    node_.present("host.infiniband", "mlx5_0", "/sys/class/infiniband");
    node_.present("host.infiniband.mlx5_0.driver", "mlx5_core", "/sys/class/infiniband");
    node_.present("host.infiniband.mlx5_0.link_layer", "InfiniBand", "/sys/class/infiniband");
  }

  static result::Samples& samples_of(result::Run& run) { return *run.processes.front().samples; }
  result::Facts& notes() { return samples_of(device_.rounds.front()).benchmarks.front().notes; }
  result::Facts& notes_before() { return samples_of(before_.runs.front()).benchmarks.front().notes; }
  void by_sockets(result::Facts& notes) const {
    notes["nccl.transport"] = "socket";
    notes["nccl.network"] = "Socket";
    notes["nccl.paths"] = "NET/Socket x 4, P2P/CUMEM x 24";
    notes["nccl.reasons"] = "NET/Plugin: Could not find: libnccl-net.so";
  }

  diagnose::Observation observation() { return observe(device_, &before_, {&node_}); }
  std::vector<std::string> causes() { return causes_of(observation()); }
  std::string best() {
    const auto all = causes();
    return all.empty() ? "" : all.front();
  }

  report::DeviceReport device_;
  baseline::Baseline before_;
  stack::Inventory node_;
};

TEST_F(ObserveNccl, NodesAreThoseOfTheRanks) {
  EXPECT_EQ(observation().about.nodes, 2);
  samples_of(device_.rounds.front()).context["ranks.nodes"] = "node1";
  EXPECT_EQ(observation().about.nodes, 1);
  samples_of(device_.rounds.front()).context.clear();
  EXPECT_EQ(observation().about.nodes, 1) << "no launcher started ranks elsewhere";
  device_.rounds.front().device = "GPU-0";
  EXPECT_EQ(observation().about.nodes, 1) << "collectives of one GPU";
}

TEST_F(ObserveNccl, LinesThatTheBaselineHasTooAreNoNews) {
  EXPECT_THAT(observation().log, ElementsAre("NCCL: channels via NET/IB/GDRDMA"));
  EXPECT_EQ(best(), "");
  notes()["nccl.warnings"] = "NET/IB : Unable to open device mlx5_0 | a second one";
  EXPECT_THAT(observation().log,
              ElementsAre("NCCL: channels via NET/IB/GDRDMA",
                          "NCCL: WARN NET/IB : Unable to open device mlx5_0", "NCCL: WARN a second one"));
  device_.verdicts.front().kind = judge::VerdictKind::ok;
  EXPECT_THAT(observation().log, IsEmpty()) << "collectives are as they were";
}

TEST_F(ObserveNccl, WithoutABaselineAllLinesAreTold) {
  device_.verdicts.front().judge = judge::Judge::physical;
  device_.verdicts.front().kind = judge::VerdictKind::failed;
  device_.verdicts.front().share = .2;
  const auto all =
      testing::ElementsAre("NCCL: channels via NET/IB/GDRDMA", "NCCL: channels via P2P/CUMEM",
                           "NCCL: Using network IB", "NCCL: NET/Plugin: Could not find: libnccl-net.so",
                           "NCCL: NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'");
  EXPECT_THAT(observe(device_, nullptr, {&node_}).log, all);
  EXPECT_THAT(observation().log, all) << "below a physical limit no other side is needed";
}

TEST_F(ObserveNccl, LibibverbsThatIsGoneIsTheFallbackToSockets) {
  for (const char* const line : {"Failed to open libibverbs.so[.1]", "Count not open libibverbs.so.1"}) {
    by_sockets(notes());
    notes()["nccl.reasons"] += " | " + std::string(line);
    EXPECT_THAT(observation().log, Contains("NCCL: " + std::string(line)));
    EXPECT_THAT(observation().log, Contains("NCCL: channels via NET/Socket"));
    EXPECT_EQ(best(), "nccl_socket_fallback") << line;
  }
}

TEST_F(ObserveNccl, SocketsThatWereUsedBeforeAreNoFallback) {
  by_sockets(notes());
  by_sockets(notes_before());
  EXPECT_THAT(causes(), Not(Contains("nccl_socket_fallback")));
  EXPECT_THAT(causes(), Not(Contains("nccl_plugin_load_failure")));
}

TEST_F(ObserveNccl, WithoutACardOfAFasterFabricSocketsAreNoFallback) {
  by_sockets(notes());
  notes()["nccl.reasons"] += " | NET/IB : No device found. | Failed to open libibverbs.so[.1]";
  node_ = {};
  node_.absent("host.infiniband", "/sys/class/infiniband");
  EXPECT_THAT(causes(), Not(Contains("nccl_socket_fallback")));
}

TEST_F(ObserveNccl, APluginThatCannotBeLoadedIsNamed) {
  by_sockets(notes());
  notes()["nccl.reasons"] =
      "NET/Plugin: libnccl-net.so: /lib/libibverbs.so.1: version `IBVERBS_PRIVATE_34' not found (required by "
      "/opt/libnccl-net.so)";
  node_.present("host.infiniband.mlx5_0.driver", "efa", "/sys/class/infiniband");
  EXPECT_EQ(observation().inventory.at("host.fabric"), diagnose::Value("efa"));
  EXPECT_EQ(best(), "nccl_plugin_load_failure");
}

TEST_F(ObserveNccl, APluginThatLacksOnlyNewerInterfacesWasLoaded) {
  notes()["nccl.transport"] = "net";
  notes()["nccl.plugin"] = "NCCL RDMA Plugin v6";
  notes()["nccl.reasons"] =
      "NET/Plugin: Failed to find ncclNetPlugin_v10 symbol. | NET/Plugin: Loaded net plugin NCCL RDMA Plugin v6 (v6)";
  EXPECT_THAT(causes(), Not(Contains("nccl_plugin_load_failure")));
}

TEST_F(ObserveNccl, ChannelsThatLostGdrdmaAreTheCause) {
  notes()["nccl.paths"] = "NET/IB x 16, P2P/CUMEM x 24";
  notes()["nccl.reasons"] = "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'";
  const diagnose::Observation seen = observation();
  EXPECT_THAT(seen.log, Contains("NCCL: channels via NET/IB"));
  EXPECT_EQ(seen.changed->at("nccl.paths").before,
            diagnose::Value(diagnose::Value::List{"NET/IB/GDRDMA", "P2P/CUMEM"}));
  EXPECT_EQ(best(), "gdr_disabled");
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
  notes_before() = notes();
  EXPECT_THAT(causes(), Not(Contains("gdr_disabled"))) << "it was so when it was faster";
}

TEST_F(ObserveNccl, AVariableThatNcclReadsFromAFileIsNamed) {
  notes()["nccl.transport"] = "shm";
  notes()["nccl.paths"] = "SHM/direct/direct x 8";
  notes()["nccl.reasons"] = "NCCL_P2P_DISABLE set by environment to 1.";
  EXPECT_EQ(best(), "nccl_env_leftover");
}

}  // namespace
}  // namespace gpugauge::conductor
