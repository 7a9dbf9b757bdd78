// The network between nodes: ports, the memory that it may lock, and whether ranks reach each other at all.
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/collectives.hpp"

namespace gpugauge::diagnose {
Fact registration_refused(const Seen& seen) {
  return seen.told({"ibv_reg_mr*Cannot allocate memory", "reg_mr*Cannot allocate memory",
                    "ibv_create_cq*Cannot allocate memory", "ibv_create_qp*Cannot allocate memory",
                    "ibv_create_srq*Cannot allocate memory", "create_cq*Cannot allocate",
                    "ibv_create_comp_channel*Cannot allocate", "ib_register*Cannot allocate memory",
                    "fi_mr_reg*Cannot allocate", "umem_reg*Cannot allocate memory",
                    "uct_ib*Cannot allocate memory", "mlx5_reg_mr*errno 12",
                    "failed to register*Cannot allocate memory", "Failed to register memory*locked",
                    "registered memory*too low", "register memory*limit"});
}

namespace {

/// Work of several processes fails, hangs or is slow, or its library reported an error.
Fact job_broken(const Seen& seen) {
  if (Fact fact =
          either(seen.fails({"coll_large", "coll_small", "application", "init"}), slow_collective(seen)))
    return fact;
  for (const ErrorSeen& error : seen.it().errors)
    if (error.api.empty() || error.api == "nccl" || error.api == "framework")
      return fmt::format("an error was reported: \"{}\"",
                         error.text.empty() ? error.code.text() : error.text);
  return std::nullopt;
}

/// RDMA between two nodes cannot be set up, or breaks.
Fact queue_failed(const Seen& seen) {
  return seen.told({"ibv_modify_qp*fail",
                    "modify_qp*timed out",
                    "modify_qp*No such device",
                    "modify_qp*Invalid argument",
                    "modify_qp*error",
                    "Got completion with",
                    "Got completion from peer*error",
                    "completion with error 12",
                    "status=12",
                    "error 12, opcode",
                    "vendor err 129",
                    "RETRY_EXC",
                    "retry exceeded",
                    "transport retry counter",
                    "retry counter exceeded",
                    "ibv_poll_cq*fail",
                    "IBV_WC_RETRY",
                    "RNR_RETRY",
                    "WC_REM_ACCESS",
                    "local access violation work queue",
                    "ibv_create_ah*fail",
                    "ibv_query_gid*fail",
                    "Unable to find*GID",
                    "GID*not found",
                    "rdma_resolve*fail",
                    "RDMA_CM_EVENT_UNREACHABLE",
                    "RDMA_CM_EVENT_REJECTED",
                    "NET/OFI*address vector",
                    "fi_av_insert*fail"});
}

/// One process could not open a connection to another, by the words of NCCL, PyTorch, Gloo, MPI or the system.
Fact connection_refused(const Seen& seen) {
  return seen.told({"No route to host", "Connection refused", "Network is unreachable",
                    "Cannot assign requested address", "socketStartConnect*failed", "Connect to*failed",
                    "connect returned*timed out", "connect*Connection timed out", "connectFullMesh",
                    "client socket has timed out", "client socket has failed to connect",
                    "unable to complete a TCP connection", "failed to connect to*port", "socketPollConnect",
                    "Could not connect to*rendezvous", "unable to reach*over TCP"},
                   // Connections of other things: their servers are not ranks.
                   {"docker.sock", "docker daemon", "nvidia-fabricmanager", "nvidia-persistenced", "X server",
                    "DISPLAY", "huggingface", "localhost:8", "HTTP", "redis", "nvidia-cuda-mps"});
}

/// No interface could be picked, or a name leads nowhere.
Fact no_interface(const Seen& seen) {
  return seen.told(
      {"no socket interface found", "no usable interface", "No interface found", "unable to find address for",
       "Name or service not known", "Temporary failure in name resolution", "nodename nor servname",
       "hostname of the client socket cannot be retrieved", "unknown host", "No such device*ifname",
       "Bootstrap : no", "interface*was not found", "makeDeviceForInterface"},
      {"http", "pypi", "huggingface"});
}

/// NCCL or Gloo uses an interface that no other machine can reach.
Fact picked_local_interface(const Seen& seen) {
  if (seen.it().about.nodes.value_or(2) < 2) return std::nullopt;
  return seen.told({"Using [0]lo:", "Bootstrap : Using lo:", "OOB lo:", "[0]lo:127", "docker0:172",
                    "[0]docker0", "Using docker0", "[0]virbr0", "Using virbr0", "[0]br-",
                    "Connect to 127.0.0.1", "connect to 172.17.", "connect to [127.0.0.1",
                    "Connected to 127.0.0.1", "[127.0.1.1]", "/127.0.1.1", "Connect to 172.17."});
}

const Words interface_names{"SOCKET_IFNAME",   "IFNAME",        "btl_tcp_if",     "oob_tcp_if",
                            "UCX_NET_DEVICES", "MASTER_ADDR",   "VLLM_HOST_IP",   "network=host",
                            "network_mode",    "hostNetwork",   "--net=host",     "firewall",
                            "iptables",        "ufw",           "security group", "/etc/hosts",
                            "AF_INET",         "SOCKET_FAMILY", "NCCL_COMM_ID"};

void examine_unreachable(const Seen& seen, Argument& it) {
  const Fact broken = job_broken(seen);
  const Fact refused = connection_refused(seen);
  it.confirms(weight::strong, both(broken, no_interface(seen)));
  it.confirms(weight::strong, both(broken, refused));
  it.confirms(weight::strong, both(broken, picked_local_interface(seen)));
  it.confirms(weight::proof, both(broken, seen.recovers_by(interface_names)));
  it.confirms(weight::strong, both(broken, seen.probe("unset_environment", {"recovers"}, {"SOCKET_IFNAME"})));
  if (!it.evidence().empty()) {
    it.explains_failure();
    it.confirms(weight::hint, seen.environment("NCCL_SOCKET_IFNAME"));
    it.confirms(weight::hint, seen.environment("GLOO_SOCKET_IFNAME"));
  }
  it.at_most(bound::remote, seen.unmoved_by({"SOCKET_IFNAME", "firewall", "iptables"}));
  // RDMA is set up after the ranks have met.
  if (!refused && !no_interface(seen))
    it.at_most(bound::below_half, in_words("the ranks met", queue_failed(seen)));
  // A rank that died for a reason of its own closes its connections: the others tell that.
  it.at_most(bound::below_half,
             seen.told({"out of memory", "OOM", "SIGKILL", "signal 9", "Segmentation fault", "exitcode: -9",
                        "exitcode: -11", "exitcode : -9", "exitcode : -11"}));
  if (!refused && !no_interface(seen))
    it.at_most(bound::weak, seen.recovers_by({"NCCL_IB_DISABLE", "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE"}));
}

Fact limit_named(const Seen& seen) {
  return seen.told({"ulimit -l", "max locked memory", "locked memory limit", "limit of locked memory",
                    "RLIMIT_MEMLOCK", "memlock limit", "memlock*too", "memlock*64", "locked memory*too low",
                    "lockable memory", "max memory locked"},
                   {"memlock = unlimited", "kbytes, -l) unlimited"});
}

void examine_locked(const Seen& seen, Argument& it) {
  const Fact refused = registration_refused(seen);
  const Fact named = limit_named(seen);
  const std::optional<double> limit = seen.number("host.memlock_kib");
  constexpr double small = 1 << 20;  // KiB
  const Fact broken = job_broken(seen);
  it.confirms(weight::strong, refused);
  it.confirms(refused ? weight::strong : weight::good, both(broken, named));
  if (limit && *limit < small && (refused || broken))
    it.confirms(refused ? weight::strong : weight::fair, fmt::format("only {:g} KiB may be locked", *limit));
  it.confirms(weight::proof, both(either(broken, refused),
                                  seen.recovers_by({"memlock", "ulimit -l", "ulimit", "locked memory",
                                                    "LimitMEMLOCK", "rlimits", "IPC_LOCK"})));
  if (!it.evidence().empty()) it.explains_failure();
  // "unlimited" is no number.
  if (const Value* value = seen.inventory("host.memlock_kib");
      value != nullptr && contains(value->text(), "unlimited"))
    it.at_most(bound::remote, Fact("locked memory is not limited"));
  if (!refused)
    it.at_most(bound::weak, both(seen.slower({"h2d", "d2h"}),
                                 Fact("copies with the host are slow, which ordinary memory explains")));
  it.rules_out(seen.unmoved_by({"memlock", "ulimit -l", "IPC_LOCK"}));
}

/// The kernel, a library or a tool says that a port is down, or that its link or its card's slot is too slow.
Fact port_told(const Seen& seen) {
  return seen.told({"async event : port error",
                    "IBV_EVENT_PORT_ERR",
                    "port error",
                    "PORT_ERR",
                    "NIC Link is Down",
                    "mlx5*Link down",
                    "cable unplugged",
                    "Port module event*error",
                    "Port*state DOWN",
                    "state: DOWN",
                    "State: Down",
                    "State: Initializing",
                    "Physical state: Polling",
                    "Physical state: Disabled",
                    "PORT_DOWN",
                    "NO-CARRIER",
                    "available PCIe bandwidth, limited by",
                    "PCIe slot advertised*insufficient",
                    "symbol errors",
                    "link flap",
                    "symbol_error",
                    "link_downed",
                    "port is down",
                    "port down",
                    "port*not active"},
                   {"docker0", "virbr0"});
}

/// The network is slow by itself, without GPUs or a library of collectives.
Fact plain_network_slow(const Seen& seen) {
  for (const Metric* metric : seen.metrics(application_classes)) {
    if (!slower_by_figure(*metric) && !is_noted_slower(*metric)) continue;
    if (contains_any(metric->scope.op, {"ib_write_bw", "ib_read_bw", "ib_send_bw", "iperf", "TCP between",
                                        "perftest", "network bandwidth"}) &&
        !contains_any(metric->scope.op, {"cuda", "device to device", "GPU memory"}))
      return sentence(*metric);
  }
  return std::nullopt;
}

void examine_port(const Seen& seen, Argument& it) {
  const Fact slow = either(slow_collective(seen), job_broken(seen));
  it.confirms(weight::strong, seen.below("network.ports_active", "network.ports_expected", 1));
  it.confirms(weight::strong, seen.below("network.rate_gbps", "network.rate_expected_gbps"));
  it.confirms(weight::strong, seen.below("network.pcie_width", "network.pcie_width_max", 1));
  it.confirms(weight::strong, seen.below("network.pcie_generation", "network.pcie_generation_max", 1));
  const bool read = !it.evidence().empty();
  it.confirms(weight::good, plain_network_slow(seen));
  it.confirms(weight::strong, both(slow, port_told(seen)));
  it.confirms(weight::proof,
              both(slow, seen.recovers_by({"cable", "transceiver", "optic", "port=up", "link=up", "reseat",
                                           "slot=", "nic replaced", "riser", "switch port"})));
  if (!it.evidence().empty()) {
    it.explains_failure();
    it.confirms(weight::hint, slow_together(seen));
  }
  if (read && !slow) it.unproven(bound::likely, Fact("nothing that uses the network is known to be slow"));
  // Ports that are up do not connect: cables may join the wrong ones.
  if (!read && !port_told(seen)) it.at_most(bound::unconfident, queue_failed(seen));
  it.at_most(bound::remote, one_node(seen));
  it.rules_out(seen.unmoved_by({"cable", "transceiver"}));
}

void examine_path(const Seen& seen, Argument& it) {
  const Fact broken = job_broken(seen);
  const Fact failed = queue_failed(seen);
  it.confirms(weight::strong, failed);
  it.confirms(weight::proof,
              both(broken, seen.recovers_by({"GID_INDEX", "NCCL_IB_TIMEOUT", "NCCL_IB_RETRY", "IB_PKEY",
                                             "NCCL_IB_SL", "NCCL_IB_TC", "IB_TRAFFIC_CLASS", "ROCE_VERSION",
                                             "IB_ADDR_FAMILY", "IB_ADDR_RANGE", "IB_ROUTABLE", "mtu", "pfc",
                                             "ecn", "dcqcn", "roce", "pkey", "gid", "ece"})));
  if (failed)
    it.confirms(weight::fair, seen.recovers_by({"NCCL_IB_DISABLE=1", "NCCL_NET=Socket", "NCCL_IB_HCA"}));
  if (failed)
    it.confirms(weight::strong, seen.recovers_by({"firewall", "security group", "access list", "CROSS_NIC",
                                                  "SUBNET_AWARE", "cable", "rail"}));
  for (const std::string_view field : {"mtu", "pkey", "gid", "partition"})
    it.confirms(failed ? weight::fair : weight::strong, both(broken, seen.field_changed(field)));
  // The same path by itself, with what the job does not use.
  it.confirms(weight::fair, both(broken, seen.probe("native_benchmark", {"normal"}, {"pkey", "gid", "mtu"})));
  if (!it.evidence().empty()) it.explains_failure();
  it.at_most(bound::weak, port_told(seen));
  it.at_most(bound::below_half, recovers_without_gdr(seen));
  it.at_most(bound::below_half, registration_refused(seen));
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
       .title = "RDMA between the nodes fails or breaks though the ports are up",
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
       .severity = Severity::failure,
       .next =
           "show_gids; ib_write_bw -d DEVICE -x GID between the two nodes; ip link (MTU) on both; NCCL_IB_GID_INDEX",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-ib-gid-index"},
       .examine = examine_path},
  };
}

}  // namespace gpugauge::diagnose
