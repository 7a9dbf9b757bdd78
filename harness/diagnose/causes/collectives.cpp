// Collectives: the transport that NCCL uses.
#include "diagnose/causes/collectives.hpp"

#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/network_told.hpp"
#include "diagnose/causes/printed.hpp"

namespace gpugauge::diagnose {
namespace {

/// Variables and modules that give the network access to GPU memory.
const Words gdr_switches{"NET_GDR", "GPUDIRECT", "peermem", "nv_peer_mem", "DMABUF", "dma-buf"};

/// The log has the channels of every rank of its communicator, and none goes over the network: "rank 0 nranks 2" and
/// "Channel 00/0 : 0[1000] -> 1[9000] via P2P/direct pointer". A rank in the middle of a node lists local ones only.
Fact no_channel_by_network(const Seen& seen) {
  std::set<long> from;
  long ranks = 0;
  for (const std::string& line : seen.it().log) {
    if (contains_any(line, {"via NET/", "[send] via", "[receive] via", "Got completion", "vendor err"}))
      return std::nullopt;
    for (const std::string_view name : {"nranks ", "nRanks "})
      if (const auto count = number_after(line, name)) ranks = std::max(ranks, static_cast<long>(*count));
    if (!contains_any(line, {"-> * via P2P", "-> * via SHM", "-> * via direct"})) continue;
    // "Channel 00/0 : 3[3] -> 4[4] via P2P/CUMEM/read"
    if (const auto rank = number_after(line, " : ")) from.insert(static_cast<long>(*rank));
  }
  if (ranks < 2 || static_cast<long>(from.size()) < ranks) return std::nullopt;
  return Fact("no channel that NCCL lists goes over the network");
}

}  // namespace

Fact slow_collective(const Seen& seen) {
  return either(slow_together(seen), seen.slower(application_classes));
}

Fact plugin_not_loaded(const Seen& seen) {
  return seen.told(
      {"NET/Plugin*No plugin found", "NET/Plugin*could not", "NET/Plugin*fail", "NET/Plugin*not found",
       "NET/Plugin*cannot", "libnccl-net~: cannot open shared object", "libnccl-net*undefined symbol",
       "failed to load*libnccl-net", "unable to load*plugin", "dlopen*libnccl-net", "NET/Plugin*dlerror",
       "aws-ofi-nccl*fail", "NET/OFI*fail", "NET/OFI*No eligible providers", "NET/OFI*Unable"},
      // A plugin is asked for newer interfaces first, and lacks those without harm.
      // An address that cannot be inserted is a connection's fault: the plugin is loaded.
      {"Failed to find ncclNetPlugin_v", "Failed to find ncclCollNetPlugin", "address vector"});
}

Fact plugin_symbols(const Seen& seen) {
  return seen.told({"IBVERBS_PRIVATE", "EFA_1.*not found", "libfabric*version*not found",
                    "libfabric*undefined symbol", "rdma*version*not found"});
}

Fact recovers_without_gdr(const Seen& seen) {
  for (const Probe& probe : seen.it().probes) {
    if (probe.outcome != "recovers" || probe.name != "change_setting") continue;
    std::istringstream switches(probe.detail);
    for (std::string one; std::getline(switches, one, ',');) {
      const std::size_t equals = one.find('=');
      if (equals == std::string::npos || !contains_any(one.substr(0, equals), gdr_switches)) continue;
      const Value value(one.substr(equals + 1, one.find_last_not_of(' ') - equals));
      if (value.off() || contains_any_word(value.text(), {"LOC", "unload", "removed"}))
        return recovering(
            fmt::format("tried: without GPUDirect RDMA ({}) it recovers, so it is in use", probe.detail));
    }
  }
  return std::nullopt;
}

Fact plain_copies_normal(const Seen& seen) {
  if (Fact fact = seen.unchanged({"p2p"})) return fact;
  return seen.probe("native_benchmark", {"normal"}, {"p2p", "memcpy", "bandwidth", "ib_write", "perftest"});
}

Fact one_node(const Seen& seen) {
  if (seen.it().about.nodes == 1) return "one machine needs no network";
  // NCCL prints its size at each start: "rank 0 nRanks 8 nNodes 1 localRanks 8".
  const auto printed = [&](auto is_of) {
    return std::any_of(seen.it().log.begin(), seen.it().log.end(), [&](const std::string& line) {
      const std::size_t at = line.find("nNodes ");
      return at != std::string::npos && is_of(line.substr(at + std::string_view("nNodes ").size()));
    });
  };
  const auto is_one = [](const std::string& rest) { return rest == "1" || rest.starts_with("1 "); };
  if (printed(is_one) && !printed([&](const std::string& rest) { return !is_one(rest); }))
    return "NCCL says that its ranks are on one node";
  return several_nodes(seen) ? Fact() : no_channel_by_network(seen);
}

namespace {

/// There is no plugin at all; NCCL reports that on every machine without one.
Fact no_plugin_there(const Seen& seen) {
  return seen.told({"No plugin found", "Could not find*libnccl-net", "using internal implementation",
                    "Using internal network plugin",
                    // NCCL 2.18 and later, of the name that it looks for without being told to.
                    "libnccl-net.so: cannot open shared object file: No such file"});
}

/// The machine has a fabric that NCCL should have used.
Fact fabric_there(const Seen& seen) {
  return either(seen.on("host.infiniband"), seen.on("host.fabric", {"infiniband", "roce", "efa"}));
}

Fact on_sockets(const Seen& seen) {
  return either(seen.on("nccl.transport", {"socket", "tcp"}),
                seen.told({"Using network Socket", "NET/Socket : Using", "via NET/Socket", "NET/Socket/"}));
}

/// NCCL went the same way when it was faster.
Fact same_way(const Seen& seen) {
  return in_words("NCCL went the same way when it was faster",
                  seen.as_before({"nccl.transport", "nccl.paths", "nccl.plugin", "peermem"}));
}

/// A variable is 1, in the environment or by NCCL's log.
Fact switched_off(const Seen& seen, std::string_view variable) {
  if (Fact fact = seen.environment(variable, {"1"})) return fact;
  return seen.said({fmt::format("{} set by environment to 1", variable)});
}

/// The plugin is there, and what it was linked against is not: the loader names another file than the plugin's own.
Fact plugin_lacks_library(const Seen& seen) {
  for (const std::string& line : seen.it().log) {
    if (!contains_any(line, {"NET/Plugin", "libnccl-net", "aws-ofi"})) continue;
    const std::size_t end = line.find(": cannot open shared object file");
    if (end == std::string::npos) continue;
    const std::size_t begin = line.find_last_of(" =:", end - 1);
    const std::string file = line.substr(begin == std::string::npos ? 0 : begin + 1, end - begin - 1);
    if (!file.empty() && !contains(file, "nccl"))
      return fmt::format("log: the plugin needs {}, which is missing", file);
  }
  return std::nullopt;
}

void examine_socket(const Seen& seen, Argument& it) {
  const Fact sockets = on_sockets(seen);
  it.confirms(weight::good, sockets);
  it.confirms(
      weight::good,
      seen.told({"Failed to open libibverbs", "libibverbs~: cannot open", "NET/IB : No device found",
                 "NET/IB : Unable to open", "libibverbs: Warning", "no userspace device-specific driver",
                 "not open libibverbs.so.1", "ibv_*fail", "No IB devices", "ibverbs*not found"}));
  it.confirms(weight::good, seen.on("libraries.missing", {"ibverbs", "rdma", "mlx5", "efa"}));
  if (sockets) {
    it.confirms(weight::fair, fabric_there(seen));
    it.confirms(weight::hint, slow_together(seen));
    it.confirms(weight::hint, seen.field_changed("nccl.transport"));
  }
  it.confirms(weight::strong, seen.recovers_by({"libibverbs", "ibverbs", "rdma-core", "/dev/infiniband"}));
  // These open much more than the network's devices.
  if (sockets || slow_together(seen) || !it.evidence().empty())
    it.confirms(weight::strong, seen.recovers_by({"privileged", "IPC_LOCK"}));
  it.at_most(bound::below_half,
             in_words("RDMA is there, and memory cannot be registered", registration_refused(seen)));
  it.at_most(bound::remote, seen.on("host.fabric", {"ethernet"}));
  it.at_most(bound::remote, one_node(seen));
  it.at_most(bound::below_half,
             either(seen.environment("NCCL_IB_DISABLE", {"1"}), seen.environment("NCCL_NET", {"Socket"})));
  it.at_most(bound::below_half,
             seen.said({"NCCL_IB_DISABLE set by environment to 1", "NCCL_NET set by environment to Socket"}));
  // Within one machine sockets are what is left without both other ways.
  if (!seen.told({"Failed to open libibverbs"}))
    it.at_most(bound::below_half,
               both(switched_off(seen, "NCCL_P2P_DISABLE"), switched_off(seen, "NCCL_SHM_DISABLE")));
  // The plugin for the fabric was not loaded, which explains the sockets.
  it.at_most(bound::likely, plugin_symbols(seen));
  if (!no_plugin_there(seen)) it.at_most(bound::likely, plugin_not_loaded(seen));
  it.at_most(bound::half, plugin_lacks_library(seen));
  // NCCL tells of its network on every machine, also where nothing goes over it or there is no faster one.
  if (!seen.known("nccl.transport") && !slow_collective(seen) && !fabric_there(seen) &&
      !seen.told({"via NET/Socket"})) {
    it.unproven(several_nodes(seen) || nodes_printed(seen) ? bound::unconfident : bound::unnamed,
                Fact("nothing is known to go over the network, or to be slow"));
    it.at_most(bound::unnamed,
               in_words("something failed, and nothing is known to be slow", failure_logged(seen)));
  }
  if (!seen.harm_beside_lines() && !fabric_there(seen))  // machines with Ethernet alone tell the same
    it.unproven(bound::unconfident, Fact("no faster fabric is known to be there, and nothing to be slow"));
  // On EFA only a plugin can use the fabric.
  it.at_most(bound::likely, seen.on("host.fabric", {"efa"}));
  if (!sockets) it.at_most(bound::remote, seen.on("nccl.transport", {"ib"}));
  it.at_most(bound::remote, one_node(seen));
  it.at_most(bound::remote, same_way(seen));
  it.at_most(bound::remote, in_words("there is no faster fabric", seen.off("host.infiniband")));
}

void examine_plugin(const Seen& seen, Argument& it) {
  const Fact efa = seen.on("host.fabric", {"efa"});
  const Fact line = plugin_not_loaded(seen);
  const Fact symbols = plugin_symbols(seen);
  it.confirms(weight::strong, symbols);
  const Fact absent = no_plugin_there(seen);
  // Without a plugin NCCL uses its own InfiniBand transport; EFA has no such fallback.
  it.confirms(efa || !absent ? weight::strong : weight::fair, line);
  it.confirms(weight::strong, plugin_lacks_library(seen));
  it.confirms(weight::good, seen.on("libraries.missing", {"nccl-net", "nccl-ofi", "fabric", "nccl_net"}));
  it.confirms(weight::fair, both(efa, on_sockets(seen)));
  it.confirms(weight::fair, both(seen.on("libraries.mixed", {"ibverbs", "fabric", "rdma", "ofi"}),
                                 either(on_sockets(seen), slow_collective(seen))));
  it.confirms(weight::fair, both(seen.off("nccl.plugin"), on_sockets(seen)));
  it.confirms(weight::strong, seen.recovers_by({"plugin", "aws-ofi-nccl", "libnccl-net", "libfabric"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow_together(seen));
    it.confirms(weight::faint, on_sockets(seen));
  }
  it.at_most(bound::remote, seen.on("nccl.transport", {"ib", "p2p"}));
  if (!efa && !seen.harm_beside_lines()) it.at_most(bound::unnamed, absent);  // NCCL needs none
  it.at_most(bound::remote, seen.told({"NET/IB : Using"}));  // NCCL's own transport uses the fabric
  it.at_most(bound::remote, one_node(seen));
  it.at_most(bound::remote, same_way(seen));
}

/// NCCL lists its channels between nodes, and no channel of one host says GDRDMA.
Fact channels_without_gdr(const Seen& seen) {
  if (!slow_collective(seen)) return std::nullopt;
  std::map<std::string, std::string> plain;
  std::set<std::string> direct;
  for (const std::string& line : seen.it().log) {
    if (!contains(line, "via NET/IB")) continue;
    // "node3:1234:1240 [0] NCCL INFO Channel ..."
    const std::string host = line.substr(0, line.find(':'));
    if (contains(line, "GDRDMA"))
      direct.insert(host);
    else
      plain.emplace(host, line);
  }
  for (const auto& [host, line] : plain)
    if (!direct.contains(host)) return fmt::format("log: \"{}\", and none of this host says GDRDMA", line);
  return std::nullopt;
}

/// An NCCL log line or a loaded module shows that the network does reach GPU memory.
Fact gdr_in_use(const Seen& seen) {
  for (const std::string& line : seen.it().log)
    if (contains(line, "via NET/IB") && !contains(line, "GDRDMA")) return std::nullopt;
  return seen.told(
      {"via NET/IB*GDRDMA", "GPU Direct RDMA Enabled"},
      {"without", "no /GDRDMA", "missing", "lacks", "instead of", "in place of", "used to", "n't", "not "});
}

void examine_gdr(const Seen& seen, Argument& it) {
  const Fact slow = slow_collective(seen);
  const Fact without = recovers_without_gdr(seen);
  it.confirms(weight::proof,
              seen.told({"GPU Direct RDMA Disabled", "GPUDirect RDMA*disabled", "GDR*disabled",
                         "GPU Direct RDMA*not", "no GDR", "nvidia_peermem*not", "nv_peer_mem*not",
                         "Module nvidia_peermem*fail", "peermem*Invalid argument", "Could not enable GDR",
                         "peermem*is empty", "peermem*prints nothing", "peermem*shows nothing",
                         "use_cuda*Couldn't allocate MR", "use_cuda*ibv_reg_mr"},
                        {"dma-buf", "dmabuf", "dma buf"}));
  it.unproven(bound::unconfident, in_words("another card has it", seen.said({"GPU Direct RDMA Enabled"})));
  it.confirms(weight::good,
              either(seen.told({"no *GDRDMA", "not*GDRDMA", "without*GDRDMA", "GDRDMA*missing",
                                "GDRDMA*absent", "no GPUDirect", "no GPU Direct", "without GPUDirect",
                                "without GPU Direct", "GPUDirect RDMA*not", "not using GPUDirect",
                                "not use GPUDirect", "GPUDirect*inactive"}),
                     channels_without_gdr(seen)));
  // GDRCopy maps GPU memory for the processor's copies; it is no part of GPUDirect RDMA.
  const Words copy{"gdr_copy", "gdrcopy"};
  if (!without && !seen.recovers_by(copy))
    it.confirms(weight::proof, seen.recovers_by({"GDR", "peermem", "nv_peer_mem", "dmabuf", "dma-buf"}));
  if (slow || on_sockets(seen) || seen.on("nccl.transport", {"ib", "net"}))
    // DMA-BUF makes it unnecessary, and without a network card there is nothing to reach GPU memory from.
    it.confirms(weight::fair, seen.off("host.infiniband") ? Fact() : seen.off("peermem.module"));
  if (slow) {
    for (const std::string_view name : {"gpudirect_rdma", "gpudirect rdma", "gdr"})
      if (name != "gdr" || !(seen.setting_off("gdr_copy") || seen.setting_off("gdrcopy")))
        it.confirms(weight::strong, seen.setting_off(name));
    it.confirms(weight::fair, seen.environment("NCCL_NET_GDR_LEVEL", {"0", "LOC"}));
    it.confirms(weight::fair, seen.environment("NCCL_NET_GDR_READ", {"0"}));
    it.confirms(weight::fair, seen.field_changed("peermem"));
    if (seen.on("nccl.transport", {"ib"})) it.confirms(weight::strong, seen.word_lost("GDRDMA"));
  }
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow_together(seen));
    it.confirms(weight::faint, fabric_there(seen));
  }
  it.at_most(bound::unnamed, on_sockets(seen));
  it.at_most(bound::remote, seen.on("nccl.transport", {"p2p", "shm"}));
  it.at_most(bound::remote, one_node(seen));
  it.at_most(bound::remote, gdr_in_use(seen));
  it.at_most(bound::unnamed, same_way(seen));
  it.rules_out(seen.unmoved_by({"GDR_LEVEL", "GDR_READ", "GDRDMA", "gdr=", "GPUDirect", "peermem"}));
  it.rules_out(without);
}

void examine_p2p_to_shm(const Seen& seen, Argument& it) {
  const Fact shm = either(seen.on("nccl.transport", {"shm"}),
                          seen.told({"via SHM", "SHM/direct", "P2P is disabled between",
                                     "Could not enable P2P", "P2P Chunk*SHM"}));
  const Fact moved = seen.field_changed("nccl.transport");
  it.confirms(weight::good, shm);
  if (moved && contains(*moved, "to shm")) it.confirms(weight::strong, moved);
  it.confirms(weight::good, both(shm, plain_copies_normal(seen)));
  it.confirms(weight::strong, both(shm, seen.on("topology.path", {"nvlink"})));
  it.confirms(weight::fair,
              seen.told({"peer access*not supported", "cudaDeviceEnablePeerAccess", "no P2P between",
                         "P2P*not available", "isAllDirectP2p 0", "peer mapping resources exhausted"}));
  it.confirms(weight::strong, both(slow_collective(seen),
                                   seen.recovers_by({"P2P_LEVEL", "p2p=", "visible devices", "hidepid"})));
  // Processes in containers of their own open each other's memory only where they share process numbers and devices.
  it.confirms(weight::good,
              both(slow_collective(seen),
                   seen.recovers_by({"containers=one", "one container", "same container", "single container",
                                     "--pid=host", "pid=host", "--ipc=host", "shareProcessNamespace"})));
  if (!it.evidence().empty()) it.confirms(weight::hint, slow_together(seen));
  if (it.evidence().empty()) it.confirms(weight::fair, slower_together_than_alone(seen));
  it.at_most(bound::below_half, either(seen.environment("NCCL_P2P_DISABLE", {"1"}),
                                       seen.environment("NCCL_P2P_LEVEL", {"0", "LOC"})));
  it.at_most(bound::below_half, seen.said({"NCCL_P2P_DISABLE set by environment to 1",
                                           "NCCL_P2P_LEVEL set by environment to LOC"}));
  it.at_most(bound::weak, seen.slower({"p2p"}));
  it.at_most(bound::weak, seen.recovers_by({"acs", "iommu"}));
}

}  // namespace

