// The network between nodes: ports, the memory that it may lock, and whether ranks reach each other at all.
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/network_told.hpp"
#include "diagnose/causes/node_versions.hpp"
#include "diagnose/causes/printed.hpp"

namespace gpugauge::diagnose {
namespace {

const Words interface_names{"SOCKET_IFNAME", "IFNAME",       "btl_tcp_if",    "oob_tcp_if",
                            "MASTER_ADDR",   "VLLM_HOST_IP", "SOCKET_FAMILY", "NCCL_COMM_ID"};
const Words reachability{"network=host", "network_mode", "hostNetwork",    "--net=host", "firewall",
                         "iptables",     "ufw",          "security group", "/etc/hosts"};

/// Gloo tells both where a host's own name has no address of the network, and the ranks then did not meet.
Fact met_on_loopback(const Seen& seen) {
  return both(seen.told({"Gloo connectFullMesh failed", "Gloo*connectFullMesh failed"}),
              seen.told({"Using the loopback address as fallback"}));
}

void examine_unreachable(const Seen& seen, Argument& it) {
  const Fact refused = ranks_refused(seen);
  Fact failed = either(job_failed(seen), refused ? ended_told(seen) : Fact());
  // NCCL warns of it and ends.
  if (!failed && contains(refused.value_or(""), "NCCL WARN")) failed = refused;
  const Fact nowhere = no_interface(seen);
  const Fact loopback = met_on_loopback(seen);
  it.confirms(weight::proof, loopback);
  const bool together = several_nodes(seen) || nodes_told(seen) || seen.fails({"coll_large", "coll_small"});
  it.confirms(weight::strong, both(failed, nowhere));
  it.confirms(weight::strong, both(failed, refused));
  it.confirms(weight::strong, both(failed, picked_local_interface(seen)));
  it.confirms(weight::proof, both(failed, seen.recovers_by(interface_names)));
  if (together) it.confirms(weight::proof, both(failed, seen.recovers_by(reachability)));
  it.confirms(weight::strong, both(failed, seen.probe("unset_environment", {"recovers"}, {"SOCKET_IFNAME"})));
  if (!it.evidence().empty()) {
    it.explains_failure();
    it.confirms(weight::hint, seen.environment("NCCL_SOCKET_IFNAME"));
    it.confirms(weight::hint, seen.environment("GLOO_SOCKET_IFNAME"));
  }
  it.at_most(bound::remote, seen.unmoved_by({"SOCKET_IFNAME", "firewall", "iptables"}));
  it.at_most(bound::below_half, rank_died(seen));
  it.at_most(bound::below_half,
             either(ranks_differ(seen), in_words("the nodes differ", versions_by_node(seen))));
  it.at_most(bound::below_half, seen.told({"/dev/shm", "shared memory segment"}));
  // RDMA is set up after the ranks have met.
  if (!refused && !nowhere) it.at_most(bound::below_half, in_words("the ranks met", queue_failed(seen)));
  if (!refused && !nowhere)
    it.at_most(bound::weak, seen.recovers_by({"NCCL_IB_DISABLE", "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE"}));
  if (!several_nodes(seen) && !refused && !nowhere && !loopback && !seen.recovers_by(interface_names))
    it.unproven(bound::unconfident, Fact("it is not known to be work of several machines"));
}

void examine_locked(const Seen& seen, Argument& it) {
  const Fact refused = registration_refused(seen);
  const Fact queue = queue_refused(seen);
  const Fact named = lock_limit_named(seen);
  const std::optional<double> limit = seen.number("host.memlock_kib");
  constexpr double small = 1 << 20;  // KiB
  const Fact broken = either(job_failed(seen), slow_collective(seen));
  it.confirms(weight::strong, refused);
  it.confirms(weight::good, queue);
  it.confirms(refused || queue ? weight::strong : weight::good, both(either(broken, refused), named));
  if (limit && *limit < small && (refused || queue || named))
    it.confirms(weight::strong, fmt::format("only {:g} KiB may be locked", *limit));
  if (refused || queue || named || several_nodes(seen) || seen.fails({"coll_large", "coll_small"}))
    it.confirms(weight::proof,
                both(either(broken, refused),
                     seen.recovers_by({"memlock", "ulimit -l", "locked memory", "lockable memory",
                                       "LimitMEMLOCK", "RLIMIT_MEMLOCK", "IPC_LOCK"})));
  if (!it.evidence().empty()) it.explains_failure();
  // "unlimited" is no number.
  if (const Value* value = seen.inventory("host.memlock_kib");
      value != nullptr && contains(value->text(), "unlimited"))
    it.at_most(bound::remote, Fact("locked memory is not limited"));
  it.at_most(bound::remote,
             seen.setting("memlock", {"unlimited", "not limited", "no problem", "fine", "enough", "-1"}));
  // It was the GPU's memory that could not be registered.
  it.at_most(bound::weak, recovers_without_gdr(seen));
  it.at_most(bound::weak, seen.recovers_by({"peermem", "nv_peer_mem", "dmabuf", "dma-buf"}));
  if (!refused)
    it.at_most(bound::weak, both(seen.slower({"h2d", "d2h"}),
                                 Fact("copies with the host are slow, which ordinary memory explains")));
  it.rules_out(seen.unmoved_by({"memlock", "ulimit -l", "IPC_LOCK"}));
}

void examine_port(const Seen& seen, Argument& it) {
  const Fact told = port_down_told(seen);
  const bool several = several_nodes(seen) || nodes_told(seen);
  Fact slow = either(slow_collective(seen), job_failed(seen));
  // NCCL tells it of a port that its job uses.
  if (!slow) slow = seen.told({"NET/IB*async event*port error"});
  if (!slow && several) slow = seen.slower(application_classes);
  it.confirms(weight::strong, seen.below("network.ports_active", "network.ports_expected", 1));
  it.confirms(weight::strong, seen.below("network.rate_gbps", "network.rate_expected_gbps"));
  it.confirms(weight::strong, seen.below("network.pcie_width", "network.pcie_width_max", 1));
  it.confirms(weight::strong, seen.below("network.pcie_generation", "network.pcie_generation_max", 1));
  const bool read = !it.evidence().empty();
  const Fact by_itself = network_slow_by_itself(seen);
  it.confirms(weight::good, by_itself);
  it.confirms(weight::strong, both(slow, told));
  it.confirms(weight::strong, both(slow, card_link_downgraded(seen)));
  if (several || told) it.confirms(weight::fair, both(slow, port_state_told(seen)));
  if (several) it.confirms(weight::good, both(slow, port_rate_told(seen)));
  if (several) it.confirms(weight::good, both(slow, port_errors_counted(seen)));
  if (several || by_itself) it.confirms(weight::proof, both(slow, network_part_replaced(seen)));
  if (!it.evidence().empty()) {
    it.explains_failure();
    it.confirms(weight::hint, slow_together(seen));
  }
  if (read && !slow) it.unproven(bound::likely, Fact("nothing that uses the network is known to be slow"));
  if (!several && !by_itself)
    it.unproven(told ? bound::unconfident : bound::remote,
                Fact("it is not known to be work of several machines"));
  // Ports that are up do not connect: cables may join the wrong ones.
  if (!read && !told) it.at_most(bound::unconfident, queue_failed(seen));
  if (!read) it.at_most(bound::below_half, rank_died(seen));
  it.at_most(bound::remote, one_node(seen));
  it.rules_out(seen.unmoved_by({"cable", "transceiver"}));
}

void examine_path(const Seen& seen, Argument& it) {
  const Fact failed = queue_failed(seen);
  // NCCL gives up after such a completion.
  const Fact gave_up =
      seen.told({"NET/IB*Got completion*status=*RETRY_EXC", "NET/IB*Got completion*status=12",
                 "NCCL WARN Call to ibv_modify_qp failed", "NET/IB*Got completion*error 12"});
  const Fact broken = either(job_failed(seen), either(seen.slower({"coll_large", "coll_small"}), gave_up));
  const bool network = failed || several_nodes(seen) || nodes_told(seen);
  it.confirms(weight::strong, both(broken, failed));
  it.confirms(weight::fair, both(broken, queue_flushed(seen)));
  if (network) {
    it.confirms(weight::proof,
                both(either(broken, seen.slower(application_classes)),
                     seen.recovers_by({"GID_INDEX", "gid index", "NCCL_IB_TIMEOUT", "NCCL_IB_RETRY",
                                       "IB_PKEY", "pkey", "NCCL_IB_SL", "NCCL_IB_TC", "IB_TRAFFIC_CLASS",
                                       "ROCE_VERSION", "IB_ADDR_FAMILY", "IB_ADDR_RANGE", "IB_ROUTABLE",
                                       "mtu", "pfc", "ecn", "dcqcn", "ece"})));
    const Fact field = network_setting_changed(seen);
    it.confirms(failed ? weight::fair : weight::strong, both(broken, field));
    // The same path by itself, with what the job does not use.
    it.confirms(weight::fair,
                both(broken, seen.probe("native_benchmark", {"normal"}, {"pkey", "gid", "mtu"})));
  }
  if (failed) {
    it.confirms(weight::fair, seen.recovers_by({"NCCL_IB_DISABLE=1", "NCCL_NET=Socket", "NCCL_IB_HCA"}));
    it.confirms(weight::strong, seen.recovers_by({"firewall", "security group", "access list", "CROSS_NIC",
                                                  "SUBNET_AWARE", "cable", "rail"}));
  }
  if (!it.evidence().empty()) it.explains_failure();
  it.at_most(bound::weak, port_down_told(seen));
  it.at_most(bound::below_half, recovers_without_gdr(seen));
  it.at_most(bound::below_half, registration_refused(seen));
  it.at_most(bound::below_half, rank_died(seen));
  it.at_most(bound::below_half, seen.recovers_by({"iommu", "acs", "peermem", "memlock"}));
  it.at_most(bound::remote, one_node(seen));
  it.rules_out(seen.unmoved_by({"GID_INDEX"}));
}

}  // namespace

Signatures network_causes() {
  return {
      {.name = "rank_unreachable",
       .title = "A process of the job cannot be reached at the address or interface that was picked",
       .what =
           "NCCL, Gloo and MPI pick one network interface for their first connections. Where that is a loopback, a "
           "container's bridge or a private network, where a firewall drops the ports, or a host's name leads to "
           "127.0.1.1, the ranks never meet: they end with a refused connection or wait until a time limit.",
       .moves = "coll_large x",
       .confirms =
           "a refused or timed-out connection between ranks; no interface found; the log shows lo or docker0 in a job "
           "of several nodes; another interface, name or firewall rule recovers",
       .excludes = "another interface changes nothing; a rank died before for a reason of its own",
       .confused_with = {{"rdma_path_broken", "do the ranks meet, and only RDMA between them fails?"},
                         {"nccl_node_mismatch", "is it refused by the network, or by unlike versions?"},
                         {"nccl_socket_fallback", "does it work, only slowly?"}},
       .severity = Severity::failure,
       .next =
           "NCCL_DEBUG=INFO ./program 2>&1 | grep -E 'Bootstrap|NET/'; ip -br addr; getent hosts $(hostname); set "
           "NCCL_SOCKET_IFNAME (and GLOO_SOCKET_IFNAME) to an interface that all nodes reach",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname"},
       .examine = examine_unreachable},
      {.name = "locked_memory_limit",
       .title = "The limit of locked memory keeps memory from being registered",
       .what =
           "What an RDMA card reads or writes must be locked in memory. Above the process's limit (ulimit -l) registration "
           "fails: NCCL and MPI end with an error or fall back to sockets. Services, batch systems and containers have "
           "limits of their own, often 64 KiB or 8 MiB.",
       .moves = "coll_large x",
       .confirms =
           "registering memory fails with \"Cannot allocate memory\"; the limit is small; with a higher limit it works",
       .excludes = "the limit is unlimited; a higher one changes nothing",
       .confused_with = {{"pageable_memory", "are copies with the host slow, or does RDMA fail?"},
                         {"gdr_disabled", "is it host memory or GPU memory that cannot be registered?"},
                         {"shm_too_small", "is it locked memory or /dev/shm that is full?"}},
       .severity = Severity::failure,
       .next =
           "ulimit -l in the job itself; \"* - memlock unlimited\" in /etc/security/limits.d, LimitMEMLOCK=infinity for the "
           "service (slurmd, kubelet's runtime), docker run --ulimit memlock=-1",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"},
       .examine = examine_locked},
      {.name = "rdma_link_degraded",
       .title = "A network port is down or slow, or its card's PCIe link is",
       .what =
           "Collectives go at the pace of the slowest port: a cable that came up at a lower rate, a port that is down while "
           "its siblings are up, or a card with too few PCIe lanes slows every node of the job.",
       .moves = "coll_large -, p2p 0, h2d 0, gemm16 0",
       .confirms =
           "fewer active ports, a lower rate or a narrower PCIe link than its siblings have; the kernel names it; another "
           "cable or slot recovers",
       .excludes = "it is one machine; all ports are at their rate",
       .confused_with = {{"rdma_path_broken", "is the port up at its full rate?"},
                         {"gdr_disabled",
                          "does the log say GDRDMA, and is one port slower than its siblings?"},
                         {"nccl_env_leftover", "does NCCL_IB_HCA leave a port out?"}},
       .next =
           "gpugauge doctor; ibstat (rdma link, ethtool); sudo lspci -vv -s CARD | grep LnkSta; ib_write_bw between two nodes, "
           "port by port",
       .reading = {"https://docs.nvidia.com/networking/"},
       .examine = examine_port},
      {.name = "rdma_path_broken",
       .title = "RDMA between the nodes fails or is slow though the ports are up",
       .what =
           "The first connections succeed and data does not arrive: another GID index or RoCE version, another partition, "
           "subnet or packet size, or a network that loses packets without flow control.",
       .moves = "coll_large x",
       .confirms =
           "ibv_modify_qp fails; completions with error 12 (retries exceeded); a GID index, partition, packet size or "
           "flow control recovers, or doing without RDMA",
       .excludes =
           "it is one machine; a port is down; without GPUDirect RDMA it works; memory cannot be registered",
       .confused_with = {{"rdma_link_degraded", "is a port down or slow?"},
                         {"rank_unreachable", "do the first connections, over sockets, succeed?"},
                         {"gdr_disabled", "does it work from host memory?"}},
       .severity = Severity::warning,
       .next =
           "show_gids; ib_write_bw -d DEVICE -x GID between the two nodes; ip link (MTU) on both; NCCL_IB_GID_INDEX",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-ib-gid-index"},
       .examine = examine_path},
  };
}

}  // namespace gpugauge::diagnose
