// Lines as NCCL wrote them on people's machines, from public reports; host names are shortened.
#include "nccl/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/nccl_lines.hpp"

namespace gpugauge::bench::nccl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// NCCL 2.4.7, NVIDIA/nccl#226 and Mellanox/nv_peer_memory#56
constexpr const char* old_sockets = R"(NCCL version 2.4.7+cuda9.2
ip-172:45407:45407 [0] NCCL INFO NET/Socket : Using [0]ens3:172.31.10.182<0>
ip-172:45407:45407 [0] NCCL INFO NET/Plugin : No plugin found (libnccl-net.so).
ip-172:45384:45384 [0] NCCL INFO NET/IB : No device found.
ip-172:45384:45384 [0] NCCL INFO Ring 00 : 3 -> 0 [receive] via NET/Socket/0
)";

// NVIDIA/nccl#1538 (2.22.3), #1189 (channels), and a public training log of 16 ranks over two machines
constexpr const char* two_nodes = R"(w0:5666:5666 [3] NCCL INFO NCCL version 2.22.3+cuda12.5
w0:5666:5808 [3] NCCL INFO Using network IB
w0:5666:5808 [3] NCCL INFO Channel 07/0 : 3[3] -> 4[4] via P2P/CUMEM
w0:5667:5814 [4] NCCL INFO Channel 06/0 : 4[4] -> 5[5] via P2P/CUMEM
w0:7650:7708 [0] NCCL INFO Channel 00/0 : 9[1] -> 0[0] [receive] via NET/IB/0/GDRDMA
w0:7650:7708 [0] NCCL INFO Channel 01/0 : 9[1] -> 0[0] [receive] via NET/IB/3(0)/GDRDMA
w0:4015540:4015653 [1] NCCL INFO 8 coll channels, 0 collnet channels, 0 nvls channels, 8 p2p channels, 2 p2p channels per peer
w0:4015540:4015653 [1] NCCL INFO Connected all rings
w0:4015540:4015653 [1] NCCL INFO Connected all trees
)";

TEST(Log, reads_version_plugin_and_sockets_of_2_4) {
  const Log log = parse_log(old_sockets);
  EXPECT_EQ(log.version, "2.4.7+cuda9.2");
  EXPECT_EQ(log.plugin, "none");
  EXPECT_THAT(log.paths, ElementsAre(Pair("NET/Socket", 1)));
  EXPECT_EQ(transport_of(log), "socket");
}

TEST(Log, reads_two_nodes_of_2_22) {
  const Log log = parse_log(two_nodes);
  EXPECT_EQ(log.version, "2.22.3+cuda12.5");
  EXPECT_EQ(log.network, "IB");
  EXPECT_THAT(log.paths, ElementsAre(Pair("NET/IB/GDRDMA", 2), Pair("P2P/CUMEM", 2)));
  EXPECT_EQ(log.collective_channels, 8);
  EXPECT_EQ(log.nvls_channels, 0);
  EXPECT_EQ(transport_of(log), "ib");
}

// Each with the version or report that it is from.
TEST(Log, reads_every_way_that_a_path_is_written) {
  const auto only = [](const std::string& line) {
    const Log log = parse_log(line);
    return log.paths.size() == 1 ? log.paths.begin()->first + " = " + transport_of(log) : "";
  };
  EXPECT_EQ(only("d:1890:1890 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read"),
            "P2P/CUMEM/read = p2p");
  EXPECT_EQ(only("hw14:798:812 [2] NCCL INFO Channel 05/0 : 2[2] -> 1[1] via P2P/direct pointer"),
            "P2P/direct pointer = p2p");
  EXPECT_EQ(only("lsp:7650:7708 [0] NCCL INFO Channel 00/0 : 0[4b000] -> 7[cf000] via P2P/IPC/read"),
            "P2P/IPC/read = p2p");
  EXPECT_EQ(only("l:195:1185 [3] NCCL INFO Channel 00 : 3[3] -> 2[2] via SHM/direct/direct"),
            "SHM/direct/direct = shm");
  EXPECT_EQ(only("r:1122:1663 [1] NCCL INFO Channel 32 : 1[c3000] -> 0[3000] via SHM/direct/direct comm "
                 "0x557519a97630 "
                 "nRanks 02"),
            "SHM/direct/direct = shm");
  EXPECT_EQ(only("lab:2220001:2220001 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [receive] via NET/Socket/1"),
            "NET/Socket = socket");
  EXPECT_EQ(only("VM:28471:28471 [0] NCCL INFO Channel 01/1 : 0[0] -> 1[1] [send] via NET/Socket/0/Shared"),
            "NET/Socket/Shared = socket");
  EXPECT_EQ(only("f:695135:695311 [0] NCCL INFO Channel 00/0 : 4092[d6000] -> 0[d6000] [receive] via NET/AWS "
                 "Libfabric/2/GDRDMA comm 0x9bbf3b0 nRanks 4096"),
            "NET/AWS Libfabric/GDRDMA = net");
}

