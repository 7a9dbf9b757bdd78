// What reports of jobs over several nodes showed. Made-up reports, and beside each one that means another thing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/diagnose/taught.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught_network {

using made_up::best;
using made_up::score;

const std::string fails = R"("about": {"nodes": 2}, "metrics": [{"class": "coll_large", "fails": true}])";

std::string log(const std::string& line) {
  return R"(, "log": [")" + line + R"("])";
}

std::string mended(const std::string& detail) {
  return R"(, "probes": [{"name": "change_setting", "outcome": "recovers", "detail": ")" + detail + R"("}])";
}

const std::string no_queue = log("NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out");

TEST(TaughtNetwork, RanksThatNeverMeetAreUnreachable) {
  EXPECT_EQ(
      best(fails + log("NCCL WARN socketStartConnect: Connect to 10.0.0.7<43211> failed : No route to host")),
      "rank_unreachable");
  EXPECT_EQ(best(fails + log("NCCL INFO Bootstrap : Using lo:127.0.0.1<0>")), "rank_unreachable");
  EXPECT_EQ(best(fails + mended("NCCL_SOCKET_IFNAME=bond0")), "rank_unreachable");
  const std::string one = R"("about": {"nodes": 1}, "metrics": [{"class": "coll_large", "fails": true}])";
  EXPECT_EQ(best(one + log("NCCL INFO Bootstrap : Using lo:127.0.0.1<0>")), "")
      << "one machine may use its loopback";
  EXPECT_EQ(best(R"("metrics": [{"class": "coll_large", "factor": 1.0}])" +
                 log("NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>")),
            "")
      << "nothing is wrong";
}

TEST(TaughtNetwork, ARankThatDiedClosesItsConnections) {
  const std::string refused = "socketStartConnect: Connect to 10.0.0.7<43211> failed : Connection refused";
  EXPECT_GE(score(fails + log(refused), "rank_unreachable"), confident);
  EXPECT_LT(score(fails + R"(, "log": [")" + refused + R"(", "torch.OutOfMemoryError: CUDA out of memory"])",
                  "rank_unreachable"),
            confident);
}

TEST(TaughtNetwork, OnceRdmaIsSetUpTheRanksHaveMet) {
  const std::string rule = mended("security group=outbound rule for the group itself");
  EXPECT_EQ(best(fails + rule), "rank_unreachable");
  EXPECT_EQ(
      best(fails + log("NET/OFI Unable to insert remote address into address vector for device 1") + rule),
      "rdma_path_broken");
}

TEST(TaughtNetwork, AnUnlikeSettingOfTheNetworkIsNoVersionsFault) {
  const std::string newer = R"(, "changed": {"nccl": [null, "2.20.3"]}, "probes": [
      {"name": "change_version", "outcome": "recovers", "detail": "nccl=2.19"})";
  const std::string alike =
      R"(, {"name": "change_setting", "outcome": "recovers", "detail": "mtu=as on the other node"})";
  EXPECT_EQ(best(fails + newer + "]"), "nccl_version_regression");
  EXPECT_EQ(best(fails + newer + alike + "]"), "rdma_path_broken");
}

TEST(TaughtNetwork, APartitionThatMovedBreaksThePath) {
  EXPECT_EQ(best(fails + R"(, "changed": {"infiniband.pkey_index": [0, 1]})"), "rdma_path_broken");
  EXPECT_EQ(best(fails + R"(, "changed": {"infiniband.firmware": ["20.1", "20.2"]})"), "");
}

TEST(TaughtNetwork, CablesThatJoinTheWrongPortsBreakThePath) {
  EXPECT_EQ(best(fails + mended("cable=another one")), "rdma_link_degraded");
  EXPECT_EQ(best(fails + no_queue + mended("cables=p0 to p1 on each")), "rdma_path_broken");
  EXPECT_EQ(best(fails + no_queue + mended("NCCL_CROSS_NIC=0")), "rdma_path_broken")
      << "cards of other rails";
  EXPECT_EQ(score(fails + mended("cable=another one"), "pcie_link_degraded"), 0)
      << "it lies between machines";
}

TEST(TaughtNetwork, APortThatIsDownIsNamedBeforeItsBrokenConnections) {
  const std::string lines = R"(, "log": ["NCCL WARN NET/IB : mlx5_4:1 Got async event : port error",
      "NCCL WARN NET/IB : Got completion from peer 10.1.2.3<51234> with status=12 opcode=0 len=0 vendor err 129"])";
  EXPECT_EQ(best(fails + lines), "rdma_link_degraded");
}

TEST(TaughtNetwork, PortsThatWereReadCountBySiblingsAndSlots) {
  const std::string slow = R"("about": {"nodes": 2, "compared_with": "earlier"}, "metrics": [
      {"class": "coll_large", "factor": 1.8}, {"class": "p2p", "factor": 1.0}])";
  const auto inventory = [&](const std::string& facts) { return slow + R"(, "inventory": {)" + facts + "}"; };
  EXPECT_EQ(best(inventory(R"("network.ports_active": 7, "network.ports_expected": 8)")),
            "rdma_link_degraded");
  EXPECT_EQ(best(inventory(R"("network.pcie_width": 8, "network.pcie_width_max": 16)")),
            "rdma_link_degraded");
  EXPECT_NE(best(inventory(R"("network.ports_active": 8, "network.ports_expected": 8,
      "network.rate_gbps": 400, "network.rate_expected_gbps": 400)")),
            "rdma_link_degraded");
}

