#include <algorithm>

#include <fmt/format.h>

#include "stack/rules/fabric.hpp"

namespace gpugauge::stack {
namespace {

void add_evidence(Finding& finding, const Inventory& inventory, const Fabric& fabric) {
  add_seen(finding, inventory,
           {{"fabric_manager.state", "fabric manager:"},
            {"fabric_manager.version", "its version"},
            {"driver.kernel_module_version", "kernel module"},
            {"topology.nvswitch", "NVSwitch:"}});
  for (const GpuView& gpu : fabric.waiting)
    finding.evidence.push_back(fmt::format("{}: fabric state {}", gpu.name(), gpu.shown("fabric_state")));
  finding.layers = {"driver", "fabric manager"};
}

Finding other_version(const Inventory& inventory, const Fabric& fabric) {
  Finding finding = make_finding(
      Cause("fabric_manager_version_mismatch"), Severity::warning,
      fmt::format("The fabric manager {} does not match the driver {}",
                  printable(inventory.value("fabric_manager.version"), 24),
                  printable(inventory.value("driver.kernel_module_version"), 24)),
      "The fabric manager sets up the NVSwitches and works only with the driver of exactly its own version; "
      "with another one it ends at its start, and CUDA then answers 802.");
  add_evidence(finding, inventory, fabric);
  finding.considered = {"fabric_manager_down: whether it runs is not the point while its version differs"};
  finding.next = {fmt::format("Install the fabric manager in version {}, then sudo systemctl restart "
                              "nvidia-fabricmanager",
                              printable(inventory.value("driver.kernel_module_version"), 24)),
                  "Hold both packages at one version"};
  return finding;
}

Finding down(const Inventory& inventory, const Fabric& fabric) {
  Finding finding = make_finding(
      Cause("fabric_manager_down"), Severity::warning,
      fabric.absent ? "The fabric manager, which this NVSwitch system needs, is not installed"
                    : "The fabric manager, which this NVSwitch system needs, is not running",
      "The GPUs of this machine are joined by NVSwitches. Until the fabric manager has set those up, CUDA "
      "answers 802, while nvidia-smi lists the GPUs as if all were well.");
  add_evidence(finding, inventory, fabric);
  finding.considered = {"fabric_manager_version_mismatch: no other version than the driver's was found"};
  if (fabric.absent) finding.next.emplace_back("Install the fabric manager of exactly the driver's version");
  finding.next.emplace_back("Start it: sudo systemctl enable --now nvidia-fabricmanager");
  finding.next.emplace_back("Read why it ended: journalctl -u nvidia-fabricmanager");
  return finding;
}

}  // namespace

Fabric look_at_fabric(const Inventory& inventory) {
  Fabric fabric;
  fabric.present = is(inventory, "topology.nvswitch", "yes");
  for (const GpuView& gpu : gpus_of(inventory)) {
    const std::string state = gpu.value("fabric_state");
    if (state.empty() || state == "not_supported") continue;
    fabric.present = true;
    if (state != "completed") fabric.waiting.push_back(gpu);
  }
  fabric.visible = container_of(inventory).empty() && !in_virtual_machine(inventory);
  fabric.state = inventory.value("fabric_manager.state");
  fabric.absent = missing(inventory, "fabric_manager.state");
  return fabric;
}

std::optional<Finding> fabric_manager_finding(const Inventory& inventory, const Fabric& fabric) {
  const auto training = [](const GpuView& gpu) {
    return gpu.is("fabric_state", "in_progress") || gpu.is("fabric_state", "not_started");
  };
  // In a rack whose switches are elsewhere (NVL72) the manager is elsewhere as well.
  const bool needed = is(inventory, "topology.nvswitch", "yes") ||
                      code_of(inventory, "cuda.init.code") == 802 ||
                      std::any_of(fabric.waiting.begin(), fabric.waiting.end(), training);
  if (!fabric.present || !needed) return std::nullopt;
  const auto manager = version_of(inventory, "fabric_manager.version");
  const auto module = version_of(inventory, "driver.kernel_module_version");
  if (!fabric.absent && manager && module && *manager != *module) return other_version(inventory, fabric);
  if (fabric.visible && (fabric.absent || fabric.state == "installed")) return down(inventory, fabric);
  return std::nullopt;
}

Finding fabric_unseen_finding(const Inventory& inventory, const Fabric& fabric) {
  const bool runs = fabric.state == "running";
  Finding finding = make_finding(
      runs ? Cause("fabric_not_ready") : Cause("fabric_manager_down"), Severity::failure,
      runs ? "The fabric manager runs, and the NVLink fabric is not ready"
           : "CUDA waits for the NVLink fabric; its manager cannot be seen from here",
      runs ? "CUDA answers 802 until the fabric manager has trained the links and registered every GPU. That "
             "takes up to a few minutes after boot; if it lasts, a link or a switch failed."
           : "CUDA answers 802 on a machine with NVSwitches. The usual cause is a fabric manager that does "
             "not "
             "run or has another version than the driver; it runs on the host, outside of this container or "
             "virtual machine.");
  add_evidence(finding, inventory, fabric);
  finding.next = {"On the host: systemctl status nvidia-fabricmanager, nvidia-smi -q | grep -A2 Fabric",
                  "Read journalctl -u nvidia-fabricmanager there"};
  return finding;
}

Finding fabric_waiting_finding(const Inventory& inventory, const Fabric& fabric) {
  Finding finding = make_finding(
      Cause("fabric_not_ready"), Severity::warning,
      fmt::format("{} not joined the NVLink fabric",
                  fabric.waiting.size() == 1 ? fabric.waiting[0].name() + " has"
                                             : named(fabric.waiting, gpus_of(inventory).size()) + " have"),
      "Until a GPU has joined the fabric, it does not reach the other GPUs over NVLink.");
  add_evidence(finding, inventory, fabric);
  finding.next = {"Wait some minutes after boot, then read journalctl -u nvidia-fabricmanager (on the host)"};
  return finding;
}

}  // namespace gpugauge::stack