TEST(Log, reads_channels_of_old_and_new_versions) {
  // 2.10
  Log log =
      parse_log("ip-10:1465:1471 [0] NCCL INFO 2 coll channels, 2 p2p channels, 1 p2p channels per peer");
  EXPECT_EQ(log.collective_channels, 2);
  EXPECT_FALSE(log.nvls_channels);
  // 2.27
  log = parse_log(
      "g:1799:1799 [3] NCCL INFO 24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, "
      "32 p2p "
      "channels per peer");
  EXPECT_EQ(log.collective_channels, 24);
  EXPECT_EQ(log.nvls_channels, 16);
}

TEST(Log, reads_choices_by_number_and_by_name) {
  const Log log =
      parse_log(R"(n:309:309 [0] NCCL INFO AllGather: 37756928 Bytes -> Algo 1 proto 2 time 2860.208008
n:1:1 [0] NCCL INFO 8 Bytes -> Algo 0 proto 0 time 7.200057
a8:1247:1247 [0] NCCL INFO Broadcast: 85711360 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..3}
n:1:1 [0] NCCL INFO AllReduce: 33554432 Bytes -> Algo NVLS proto LL128 channel{Lo..Hi}={0..15}
)");
  ASSERT_EQ(log.choices.size(), 4U);
  EXPECT_EQ(log.choices[0].collective, "AllGather");
  EXPECT_EQ(log.choices[0].bytes, 37'756'928U);
  EXPECT_EQ(log.choices[0].algorithm + " " + log.choices[0].protocol, "ring simple");
  EXPECT_EQ(log.choices[1].collective, "");
  EXPECT_EQ(log.choices[1].algorithm + " " + log.choices[1].protocol, "tree ll");
  EXPECT_EQ(log.choices[2].algorithm + " " + log.choices[2].protocol, "ring simple");
  EXPECT_EQ(log.choices[2].channels, "0..3");
  EXPECT_EQ(log.choices[3].algorithm + " " + log.choices[3].protocol, "nvls ll128");
}

TEST(Log, reads_plugins_and_warnings) {
  // NCCL 2.27.5 on a machine with HPC-X's plugin: newer interfaces are looked for first.
  const Log log = parse_log(R"(n:1:2 [0] NCCL INFO NET/Plugin: Failed to find ncclNetPlugin_v10 symbol.
n:1:2 [0] NCCL INFO NET/Plugin: Loaded net plugin NCCL RDMA Plugin v6 (v6)
n:1:2 [0] misc/socket.cc:537 NCCL WARN ncclSocketInit: connecting to address  with family 1 is neither AF_INET(2) nor AF_INET6(10)
)");
  EXPECT_EQ(log.plugin, "NCCL RDMA Plugin v6");
  EXPECT_THAT(log.warnings, ElementsAre(testing::StartsWith("ncclSocketInit: connecting to address")));
  EXPECT_EQ(parse_log("h:1:257 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so").plugin, "none");
}

