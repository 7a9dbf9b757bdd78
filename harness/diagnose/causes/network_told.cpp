#include "diagnose/causes/network_told.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/printed.hpp"
#include "result/number.hpp"
#include "result/text.hpp"

namespace gpugauge::diagnose {
namespace {

/// `ulimit -l` or `ulimit -a` printed less than 1 GiB.
Fact small_lock_limit(const Seen& seen) {
  constexpr double small = 1 << 20;  // KiB
  for (const std::string& line : seen.it().log) {
    const std::size_t at = line.find("max locked memory");
    const std::size_t unit = at == std::string::npos ? at : line.find("-l)", at);
    if (unit == std::string::npos) continue;
    const auto limit = result::leading_number<double>(result::stripped(line.substr(unit + 3)));
    if (limit && *limit < small) return fmt::format("log: \"{}\"", line);
  }
  return std::nullopt;
}

}  // namespace

Fact registration_refused(const Seen& seen) {
  // perftest says so of the GPU's memory, too, for want of a module.
  if (Fact fact = seen.told({"Couldn't allocate MR", "failed to create mr"}, {"cuda", "gpu", "peermem"}))
    return fact;
  // NCCL before 2.19 does not say why; a small limit that is printed beside it does.
  if (Fact fact =
          both(seen.told({"NCCL WARN Call to ibv_reg_mr failed"}, {"failed with error", "peermem", "dmabuf"}),
               small_lock_limit(seen)))
    return fact;
  return seen.told({"reg_mr*Cannot allocate memory", "umem_reg*Cannot allocate memory",
                    "ib_register*Cannot allocate memory", "fi_mr_reg*Cannot allocate",
                    "uct_ib*Cannot allocate memory", "mlx5_reg_mr*errno 12",
                    "failed to register*Cannot allocate memory", "Failed to register memory*locked",
                    "registered memory*too low", "initialize while trying to allocate some locked memory",
                    "memlock limits are set too low"});
}

bool several_nodes(const Seen& seen) {
  return seen.it().about.nodes.value_or(1) > 1;
}

bool nodes_printed(const Seen& seen) {
  const auto& log = seen.it().log;
  return std::any_of(log.begin(), log.end(),
                     [](const std::string& line) { return number_after(line, "nNodes ").value_or(0) > 1; });
}

Fact failure_logged(const Seen& seen) {
  return seen.told({"NCCL WARN", "NCCL error", "Cuda failure", "CUDA error", "CUDA out of memory",
                    "fallen off the bus", "Traceback (most recent call last)", "Killed process"},
                   {"ibv", "NET/IB", "NET/Plugin", "NET/Socket"});
}

Fact job_failed(const Seen& seen) {
  if (Fact fact = seen.fails({"coll_large", "coll_small", "application", "init"})) return fact;
  for (const ErrorSeen& error : seen.it().errors)
    if (error.api.empty() || error.api == "nccl" || error.api == "framework")
      return fmt::format("an error was reported: \"{}\"",
                         error.text.empty() ? error.code.text() : error.text);
  return std::nullopt;
}

Fact rank_died(const Seen& seen) {
  for (const ErrorSeen& error : seen.it().errors)
    if (error.api == "cuda" || error.api == "driver" || error.api == "nvml")
      return fmt::format("another interface reported an error: \"{}\"",
                         error.text.empty() ? error.code.text() : error.text);
  if (Fact fact = killed_for_memory(seen)) return fact;
  return seen.told({"out of memory", "OutOfMemory", "SIGKILL", "signal 9", "Segmentation fault", "SIGSEGV",
                    "exitcode*-9", "exitcode*-11", "illegal memory access", "CUDA error", "Cuda failure",
                    "Xid", "device-side assert", "fallen off the bus", "ncclInvalidUsage", "mismatch"},
                   // Of another program than the job's.
                   {"Out of memory: Kill", "Memory cgroup out of memory"});
}

Fact ranks_refused(const Seen& seen) {
  // What may succeed later, and calls of RDMA, which is set up after the ranks have met.
  const Words passing{"retrying", "retry ",   "errno: 97", "hostname of the client socket",
                      "ibv_",     "modify_qp"};
  if (Fact fact = seen.told({"socketStartConnect*failed",
                             "socketStartConnect: Connect to",
                             "socketPollConnect*failed",
                             "socketPollConnect*refused",
                             "socketPollConnect*timed out",
                             "NCCL*Connection refused",
                             "NCCL*No route to host",
                             "NCCL*Connection timed out",
                             "NCCL*Network is unreachable",
                             "Net : Connect to*failed",
                             "c10d*connect*timed out",
                             "c10d*Connection refused",
                             "TCPStore*connect*timed out",
                             "client socket has timed out",
                             "client socket has failed to connect",
                             "connectFullMesh*fail",
                             "Gloo*Connection refused",
                             "Gloo*connect*timed out",
                             "gloo*No route to host",
                             "unable to complete a TCP connection",
                             "btl_tcp*connect*fail",
                             "oob_tcp*connect*fail",
                             "unable to reach*over TCP",
                             "waiting for clients*clients joined"},
                            passing))
    return fact;
  // Words of the system: which connection it was is known only where several machines work together.
  return several_nodes(seen) ? seen.told({"No route to host", "Network is unreachable"},
                                         {"http", "wandb", "mlflow", "github", "docker", "retry"})
                             : std::nullopt;
}

Fact no_interface(const Seen& seen) {
  if (Fact fact = seen.told({"no socket interface found", "no usable interface", "No interface found",
                             "Bootstrap : no", "unable to find address for", "makeDeviceForInterface",
                             "cannot be retrieved (gai error"}))
    return fact;
  return several_nodes(seen)
             ? seen.told({"Name or service not known", "Temporary failure in name resolution"},
                         {"http", "pypi", "huggingface", "wandb", "mlflow", "github", "docker", "registry"})
             : std::nullopt;
}

Fact picked_local_interface(const Seen& seen) {
  if (!several_nodes(seen)) return std::nullopt;
  return seen.told({"Using lo:", "[0]lo:", "Using docker0:", "[0]docker0:", "Using virbr0:", "[0]virbr0:",
                    "Connect to 127.0.0.1", "connect to [127.0.0.1", "Connected to 127.0.0.1",
                    "Connect to 172.17.", "/127.0.1.1", "[127.0.1.1]"});
}

Fact queue_failed(const Seen& seen) {
  return seen.told({"modify_qp*fail",
                    "modify_qp*timed out",
                    "modify_qp*No such device",
                    "modify_qp*Invalid argument",
                    "modify_qp*error",
                    "completion*status=12 ",
                    "completion with error 12",
                    "error 12, opcode",
                    "vendor err 129",
                    "RETRY_EXC",
                    "retry exceeded",
                    "transport retry counter",
                    "retry counter exceeded",
                    "IBV_WC_RETRY",
                    "RNR_RETRY",
                    "WC_REM_ACCESS",
                    "local access violation work queue",
                    "ibv_create_ah*fail",
                    "ibv_query_gid*fail",
                    "Unable to find*GID",
                    "rdma_resolve*fail",
                    "RDMA_CM_EVENT_UNREACHABLE",
                    "RDMA_CM_EVENT_REJECTED",
                    "NET/OFI*address vector",
                    "fi_av_insert*fail"});
}

Fact queue_flushed(const Seen& seen) {
  return seen.told({"completion*status=5 ", "completion with error 5", "WR_FLUSH_ERR", "ibv_poll_cq*fail"});
}

Fact queue_refused(const Seen& seen) {
  return seen.told({"ibv_create_cq*Cannot allocate memory", "ibv_create_qp*Cannot allocate memory",
                    "ibv_create_srq*Cannot allocate memory", "ibv_create_comp_channel*Cannot allocate",
                    "create_cq*Cannot allocate memory"});
}

Fact lock_limit_named(const Seen& seen) {
  return seen.told(
      {"ulimit -l", "max locked memory", "locked memory limit", "limit of locked memory", "RLIMIT_MEMLOCK",
       "memlock limit", "memlock*too", "locked memory*too low", "lockable memory", "max memory locked"},
      {"-l: unlimited", "-l unlimited", "-l) unlimited", "memlock=-1", "memlock = unlimited"});
}

Fact port_down_told(const Seen& seen) {
  const Fact fact =
      seen.told({"async event*port error", "IBV_EVENT_PORT_ERR", "mlx5_~: port error", "mlx5*Link down",
                 "bnxt*Link is Down", "mlx5*cable unplugged", "Port module event*error",
                 "mlx5*PCIe slot advertised*insufficient", "mlx5_core*available PCIe bandwidth, limited by",
                 "bnxt*available PCIe bandwidth, limited by", "link flap"});
  // A link that came back is none that is down.
  return seen.told({"mlx5*Link up", "bnxt*Link is Up"}) && !seen.told({"port error", "PORT_ERR", "flap"})
             ? Fact()
             : fact;
}

Fact port_rate_told(const Seen& seen) {
  return seen.told({"mlx5_*Rate: *others", "mlx5_*Rate: *other*", "ibstat*Rate: *instead of",
                    "Rate: 10 *others", "port*at 100 instead of", "port*at 200 instead of",
                    "link came up at 100", "link came up at 200", "rate of 100 instead of",
                    "rate of 200 instead of", "LinkUp at*instead of"});
}

Fact nodes_told(const Seen& seen) {
  // "8 nodes", but no "2 NUMA nodes".
  for (const std::string& line : printed_lines(seen))
    for (const std::string_view word : {" nodes", " node job", "-node job"})
      for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
        if (begin < at && number_after(line.substr(begin, at - begin), "").value_or(0) > 1)
          return fmt::format("the report says: \"{}\"", line);
      }
  return seen.told(
      {"nnodes", "two nodes", "both nodes", "two machines", "both machines", "two servers", "each node alone",
       "node job", "between nodes", "second node", "multi-node", "multinode", "from the other node",
       "two ubuntu machines", "nodes of the job", "Bisected the nodes", "node * takes part"},
      {"nnodes 1 ", "nnodes=1 ", "NUMA"});
}