TEST(TaughtNetwork, ANetworkThatIsSlowByItselfIsNoGpusFault) {
  const auto figure = [](const std::string& op) {
    return R"("about": {"nodes": 2, "compared_with": "expected"}, "metrics": [{"class": "application", "factor": 7.2,
        "scope": {"op": ")" +
           op + R"("}}])";
  };
  EXPECT_EQ(best(figure("ib_write_bw with 8 queue pairs")), "rdma_link_degraded");
  EXPECT_NE(best(figure("ib_write_bw --use_cuda, GPU memory")), "rdma_link_degraded");
}

TEST(TaughtNetwork, LockedMemoryIsNamedByWhatItRefuses) {
  EXPECT_EQ(
      best(fails + R"(, "inventory": {"host.memlock_kib": 8192})" +
           log("UCX  ERROR mlx5dv_devx_umem_reg(size=131072 access=0x0) failed: Cannot allocate memory")),
      "locked_memory_limit");
  EXPECT_EQ(
      best(fails + log("Please set max locked memory (ulimit -l) to 'unlimited' (current: 8192 kbytes)")),
      "locked_memory_limit");
  EXPECT_EQ(score(fails + R"(, "inventory": {"host.memlock_kib": "unlimited"})" +
                      log("ibv_reg_mr failed: Cannot allocate memory"),
                  "locked_memory_limit"),
            0);
  EXPECT_EQ(
      best(
          R"("metrics": [{"class": "h2d", "factor": 3}, {"class": "d2h", "factor": 3}, {"class": "hbm", "factor": 1}],
      "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "pin_memory=True"}])"),
      "pageable_memory")
      << "slow copies are another thing";
}

TEST(TaughtNetwork, AJobThatRunsHasMet) {
  const std::string slow = R"("about": {"nodes": 2}, "metrics": [{"class": "coll_large", "factor": 1.4}])";
  const std::string retry =
      log("socketPollConnect: connect to 10.0.0.2<5> returned Connection refused, retrying (1/34)");
  EXPECT_EQ(score(slow + retry, "rank_unreachable"), 0);
  EXPECT_EQ(score(fails + retry, "rank_unreachable"), 0) << "a later try may have succeeded";
  EXPECT_EQ(
      score(slow + log("The hostname of the client socket cannot be retrieved. err=-3"), "rank_unreachable"),
      0);
}

TEST(TaughtNetwork, ConnectionsOfOtherThingsAreNoRanks) {
  const std::string one = R"("metrics": [{"class": "application", "fails": true}])";
  for (const char* const line : {"grpc: Connection refused 127.0.0.1:50051",
                                 "Failed to connect to github.com port 443: Connection timed out",
                                 "wandb: Name or service not known", "dcgmi: localhost: Connection refused"})
    EXPECT_EQ(score(one + log(line), "rank_unreachable"), 0) << line;
  EXPECT_EQ(score(one + mended("firewall=open 7070 to the license server"), "rank_unreachable"), 0);
  EXPECT_EQ(score(one + mended("network_mode=host"), "rank_unreachable"), 0);
}

TEST(TaughtNetwork, ARankThatDiedBreaksTheQueuesOfOthers) {
  const std::string completion =
      "NCCL WARN NET/IB : Got completion from peer 10.1.2.3<5> with status=12 opcode=0 len=0 vendor err 129";
  EXPECT_GE(score(fails + log(completion), "rdma_path_broken"), confident);
  const auto beside = [&](const std::string& end) {
    return fmt::format(R"({}, "log": ["{}", "{}"])", fails, completion, end);
  };
  for (const char* const end :
       {"CUDA out of memory", "NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus",
        "Segmentation fault"})
    EXPECT_LT(score(beside(end), "rdma_path_broken"), confident) << end;
  EXPECT_LT(score(fails + log(completion) + mended("iommu=pt"), "rdma_path_broken"), confident);
}

TEST(TaughtNetwork, WordsWithinOtherWordsTellNothing) {
  for (const char* const line :
       {"ImportError: import error: libfoo", "ERROR: export error while saving",
        "transport error: failed to bind", "srun: error: node1: task 0: Exited with status=127",
        "worker exited with status=12", "link_downed: 0"})
    EXPECT_EQ(best(fails + log(line)), "") << line;
  for (const char* const field : {"network.switch", "network.slot", "slurm.partition", "partition_table",
                                  "app.rigid_bodies", "container.gid", "docker.mtu"})
    EXPECT_EQ(score(fails + R"(, "changed": {")" + field + R"(": ["a", "b"]})", "rdma_path_broken"), 0)
        << field;
  for (const char* const line : {"OMPI_MCA_btl_tcp_if_include=eth0", "c10d: the collective timed out",
                                 "gloo: timed out waiting 1800000ms for recv"})
    EXPECT_EQ(score(fails + log(line), "rank_unreachable"), 0) << line;
  EXPECT_EQ(score(fails + mended("NCCL_IB_HCA=mlx5_0"), "rdma_link_degraded"), 0) << "a choice is no repair";
  EXPECT_EQ(score(fails + log("ibv_modify_qp failed, curr state INIT, next state RTR"), "rdma_link_degraded"),
            0)
      << "the state of a queue is none of a port";
  EXPECT_EQ(score(fails + mended("ulimit -n=65536"), "locked_memory_limit"), 0);
  EXPECT_EQ(score(fails + log("ulimit -l: unlimited"), "locked_memory_limit"), 0);
}

