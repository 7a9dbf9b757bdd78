// Findings on the fabric manager and the NVLink fabric.
#include <algorithm>

#include <fmt/format.h>

#include "stack/rules/fabric.hpp"

namespace gpugauge::stack {
namespace {

constexpr const char* subnet_step =
    "Install nvlsm, the NVLink subnet manager, which is a package of its own, and load the module that it "
    "needs: sudo modprobe ib_umad (for every boot: a line ib_umad in /etc/modules-load.d/ib_umad.conf)";
constexpr const char* elsewhere_step =
    "Where it finds no NVSwitch in this virtual machine, it runs on the host: ask that one's administrator";

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

/// Adds the parts without which NVLink 5's fabric manager does not start.
void add_subnet(Finding& finding, const Fabric& fabric) {
  if (!fabric.subnet) return;
  finding.explanation +=
      " With NVLink 5 (B100, B200, B300) it needs the NVLink subnet manager nvlsm and the kernel module "
      "ib_umad beside it.";
  finding.next.emplace_back(subnet_step);
  finding.sources = {"siderolabs/extensions pull request 717", "spectrocloud/CanvOS pull request 700"};
}

/// The libraries' version if a reboot will load a module of that version: the packages were upgraded. "" if
/// it is the module's, or if libcuda and NVML disagree, so no single driver is installed.
std::string installed_libraries(const Inventory& inventory) {
  const auto module = version_of(inventory, "driver.kernel_module_version");
  const auto nvml = version_of(inventory, "driver.libnvml_version");
  const auto cuda = is(inventory, "driver.libcuda_kind", "driver")
                        ? version_of(inventory, "driver.libcuda_version")
                        : std::nullopt;
  if (!module || (!nvml && !cuda)) return "";
  if ((nvml && cuda && *nvml != *cuda) || *(nvml ? nvml : cuda) == *module) return "";
  return inventory.value(nvml ? "driver.libnvml_version" : "driver.libcuda_version");
}

/// `installed`: the driver that the next boot brings; "" if it is the loaded one.
Finding other_version(const Inventory& inventory, const Fabric& fabric, const std::string& installed) {
  const std::string driver =
      printable(installed.empty() ? inventory.value("driver.kernel_module_version") : installed, 24);
  Finding finding = make_finding(
      Cause("fabric_manager_version_mismatch"), Severity::warning,
      fmt::format("The fabric manager {} does not match the {}driver {}",
                  printable(inventory.value("fabric_manager.version"), 24),
                  installed.empty() ? "" : "installed ", driver),
      "The fabric manager sets up the NVSwitches and works only with the driver of exactly its own version; "
      "with another one it ends at its start, and CUDA then answers 802.");
  add_evidence(finding, inventory, fabric);
  if (!installed.empty())
    add_seen(finding, inventory,
             {{"driver.libcuda_version", "libcuda"}, {"driver.libnvml_version", "NVML's library"}});
  finding.considered = {"fabric_manager_down: whether it runs is not the point while its version differs"};
  finding.next = {installed.empty()
                      ? fmt::format("Install the fabric manager in version {}, then sudo systemctl restart "
                                    "nvidia-fabricmanager",
                                    driver)
                      : fmt::format("Install the fabric manager in version {}, that of the libraries, before "
                                    "the reboot that loads their module",
                                    driver),
                  "Hold both packages at one version"};
  if (fabric.guest && !fabric.switches) finding.next.emplace_back(elsewhere_step);
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
  add_subnet(finding, fabric);
  finding.next.emplace_back("Start it: sudo systemctl enable --now nvidia-fabricmanager");
  finding.next.emplace_back("Read why it ended: journalctl -u nvidia-fabricmanager");
  if (fabric.guest && !fabric.switches) finding.next.emplace_back(elsewhere_step);
  return finding;
}

/// "GPU 2 (0000:2a:00.0) has not joined the NVLink fabric"
std::string waiting_title(const Inventory& inventory, const Fabric& fabric) {
  return fmt::format("{} not joined the NVLink fabric",
                     fabric.waiting.size() == 1 ? fabric.waiting[0].name() + " has"
                                                : named(fabric.waiting, gpus_of(inventory).size()) + " have");
}

/// A rack's tray: the fabric cannot be set up from here. A failure if CUDA answers 802.
Finding rack_waits(const Inventory& inventory, const Fabric& fabric, Severity severity) {
  const bool refused = severity == Severity::failure;
  Finding finding = make_finding(
      Cause("fabric_not_ready"), severity,
      refused ? "The GPUs wait for the NVLink fabric of their rack" : waiting_title(inventory, fabric),
      fmt::format(
          "In a rack of GB200 or GB300 the NVLink switches are in trays of their own, and the fabric "
          "manager and the subnet manager run there, as services of NMX-C; this node needs neither. {}",
          refused ? "CUDA answers 802 until they have registered its GPUs."
                  : "Until a GPU has joined the fabric, it does not reach the others over NVLink."));
  add_evidence(finding, inventory, fabric);
  finding.considered = {"fabric_manager_down: it runs on the rack's switch trays, not on this node"};
  finding.next = {"On the switch trays: see that NMX-C and its fabric manager run",
                  "Here: nvidia-smi -q | grep -A4 Fabric, and systemctl status nvidia-imex, which GPUs of "
                  "several nodes need to share memory"};
  finding.sources = {"NVIDIA NMX-Controller documentation"};
  return finding;
}

bool is_rack(const GpuView& gpu) {
  const std::string name = gpu.value("name");
  return name.find("GB200") != std::string::npos || name.find("GB300") != std::string::npos;
}

bool has_nvlink_5(const GpuView& gpu) {
  const auto capability = Version::parse(gpu.value("compute_capability"));
  return capability && capability->major() == 10;  // 12.x has no NVLink
}

std::string unseen_place(const Inventory& inventory, const Fabric& fabric) {
  if (!container_of(inventory).empty()) return "it runs outside of this container";
  if (fabric.guest)
    return "it runs in this virtual machine, if the NVSwitches were passed through to it, or else on its "
           "host";
  return "whether it runs could not be seen from here";
}

}  // namespace

Fabric look_at_fabric(const Inventory& inventory) {
  Fabric fabric;
  fabric.switches = is(inventory, "topology.nvswitch", "yes");
  bool member = false;
  for (const GpuView& gpu : gpus_of(inventory)) {
    fabric.rack = fabric.rack || is_rack(gpu);
    fabric.subnet = fabric.subnet || has_nvlink_5(gpu);
    const std::string state = gpu.value("fabric_state");
    const std::string health = gpu.value("fabric_health");
    if (state == "completed" && !health.empty() && health != "healthy") fabric.unhealthy.push_back(gpu);
    if (state.empty() || state == "not_supported") continue;
    member = true;
    if (state != "completed") fabric.waiting.push_back(gpu);
  }
  fabric.present = fabric.switches || member;
  fabric.guest = in_virtual_machine(inventory);
  fabric.state = inventory.value("fabric_manager.state");
  fabric.absent = missing(inventory, "fabric_manager.state");
  const bool runs = fabric.state == "running";
  const bool found = runs || fabric.state == "installed" || inventory.has("fabric_manager.version");
  // Guest images contain the package even if the host's manager handles the switches.
  fabric.managed = !fabric.rack && (fabric.switches || (member && (fabric.guest ? runs : found)));
  fabric.visible =
      container_of(inventory).empty() && (!fabric.guest || fabric.switches || found) && !fabric.rack;
  return fabric;
}

std::optional<Finding> fabric_manager_finding(const Inventory& inventory, const Fabric& fabric) {
  const auto training = [](const GpuView& gpu) {
    return gpu.is("fabric_state", "in_progress") || gpu.is("fabric_state", "not_started");
  };
  const bool needed = fabric.managed || code_of(inventory, "cuda.init.code") == 802 ||
                      std::any_of(fabric.waiting.begin(), fabric.waiting.end(), training);
  if (!fabric.present || fabric.rack || !needed) return std::nullopt;
  const auto manager = version_of(inventory, "fabric_manager.version");
  const std::string installed = installed_libraries(inventory);
  const auto driver =
      installed.empty() ? version_of(inventory, "driver.kernel_module_version") : Version::parse(installed);
  if (!fabric.absent && manager && driver && *manager != *driver)
    return other_version(inventory, fabric, installed);
  if (manager && !installed.empty()) return std::nullopt;  // it starts with the module that the reboot loads
  if (fabric.visible && (fabric.absent || fabric.state == "installed")) return down(inventory, fabric);
  return std::nullopt;
}

std::string fabric_manager_excluded(const Inventory& inventory, const Fabric& fabric) {
  if (!fabric.present) return "there is no NVSwitch here";
  if (fabric.rack) return "it runs on the rack's switch trays, not on this node";
  if (fabric.state != "running") return "not excluded, since it is not visible from here";
  return version_of(inventory, "fabric_manager.version") &&
                 version_of(inventory, "driver.kernel_module_version")
             ? "it runs, in the driver's version"
             : "it runs";
}

Finding fabric_unseen_finding(const Inventory& inventory, const Fabric& fabric) {
  if (fabric.rack) return rack_waits(inventory, fabric, Severity::failure);
  const bool runs = fabric.state == "running";
  Finding finding = make_finding(
      runs ? Cause("fabric_not_ready") : Cause("fabric_manager_down"), Severity::failure,
      runs ? "The fabric manager runs, and the NVLink fabric is not ready"
           : "CUDA waits for the NVLink fabric; its manager cannot be seen from here",
      runs ? "CUDA answers 802 until the fabric manager has trained the links and registered every GPU. That "
             "takes up to a few minutes after boot; if it lasts, a link or a switch failed."
           : fmt::format("CUDA answers 802 on a machine with NVSwitches. The usual cause is a fabric manager "
                         "that does not run or has another version than the driver; {}.",
                         unseen_place(inventory, fabric)));
  add_evidence(finding, inventory, fabric);
  const bool here = runs || container_of(inventory).empty();
  finding.next = {fmt::format("{}: systemctl status nvidia-fabricmanager, nvidia-smi -q | grep -A2 Fabric",
                              here ? "See its state" : "On the host"),
                  fmt::format("Read journalctl -u nvidia-fabricmanager{}", here ? "" : " there")};
  if (!runs && here && fabric.guest)
    finding.next.emplace_back(
        "Where there is none here and the NVSwitches are this machine's, install it in the driver's "
        "version; else ask the host's administrator");
  add_subnet(finding, fabric);
  return finding;
}

Finding fabric_waiting_finding(const Inventory& inventory, const Fabric& fabric) {
  if (fabric.rack) return rack_waits(inventory, fabric, Severity::warning);
  Finding finding =
      make_finding(Cause("fabric_not_ready"), Severity::warning, waiting_title(inventory, fabric),
                   "Until a GPU has joined the fabric, it does not reach the other GPUs over NVLink.");
  add_evidence(finding, inventory, fabric);
  finding.next = {"Wait some minutes after boot, then read journalctl -u nvidia-fabricmanager (on the host)"};
  return finding;
}

}  // namespace gpugauge::stack