Fact ended_told(const Seen& seen) {
  return seen.told({"DistNetworkError", "DistStoreError", "DistBackendError", "RuntimeError:",
                    "ChildFailedError", "terminate called", "mpirun noticed", "MPI_ABORT", "srun: error"});
}

Fact port_state_told(const Seen& seen) {
  return seen.told({"PORT_DOWN", "Link detected: no", "mlx5_*State: Down", "Physical state: Disabled",
                    "Physical state: Sleep", "State: Initializing", "Physical state: Polling",
                    "state*2: INIT", "mlx5*state DOWN"});
}

Fact network_part_replaced(const Seen& seen) {
  const Fact fact = seen.recovers_by({"cable", "transceiver", "optic", "switch port", "nic replaced",
                                      "nic=", "hca=", "port=up", "nic reseat", "nic riser", "nic slot"});
  return fact && contains_any(*fact, {"nvlink", "power", "vhpwr", "displayport", "gpu", "hdmi", "NCCL_",
                                      "UCX_", "mtu", "pfc", "ecn", "vlan", "pkey"})
             ? Fact()
             : fact;
}

namespace {

/// A part of the field's name, between its dots and underscores, is one of these: "network.switch" has no "tc".
bool names_one_of(const std::string& name, Words words) {
  std::string part;
  for (const char c : lower(name) + ".") {
    if (c != '.' && c != '_') {
      part += c;
      continue;
    }
    if (std::find(words.begin(), words.end(), part) != words.end()) return true;
    part.clear();
  }
  return false;
}

}  // namespace