TEST(TaughtNetwork, PartsOfTheGpuAreNoPartsOfTheNetwork) {
  const std::string slow = R"("metrics": [{"class": "application", "factor": 2}])";
  for (const char* const part : {"12VHPWR cable=reseated", "DisplayPort cable=changed", "gpu=reseated"})
    EXPECT_EQ(score(slow + mended(part), "rdma_link_degraded"), 0) << part;
  const std::string together = R"("about": {"nodes": 2}, "metrics": [{"class": "coll_large", "factor": 2}])";
  EXPECT_EQ(score(together + mended("cable=NVLink bridge reseated"), "rdma_link_degraded"), 0);
  EXPECT_EQ(score(together + mended("riser=new"), "rdma_link_degraded"), 0);
  EXPECT_EQ(best(together + mended("cable=the one of mlx5_3 changed")), "rdma_link_degraded");
}

TEST(TaughtNetwork, ACardsStateExplainsNoWorkOfOneGpu) {
  EXPECT_EQ(
      score(
          R"("about": {"compared_with": "earlier"}, "metrics": [{"class": "framework_op", "factor": 1.1}, {"class": "gemm16", "factor": 1.0}],
      "inventory": {"network.pcie_generation": 3, "network.pcie_generation_max": 4})",
          "rdma_link_degraded"),
      0);
}

TEST(TaughtNetwork, MemoryOfTheGpuThatCannotBeRegisteredIsNoLimit) {
  EXPECT_LT(score(fails + log("ibv_reg_mr failed: Cannot allocate memory") + mended("NCCL_NET_GDR_LEVEL=0"),
                  "locked_memory_limit"),
            confident);
  EXPECT_LT(score(fails + log("ibv_reg_mr failed: Cannot allocate memory") + mended("nvidia_peermem=loaded"),
                  "locked_memory_limit"),
            confident);
}

TEST(TaughtNetwork, GdrCopyClearsNothingOfGpuDirect) {
  const std::string slow =
      R"("about": {"nodes": 2}, "metrics": [{"class": "application", "value": 325, "unit": "MB/s",
      "judged": "slower", "scope": {"op": "osu_bw from device to device", "path": "net"}}],
      "inventory": {"host.infiniband": true, "peermem.module": null}, "probes": [
      {"name": "change_setting", "outcome": "no_change", "detail": ")";
  EXPECT_EQ(best(slow + R"(UCX_TLS=rc,sm,gdr_copy"}])"), "gdr_disabled");
  EXPECT_EQ(score(slow + R"(NCCL_NET_GDR_LEVEL=SYS"}])", "gdr_disabled"), 0);
}

TEST(TaughtNetwork, WithoutANetworkCardNothingReachesGpuMemory) {
  const auto training = [](const std::string& cards) {
    return R"("metrics": [{"class": "application", "judged": "slower", "note": "training is half as fast"}],
        "inventory": {"peermem.module": null, "host.infiniband": )" +
           cards + "}";
  };
  EXPECT_EQ(best(training("true")), "gdr_disabled");
  EXPECT_NE(best(training("false")), "gdr_disabled");
}

TEST(TaughtNetwork, OneNodeNeedsNoNetwork) {
  const auto started = [](const std::string& sizes) {
    return R"("metrics": [{"class": "application", "judged": "slower", "note": "training is half as fast"}],
        "log": ["NCCL INFO Failed to open libibverbs.so[.1]", "NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>", ")" +
           sizes + R"("])";
  };
  EXPECT_EQ(best(started("NCCL INFO comm 0x5 rank 0 nRanks 16 nNodes 2 localRanks 8")),
            "nccl_socket_fallback");
  EXPECT_LT(
      score(started("NCCL INFO comm 0x5 rank 0 nRanks 8 nNodes 1 localRanks 8"), "nccl_socket_fallback"),
      .35);
}

TEST(TaughtNetwork, AVariableThatIsNotSetOrSlowsNothingIsNoCause) {
  EXPECT_LT(
      score(R"("log": ["NCCL INFO NCCL_BUFFSIZE set by environment to 8388608."])", "nccl_env_leftover"),
      .55);
  EXPECT_EQ(score(R"("metrics": [{"class": "coll_large", "factor": 2}],
      "log": ["NCCL INFO NCCL_IB_DISABLE not set by environment"])",
                  "nccl_env_leftover"),
            0);
}

}  // namespace taught_network
}  // namespace
}  // namespace gpugauge::diagnose
