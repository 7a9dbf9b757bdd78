// Start-up, error 802: a daemon or firmware that must be ready before CUDA can start is not.
#include <algorithm>

#include <fmt/format.h>

#include "stack/rules/fabric.hpp"
#include "stack/rules/start_up.hpp"

namespace gpugauge::stack {
namespace {

constexpr const char* release_notes = "NVIDIA CUDA 13.2 Update release notes, known issues";

Finding kaslr(const StartUp& start, const Fabric& fabric) {
  Finding finding = make_finding(
      Cause("kernel_kaslr_hmm"), Severity::failure,
      "The kernel refuses nvidia_uvm's device memory under address randomisation, so CUDA cannot start",
      "On some kernels the address that KASLR chose leaves no room for what heterogeneous memory management "
      "(HMM) of nvidia_uvm asks for. The kernel log holds the refusal; CUDA then answers 802.");
  add_seen(finding, start.inventory,
           {{"kernel_log.hmm_failure", "refusal in the kernel log:"},
            {"driver.kernel_aslr", "kernel address randomisation:"},
            {"kernel.version", "kernel"}});
  finding.considered = {"fabric_manager_down: " + fabric_manager_excluded(start.inventory, fabric)};
  finding.next = {
      "Switch HMM off: put \"options nvidia_uvm uvm_disable_hmm=1\" into "
      "/etc/modprobe.d/nvidia-uvm-without-hmm.conf, then load nvidia_uvm again or reboot",
      "Or boot with nokaslr, or take a newer kernel"};
  finding.sources = {release_notes};
  finding.layers = {"kernel", "driver"};
  return finding;
}

Finding not_marked_ready(const StartUp& start) {
  Finding finding = make_finding(
      Cause("confidential_computing"), Severity::failure,
      "Confidential computing is on, and the GPU was not set ready",
      "In confidential computing mode a GPU accepts no work after boot until somebody, after attestation, "
      "has set its state to ready. CUDA answers 802 until then.");
  add_seen(finding, start.inventory, {{"driver.confidential_computing", "confidential computing"}});
  finding.considered = {"fabric_manager_down: no sign of it was found"};
  finding.next = {"See the state: nvidia-smi conf-compute -grs; set it: sudo nvidia-smi conf-compute -srs 1"};
  finding.sources = {"NVIDIA/nvtrust issues 56 and 87"};
  finding.layers = {"driver"};
  return finding;
}

}  // namespace

std::optional<Finding> explain_not_ready(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  const Fabric fabric = look_at_fabric(inventory);
  const bool refused = is(inventory, "kernel_log.hmm_failure", "yes");
  std::optional<Finding> finding = fabric_manager_finding(inventory, fabric);
  if (finding) {
    finding->severity = Severity::failure;
    finding->considered.emplace_back(
        refused
            ? "kernel_kaslr_hmm: the kernel log shows its sign as well; if 802 stays once the fabric manager "
              "runs, that is the next cause"
        : inventory.has("kernel_log.readable")
            ? "kernel_kaslr_hmm: no refusal of device memory was found in the kernel log"
            : "kernel_kaslr_hmm: not excluded, since the kernel log could not be read");
    return finding;
  }
  if (refused) return kaslr(start, fabric);
  const std::string confidential = inventory.value("driver.confidential_computing");
  if (confidential == "on" || confidential == "devtools") return not_marked_ready(start);
  if (fabric.present) return fabric_unseen_finding(inventory, fabric);
  return std::nullopt;
}

}  // namespace gpugauge::stack