Fact network_setting_changed(const Seen& seen) {
  constexpr std::array<std::string_view, 6> places{"network.", "infiniband.", "ib.",
                                                   "roce.",    "rdma.",       "nic."};
  if (!seen.it().changed) return std::nullopt;
  for (const auto& [name, change] : *seen.it().changed) {
    const bool of_network =
        contains_any(name, {"NCCL_IB_", "UCX_IB_"}) ||
        std::any_of(places.begin(), places.end(),
                    [&, &key = name](std::string_view place) { return lower(key).starts_with(place); });
    if (of_network && names_one_of(name, {"mtu", "pkey", "gid", "partition", "roce", "sl", "tc"}))
      return seen.field_changed(name);
  }
  return std::nullopt;
}

Fact network_slow_by_itself(const Seen& seen) {
  for (const Metric* metric : seen.metrics(application_classes)) {
    if (!slower_by_figure(*metric) && !is_noted_slower(*metric)) continue;
    if (contains_any(metric->scope.op,
                     {"ib_write_bw", "ib_read_bw", "ib_send_bw", "iperf", "TCP between", "perftest",
                      "network bandwidth", "rdma write", "rdma read", "rdma send"}) &&
        !contains_any(metric->scope.op + metric->note, {"cuda", "device to device", "GPU memory"}))
      return sentence(*metric);
  }
  return std::nullopt;
}

}  // namespace gpugauge::diagnose