Signatures collective_causes() {
  return {
      {.name = "nccl_socket_fallback",
       .title = "NCCL works over TCP sockets, not over RDMA",
       .what = "NCCL opens libibverbs at run time. Missing in the image, or without devices in the "
               "container, it takes sockets with no more than a line in its log.",
       .moves = "coll_large --, p2p 0",
       .confirms = "NET/Socket in NCCL's log, libibverbs missing, an RDMA device in the machine",
       .excludes =
           "it is one machine; there is only Ethernet, or no such card; a variable asks for sockets; a plugin "
           "failed to load; it was on sockets when it was faster; something failed, and nothing is slow",
       .confused_with = {{"nccl_plugin_load_failure", "does the log name a plugin that could not be loaded?"},
                         {"nccl_env_leftover", "is NCCL_IB_DISABLE or NCCL_NET set?"},
                         {"gdr_disabled", "is the transport IB, only without GDRDMA?"}},
       .next = "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET ./program 2>&1 | grep NET/; ibv_devices",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"},
       .examine = examine_socket},
      {.name = "nccl_plugin_load_failure",
       .title = "NCCL's network plugin for this fabric does not load, or finds no device",
       .what =
           "EFA and other fabrics need a plugin (libnccl-net.so). Not on the search path, built against "
           "another libibverbs or libfabric, or without the fabric's devices in the container (fi_getinfo: No "
           "data available), it is left out, and NCCL goes on over sockets or ends.",
       .moves = "coll_large --",
       .confirms =
           "the log names the plugin and why it was not loaded, or that libfabric gives it no device; two versions "
           "of a library that it needs",
       .excludes =
           "it is one machine; the transport is the fabric's; NCCL went the same way when it was faster",
       .confused_with = {{"nccl_socket_fallback",
                          "does this fabric need a plugin, and does the log name it?"},
                         {"duplicate_library_versions",
                          "is it CUDA's library that is doubled, or the fabric's?"}},
       .next =
           "NCCL_DEBUG=INFO ./program 2>&1 | grep -E 'NET/(Plugin|OFI)'; ldd libnccl-net.so | grep -E 'not "
           "found|verbs|fabric'; on the host and in the container: fi_info -p efa; ls /dev/infiniband (docker run "
           "--device=/dev/infiniband/uverbs0 and so on, in Kubernetes the fabric's device plugin)",
       .reading = {"https://github.com/aws/aws-ofi-nccl", "https://github.com/aws/aws-ofi-nccl/issues/1020"},
       .examine = examine_plugin},
      {.name = "gdr_disabled",
       .title = "The network does not reach GPU memory directly (GPUDirect RDMA is off)",
       .what = "Without nvidia_peermem or DMA-BUF, or where NCCL's policy changed, data goes through host "
               "memory on its way to the network card.",
       .moves = "coll_large --, p2p 0",
       .confirms =
           "the log says that GPU Direct RDMA is disabled; channels said GDRDMA before and do not now; "
           "nvidia_peermem is not loaded; NCCL_NET_GDR_READ or NCCL_NET_GDR_LEVEL restores the rate",
       .excludes = "the transport is sockets; that setting changes nothing, or switching it off recovers; "
                   "channels say GDRDMA; NCCL went the same way when it was faster",
       .confused_with = {{"nccl_version_regression",
                          "does a GDR setting restore the rate with the new version?"},
                         {"nccl_socket_fallback", "is the transport IB at all?"}},
       .next =
           "NCCL_DEBUG=INFO ./program 2>&1 | grep -E 'GDR|GDRDMA'; lsmod | grep peermem; NCCL_NET_GDR_READ=1",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-net-gdr-level"},
       .examine = examine_gdr},
      {.name = "nccl_p2p_to_shm",
       .title = "NCCL goes through host memory where GPUs could copy directly",
       .what = "Between some GPUs NCCL takes shared memory in place of peer-to-peer access: containers that "
               "see one GPU each, "
               "a topology that it judges too far, or peer access that failed.",
       .moves = "coll_large --, p2p 0",
       .confirms = "channels via SHM in the log, or P2P before and SHM now; a plain copy between devices is "
                   "as fast as ever",
       .excludes = "plain copies are slow too; a variable asks for it",
       .confused_with = {{"acs_enabled", "is a plain copy between devices slow too?"},
                         {"nccl_env_leftover", "is NCCL_P2P_DISABLE or NCCL_P2P_LEVEL set?"},
                         {"nccl_version_regression", "did the transport change with the version?"}},
       .next = "NCCL_DEBUG=INFO ./program 2>&1 | grep -E 'via (P2P|SHM|NET)'; NCCL_P2P_LEVEL=SYS ./program",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-p2p-level"},
       .examine = examine_p2p_to_shm},
  };
}

}  // namespace gpugauge::diagnose