TEST(Log, passes_over_numbers_that_are_none) {
  const Log log = parse_log(R"(n:1:1 [0] NCCL INFO 99999999999 coll channels, 3 nvls channels, x p2p channels
n:1:1 [0] NCCL INFO AllReduce: 99999999999999999999999 Bytes -> Algo 1 proto 2 time 1
n:1:1 [0] NCCL INFO AllReduce: 8 Bytes -> Algo 1 proto
n:1:1 [0] NCCL INFO AllReduce: 8 Bytes -> Algo 1 proto 2 channel{Lo..Hi}={0..
n:1:1 [0] NCCL INFO AllReduce [Symmetric]: 16 Bytes -> Kernel AllReduce_AGxLL_R nchannels 1
)");
  EXPECT_FALSE(log.collective_channels);
  EXPECT_EQ(log.nvls_channels, 3);
  ASSERT_EQ(log.choices.size(), 2U);
  EXPECT_EQ(log.choices[0].bytes, 8U);
  EXPECT_EQ(log.choices[0].channels, "");
  EXPECT_EQ(log.choices[1].algorithm + " " + log.choices[1].protocol, "symmetric AllReduce_AGxLL_R");
}

// A regular expression goes a step deeper with each letter, until the stack ends.
TEST(Log, takes_a_line_of_any_length) {
  const std::string digits(1U << 20U, '1');
  EXPECT_FALSE(parse_log(digits + " coll channels").collective_channels);
  EXPECT_THAT(parse_log(digits + " Bytes -> Algo RING proto LL").choices, IsEmpty());
  const Log log = parse_log("0 -> 1 via NET/" + digits + "(" + digits + ")/" + digits + "x");
  EXPECT_THAT(log.paths, ElementsAre(Pair("NET/" + digits + "x", 1)));
}

// NCCL 2.18 to 2.30, from its sources: NET/Plugin, libibverbs, GPU Direct RDMA, variables, peer access.
TEST(Log, keeps_the_lines_that_tell_why) {
  const Log log = parse_log(R"(n:1:2 [0] NCCL INFO NCCL version 2.27.7+cuda12.9
n:1:2 [0] NCCL INFO NET/Plugin: libnccl-net.so: /lib/libibverbs.so.1: version `IBVERBS_PRIVATE_34' not found
n:1:2 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.
n:1:3 [1] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.
n:1:2 [0] NCCL INFO Failed to open libibverbs.so[.1]
n:1:2 [0] NCCL INFO NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'
n:1:2 [0] NCCL INFO NET/Socket : GPU Direct RDMA Disabled for HCA 1 'eth1'
n:1:2 [0] NCCL INFO P2P is disabled between connected GPUs 0 and 1. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.
n:1:2 [0] NCCL INFO P2P is disabled between connected GPUs 0 and 2. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.
n:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via SHM/direct/direct
)");
  EXPECT_THAT(
      log.reasons,
      ElementsAre("NET/Plugin: libnccl-net.so: /lib/libibverbs.so.1: version `IBVERBS_PRIVATE_34' not found",
                  "NCCL_P2P_DISABLE set by environment to 1.", "Failed to open libibverbs.so[.1]",
                  "NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'",
                  "P2P is disabled between connected GPUs 0 and 1. You can repress this message with "
                  "NCCL_IGNORE_DISABLED_P2P=1."));
}

TEST(Log, keeps_few_lines_of_a_kind) {
  std::string text;
  for (int i = 0; i < 9; ++i)
    text += "n:1:2 [0] NCCL INFO NCCL_VARIABLE_" + std::to_string(i) + " set by environment to 1.\n";
  EXPECT_THAT(parse_log(text).reasons, testing::SizeIs(3));
}

// 2.30 tries libibverbs.so, which only development packages bring, before libibverbs.so.1.
TEST(Log, keeps_no_line_of_what_was_found_after_all) {
  const std::string first = "n:1:2 [0] NCCL INFO Count not open libibverbs.so\n";
  EXPECT_THAT(parse_log(first).reasons, IsEmpty());
  EXPECT_THAT(parse_log(first + "n:1:2 [0] NCCL INFO Count not open libibverbs.so.1\n").reasons,
              ElementsAre("Count not open libibverbs.so.1"));
  const std::string asked = "n:1:2 [0] NCCL INFO NET/Plugin: Failed to find ncclNetPlugin_v10 symbol.\n";
  EXPECT_THAT(parse_log(asked).reasons, testing::SizeIs(1));
  EXPECT_THAT(parse_log(asked + "n:1:2 [0] NCCL INFO NET/Plugin: Loaded net plugin IBext_v8 (v8)\n").reasons,
              ElementsAre("NET/Plugin: Loaded net plugin IBext_v8 (v8)"));
}

TEST(Log, lines_become_one_text_that_can_be_taken_apart) {
  EXPECT_EQ(in_one({"a", "b | c", "a", "d", "e"}, 3), "a | b / c | d");
  EXPECT_THAT(result::nccl_lines(in_one({"a", "b"}, 9)), ElementsAre("a", "b"));
  EXPECT_EQ(in_one({}, 3), "");
  EXPECT_THAT(result::nccl_lines(""), IsEmpty());
  EXPECT_LE(in_one({std::string(5000, 'x')}, 3).size(), 200U);
}

TEST(Log, finds_nothing_in_other_text) {
  const Log log = parse_log("a -> b\nvia nowhere\nAlgo 1 proto 2\n\n");
  EXPECT_THAT(log.paths, IsEmpty());
  EXPECT_THAT(log.choices, IsEmpty());
  EXPECT_THAT(log.reasons, IsEmpty());
  EXPECT_EQ(transport_of(log), "");
  EXPECT_EQ(log.version, "");
}

}  // namespace
}  // namespace gpugauge::bench::nccl
