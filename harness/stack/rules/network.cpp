// What the network between nodes needs of a node: locked memory, and a way to the GPUs' memory.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/inventory/rdma_ports.hpp"
#include "stack/rules/host_parts.hpp"

namespace gpugauge::stack {
namespace {

/// Devices in /sys/class/infiniband that may carry data between nodes.
struct RdmaDevices {
  std::vector<std::string> devices;  ///< all except those that only manage NVSwitches
  bool all_efa = true;               ///< each is Amazon's, which has its own way to GPU memory
  bool certain = false;              ///< at least one surely, or almost surely, carries data
  bool dedicated = false;            ///< one is of InfiniBand or EFA, which nobody has on board by the way

  bool there() const { return !devices.empty(); }
};

RdmaDevices rdma_devices(const Inventory& inventory) {
  RdmaDevices fabric;
  for (const RdmaPort& port : rdma_ports(inventory)) {
    if (!port.state.empty() && !port.active()) continue;  // nothing is connected to it
    fabric.dedicated = fabric.dedicated || port.link_layer != "Ethernet";
    fabric.devices.push_back(port.name);
    fabric.all_efa = fabric.all_efa && port.driver == "efa";
    fabric.certain = fabric.certain || port.certain;
  }
  return fabric;
}

/// What is a warning where several GPUs or a network of its own show that nodes work together: many a server's plain
/// network card can do RoCE, and nobody uses it so.
Severity severity_of(const Inventory& inventory, const RdmaDevices& fabric) {
  const bool meant = fabric.dedicated || gpus_of(inventory).size() > 1;
  return fabric.certain && meant ? Severity::warning : Severity::note;
}

// Used if no device surely carries data.
constexpr const char* switches_or_network =
    " It is not known whether these devices carry data or only manage NVSwitches: run it as root.";

void check_locked_memory(const RuleInput& input, Findings& findings) {
  // A choice: defaults of systems and containers lie far below it, and who sets gigabytes meant to.
  constexpr double enough = 4U << 20U;                                // KiB
  const auto limit = number_of(input.inventory, "host.memlock_kib");  // "unlimited" is no number
  const RdmaDevices fabric = rdma_devices(input.inventory);
  if (!limit || *limit >= enough || !fabric.there()) return;
  const std::string shown =
      *limit < 1024 ? fmt::format("{:g} KiB", *limit) : fmt::format("{:.0f} MiB", *limit / 1024);
  Finding finding = make_finding(
      Cause("locked_memory_limit"), severity_of(input.inventory, fabric),
      fmt::format("Locked memory is limited to {}, and RDMA devices need to lock their buffers", shown),
      "Registering memory with an RDMA device (InfiniBand, RoCE, EFA) locks it; above the limit registration "
      "fails for a process without CAP_IPC_LOCK, which root has, and NCCL or MPI fail or fall back to a slower way.");
  if (!fabric.certain) finding.explanation += switches_or_network;
  finding.evidence.push_back(fmt::format("limit of this process: {}", shown));
  finding.evidence.push_back(
      fmt::format("RDMA devices: {}", printable(fmt::to_string(fmt::join(fabric.devices, " ")))));
  finding.next = {
      "Set it: \"* - memlock unlimited\" in /etc/security/limits.d, LimitMEMLOCK=infinity for a service, "
      "docker run --ulimit memlock=-1"};
  finding.layers = {"host"};
  findings.push_back(std::move(finding));
}

void check_rdma(const RuleInput& input, std::size_t gpus, Findings& findings) {
  const Inventory& inventory = input.inventory;
  const bool absent = missing(inventory, "driver.peermem");
  const RdmaDevices fabric = rdma_devices(inventory);
  // EFA's own driver registers GPU memory, with or without DMA-BUF (amzn/amzn-drivers#282).
  if (gpus == 0 || !fabric.there() || fabric.all_efa || !absent || !container_of(inventory).empty()) return;
  const bool open = is(inventory, "driver.kernel_module_kind", "open");
  Finding finding = make_finding(
      Cause("gdr_disabled"), open ? Severity::note : severity_of(inventory, fabric),
      "RDMA devices are there, and nvidia_peermem is not loaded",
      open ? "GPUDirect RDMA may still work through DMA-BUF, which the open kernel module offers on kernel "
             "5.12 and later."
           : "With the proprietary kernel module an InfiniBand or RoCE device needs nvidia_peermem to reach "
             "GPU memory: without it data between nodes goes through host memory, at a fraction of the "
             "speed.");
  if (!fabric.certain) finding.explanation += switches_or_network;
  finding.evidence.push_back(
      fmt::format("RDMA devices: {}", printable(fmt::to_string(fmt::join(fabric.devices, " ")))));
  add_seen(finding, inventory,
           {{"driver.peermem", "nvidia_peermem:"},
            {"driver.kernel_module_kind", "kind of the driver's module:"},
            {"kernel.version", "kernel"}});
  if (!open)
    finding.next = {
        "Install the open kernel module of the same driver version, which reaches GPU memory through "
        "DMA-BUF (Turing GPUs and later, kernel 5.12 and later) and needs no nvidia_peermem"};
  finding.next.insert(finding.next.end(),
                      {"With MLNX_OFED or DOCA-OFED installed: sudo modprobe nvidia_peermem, and "
                       "load it at boot (/etc/modules-load.d); without, the kernel lacks "
                       "ib_register_peer_memory_client and refuses it",
                       "Look in NCCL's log (NCCL_DEBUG=INFO) for \"GPU Direct RDMA\""});
  finding.layers = {"driver", "host"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_network(const RuleInput& input, Findings& findings) {
  check_locked_memory(input, findings);
  check_rdma(input, gpus_of(input.inventory).size(), findings);
  check_ports(input, findings);
}

}  // namespace gpugauge::stack
