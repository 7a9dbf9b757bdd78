// Checks the host: limits on processors and memory, and the data path between devices.
#include "stack/host.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/processor_list.hpp"
#include "stack/inventory/rdma_ports.hpp"
#include "stack/rules/host_parts.hpp"

namespace gpugauge::stack {
namespace {

void check_processor_limit(const RuleInput& input, std::size_t gpus, Findings& findings) {
  const auto limit = number_of(input.inventory, "host.cgroup_cpu_limit");
  const auto there = number_of(input.inventory, "host.cpus");
  if (!limit || (there && *limit >= *there)) return;
  const double needed = std::max(1.0, static_cast<double>(gpus));
  Finding finding =
      make_finding(Cause("cgroup_cpu_limit"), *limit < needed ? Severity::warning : Severity::note,
                   fmt::format("A control group limits this process to {:g} processors", *limit),
                   "Each GPU keeps about one thread of its program busy with launches and copies; a quota "
                   "stops that thread "
                   "for the rest of its period, which makes launches and copies slow and uneven.");
  add_seen(finding, input.inventory,
           {{"host.cgroup_cpu_limit", "processors allowed:"}, {"host.cpus", "processors there:"}});
  finding.evidence.push_back(fmt::format("{} GPUs", gpus));
  finding.considered = {"cpu_governor and a busy machine: they are there without a limit as well"};
  finding.next = {
      "Give the job at least one processor per GPU (docker --cpus, Kubernetes resources.limits.cpu)"};
  finding.layers = {"host"};
  findings.push_back(std::move(finding));
}

void check_affinity(const RuleInput& input, std::size_t gpus, Findings& findings) {
  const std::size_t allowed = result::parse_processors(input.inventory.value("host.cpus_allowed")).size();
  const auto there = number_of(input.inventory, "host.cpus");
  if (allowed == 0 || !there || static_cast<double>(allowed) >= *there || allowed >= gpus) return;
  Finding finding = make_finding(
      Cause("cpu_affinity_wrong"), Severity::warning,
      fmt::format("This process may run on {} of {:g} processors, fewer than there are GPUs", allowed,
                  *there),
      "An affinity mask (taskset, numactl, a job's binding) keeps the threads that feed the GPUs on too few "
      "processors.");
  add_seen(finding, input.inventory,
           {{"host.cpus_allowed", "processors allowed:"}, {"host.cpus", "processors there:"}});
  finding.evidence.push_back(fmt::format("{} GPUs", gpus));
  finding.considered = {"cgroup_cpu_limit: a mask was found, not only a quota"};
  finding.next = {"Look at the mask: taskset -pc $$; widen the job's binding"};
  finding.layers = {"host"};
  findings.push_back(std::move(finding));
}

void check_governor(const RuleInput& input, Findings& findings) {
  const std::string governor = input.inventory.value("host.governor");
  const bool saving =
      governor.find("powersave") != std::string::npos || governor.find("conservative") != std::string::npos;
  if (!saving) return;
  Finding finding = make_finding(
      Cause("cpu_governor"), input.policy == Policy::production ? Severity::warning : Severity::note,
      "The processors' frequency governor saves power",
      "Launches and copies are started by the processor: at a low clock they take longer. How much depends "
      "on "
      "the driver behind the governor; with intel_pstate the clock still rises under load.");
  add_seen(finding, input.inventory, {{"host.governor", "governor"}});
  finding.next = {"sudo cpupower frequency-set -g performance"};
  finding.layers = {"host"};
  findings.push_back(std::move(finding));
}

void check_shared_memory(const RuleInput& input, std::size_t gpus, Findings& findings) {
  constexpr double default_of_containers = 64;  // MiB
  constexpr double enough = 1024;               // MiB
  const auto size = number_of(input.inventory, "host.shm_mib");
  if (!size || gpus == 0) return;
  const bool small = gpus > 1 ? *size < enough : *size <= default_of_containers;
  if (!small) return;
  Finding finding = make_finding(
      Cause("shm_too_small"), gpus > 1 ? Severity::warning : Severity::note,
      fmt::format("/dev/shm has only {:g} MiB", *size),
      "NCCL exchanges data between processes through it, and data loaders pass their batches through it; "
      "when "
      "it is full they fail, often with a bus error. Containers get 64 MiB unless told otherwise.");
  add_seen(finding, input.inventory,
           {{"host.shm_mib", "/dev/shm in MiB:"}, {"container.kind", "container:"}});
  finding.next = {
      "docker run --shm-size=8g or --ipc=host; in Kubernetes an emptyDir of medium Memory at /dev/shm"};
  finding.layers = {"host"};
  findings.push_back(std::move(finding));
}

/// True if each GPU has NVLink, through which it may reach others without PCIe.
bool all_linked(const GpuViews& gpus) {
  return !gpus.empty() && std::all_of(gpus.begin(), gpus.end(), [](const GpuView& gpu) {
    return gpu.number("nvlinks_active").value_or(0) > 0;
  });
}

/// True for a GPU on a module with a Grace processor, whose memory it shares.
bool beside_grace(const GpuViews& gpus) {
  return std::any_of(gpus.begin(), gpus.end(), [](const GpuView& gpu) {
    const std::string name = gpu.value("name");
    return name.find("GH200") != std::string::npos || name.find("GB200") != std::string::npos ||
           name.find("GB300") != std::string::npos || name.find("GB10") != std::string::npos;
  });
}

void check_iommu(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  const Inventory& inventory = input.inventory;
  if (!is(inventory, "host.iommu", "translated") || gpus.empty()) return;
  // Such a GPU reaches the processor's memory through the IOMMU. Without translation it fails on some kernels
  // (NVIDIA/NV-Kernels#22), so translation is intended.
  if (beside_grace(gpus)) return;
  const bool linked = all_linked(gpus) && rdma_ports(inventory).empty();
  const bool matters = gpus.size() > 1 && !in_virtual_machine(inventory) && !linked;
  Finding finding =
      make_finding(Cause("iommu_translation"), matters ? Severity::warning : Severity::note,
                   "The IOMMU translates the devices' memory accesses",
                   "Each access of a GPU to host memory or to another device is translated. "
                   "Transfers between devices over PCIe may get slow or hang, and copies may lose "
                   "some speed.");
  add_seen(finding, inventory, {{"host.iommu", "IOMMU:"}, {"kernel.command_line", "kernel command line:"}});
  finding.evidence.push_back(fmt::format("{} GPU{}", gpus.size(), gpus.size() == 1 ? "" : "s"));
  if (linked) finding.evidence.emplace_back("the GPUs have NVLink, which this does not touch");
  finding.considered = {"acs_enabled: a setting of the bridges, looked at on its own"};
  // Only Arm kernels report an implementer instead of a model.
  const bool arm = inventory.value("host.cpu_model").starts_with("implementer ");
  finding.next = {
      arm ? "Where copies are slow boot with iommu.passthrough=1, Arm's word for it"
          : "Boot with iommu=pt (passthrough), or switch the IOMMU off where no virtual machine needs it"};
  finding.layers = {"host", "kernel"};
  findings.push_back(std::move(finding));
}

void check_acs(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  const Inventory& inventory = input.inventory;
  const bool fabric = !rdma_ports(inventory).empty();
  if (!is(inventory, "host.acs", "on") || in_virtual_machine(inventory) || (gpus.size() < 2 && !fabric))
    return;
  const bool linked = all_linked(gpus);
  Finding finding = make_finding(Cause("acs_enabled"), linked && !fabric ? Severity::note : Severity::warning,
                                 "PCIe bridges redirect transfers between devices to the processor (ACS)",
                                 "With access control services on, data between two devices under one switch "
                                 "goes up to the root complex "
                                 "and back: peer-to-peer and GPUDirect RDMA get slower than across sockets.");
  add_seen(finding, inventory, {{"host.acs", "ACS redirection:"}, {"host.infiniband", "RDMA devices:"}});
  if (linked) finding.evidence.emplace_back("the GPUs have NVLink, which this does not touch");
  finding.considered = {"iommu_translation: a setting of the processor's side, looked at on its own"};
  finding.next = {
      "On bare metal switch ACS off in the firmware, or on the bridges with setpci at each boot; keep it "
      "on where virtual machines share the GPUs"};
  finding.layers = {"host"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_limits(const RuleInput& input, Findings& findings) {
  const std::size_t gpus = gpus_of(input.inventory).size();
  check_processor_limit(input, gpus, findings);
  check_affinity(input, gpus, findings);
  check_governor(input, findings);
  check_shared_memory(input, gpus, findings);
}

void check_buses(const RuleInput& input, Findings& findings) {
  const GpuViews gpus = gpus_of(input.inventory);
  check_iommu(input, gpus, findings);
  check_acs(input, gpus, findings);
}

void check_host(const RuleInput& input, Findings& findings) {
  check_container(input, findings);
  check_limits(input, findings);
  check_buses(input, findings);
  check_network(input, findings);
  check_environment(input, findings);
  check_unreadable(input, findings);
}

}  // namespace gpugauge::stack
