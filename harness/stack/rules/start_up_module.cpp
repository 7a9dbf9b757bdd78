// Start-up, the kernel's side: no hardware, another driver, no module, no device nodes.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/hardware.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/rules/driver_parts.hpp"
#include "stack/rules/start_up.hpp"

namespace gpugauge::stack {
namespace {

bool all_bound_to(const StartUp& start, std::string_view driver) {
  return start.gpus.empty() && !start.pci.empty() &&
         std::all_of(start.pci.begin(), start.pci.end(),
                     [&](const PciFunction& gpu) { return gpu.driver == driver; });
}

/// The kernel driver that keeps all GPUs for virtual machines; "" if one is free.
std::string reserving_driver(const StartUp& start) {
  const bool all = start.gpus.empty() && !start.pci.empty() &&
                   std::all_of(start.pci.begin(), start.pci.end(),
                               [](const PciFunction& gpu) { return is_reserving_driver(gpu.driver); });
  return all ? start.pci.front().driver : "";
}

void add_pci(Finding& finding, const StartUp& start) {
  if (!start.pci.empty()) finding.evidence.push_back(start.on_pci() + " on the PCI bus");
}

Finding no_hardware(const StartUp& start) {
  std::string text =
      "Neither a GPU of NVIDIA on the PCI bus nor its kernel module nor a device node was found, so nothing "
      "can run on a GPU here.";
  if (!start.library && missing(start.inventory, "driver.libcuda_path"))
    text +=
        " There is no driver library (libcuda.so.1) either. CUDA programs then report that the driver "
        "version "
        "is insufficient (error 35), which is misleading: there is no driver at all.";
  Finding finding =
      make_finding(Cause("no_nvidia_hardware"), start.image() ? Severity::note : Severity::failure,
                   "No NVIDIA GPU was found on this machine", std::move(text));
  if (start.image()) {
    finding.title = "An image of files has no hardware to judge";
    finding.explanation =
        "What was inspected is a folder without a running kernel: what it holds is listed. Which module is "
        "loaded, which GPUs are there and whether they work, only the machine that runs it can tell.";
    add_seen(finding, start.inventory,
             {{"collected.root", "inspected:"},
              {"driver.libcuda_path", "libcuda.so.1"},
              {"driver.newest_kernel", "newest installed kernel"},
              {"driver.module_for_newest_kernel", "NVIDIA module for it:"}});
    finding.next = {"Run the same on the machine that this image is for"};
    finding.layers = {"gpu"};
    return finding;
  }
  add_seen(finding, start.inventory,
           {{"driver.kernel_module_version", "kernel module"},
            {"driver.device_nodes", "device nodes"},
            {"driver.libcuda_path", "libcuda.so.1"},
            {"host.virtualization", "virtualisation:"}});
  if (!start.container.empty()) {
    finding.next = {"If the host has a GPU, start the container with it: docker run --gpus all ...",
                    "Else run this on a machine with an NVIDIA GPU"};
  } else {
    finding.next = {"Look at the PCI bus: lspci -d 10de:",
                    "In a virtual machine have a GPU passed through; else use a machine that has one"};
  }
  finding.layers = {"gpu"};
  return finding;
}

/// The places that would show a GPU may not be read: its presence is unknown.
Finding hardware_unseen(const StartUp& start) {
  Finding finding = make_finding(Cause("no_nvidia_hardware"), Severity::note,
                                 "Whether there is an NVIDIA GPU cannot be told by this user",
                                 "None was seen, and not every place where one shows itself may be looked "
                                 "at. That is no sign that there is "
                                 "none.");
  add_seen(finding, start.inventory,
           {{"pci", "NVIDIA functions on the PCI bus"},
            {"driver.kernel_module_version", "kernel module"},
            {"driver.device_nodes", "device nodes"},
            {"driver.libcuda_path", "libcuda.so.1"}});
  finding.next = {"Look again with more rights: sudo gpugauge doctor"};
  finding.layers = {"gpu"};
  return finding;
}

Finding reserved_for_vm(const StartUp& start) {
  const std::string driver = reserving_driver(start);
  Finding finding =
      make_finding(Cause("gpu_reserved_for_vm"), Severity::failure,
                   fmt::format("{} bound to {}, so not usable on this host",
                               start.pci.size() == 1 ? "The GPU is" : "The GPUs are", driver),
                   fmt::format("The kernel driver {} holds a device for a virtual machine; NVIDIA's "
                               "driver cannot take it at the same time.",
                               driver));
  add_pci(finding, start);
  finding.next = {
      "Run this inside the virtual machine that has the GPU",
      fmt::format("Or take the GPU back: remove its id from {}'s options, then sudo modprobe nvidia",
                  driver)};
  finding.layers = {"driver"};
  return finding;
}

Finding nouveau(const StartUp& start) {
  Finding finding = make_finding(
      Cause("nouveau_loaded"), Severity::failure, "nouveau holds the GPU, and NVIDIA's module is not loaded",
      "The kernel's own driver nouveau has taken the GPU. CUDA works with NVIDIA's module only, and that one "
      "cannot bind to the device while nouveau has it.");
  add_pci(finding, start);
  add_seen(finding, start.inventory,
           {{"driver.nouveau", "nouveau:"}, {"driver.kernel_module_version", "kernel module"}});
  finding.considered = {"kernel_module_missing: whether a module is installed or not, nouveau must go first"};
  finding.next = {
      "Switch nouveau off: put \"blacklist nouveau\" and \"options nouveau modeset=0\" into "
      "/etc/modprobe.d/nouveau.conf, rebuild the initramfs (sudo update-initramfs -u or sudo dracut -f), "
      "reboot",
      "Install NVIDIA's driver if it is not there yet"};
  finding.layers = {"driver", "kernel"};
  return finding;
}

/// The kernel's log line on refusing a module for its signature; "" if there is none. It does not name the
/// module: where there is none of NVIDIA's for this kernel, another maker's was refused.
std::string key_rejected(const Inventory& inventory) {
  if (is(inventory, "driver.module_for_running_kernel", "no")) return "";
  for (const std::string& child : inventory.children("kernel_log.nvrm")) {
    const std::string line = inventory.value("kernel_log.nvrm." + child);
    if (mentions(line, "ey was rejected") || mentions(line, "unavailable key")) return printable(line);
  }
  return "";
}

std::optional<Finding> secure_boot(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  if (!is(inventory, "driver.secure_boot", "on")) return std::nullopt;
  const std::string rejected = key_rejected(inventory);
  const bool no_signature =
      is(inventory, "driver.module_for_running_kernel", "yes") && is(inventory, "driver.module_signed", "no");
  if (rejected.empty() && !no_signature) return std::nullopt;
  Finding finding = make_finding(
      Cause("secure_boot_rejects_module"), Severity::failure,
      "Secure Boot is on and refuses the NVIDIA kernel module",
      rejected.empty()
          ? "A module exists for the running kernel and carries no signature. With Secure Boot on the kernel "
            "loads only modules signed with a key that the firmware or the machine owner's list trusts."
          : "A module exists, and the kernel refused it because it does not trust the key it is signed "
            "with.");
  if (!rejected.empty()) finding.evidence.push_back("kernel log: " + rejected);
  add_seen(finding, inventory,
           {{"driver.secure_boot", "Secure Boot"},
            {"driver.module_signed", "module carries a signature:"},
            {"driver.module_for_running_kernel", "module for the running kernel:"},
            {"driver.dkms", "built by DKMS:"}});
  finding.considered = {"kernel_module_missing: a module is installed for the running kernel"};
  finding.next = {
      "Enrol the key that DKMS signs with: sudo mokutil --import /var/lib/dkms/mok.pub (Ubuntu: "
      "/var/lib/shim-signed/mok/MOK.der), reboot and confirm it in the firmware's dialogue",
      "Or install the distribution's precompiled, signed module package, or switch Secure Boot off"};
  finding.layers = {"driver", "kernel"};
  return finding;
}

bool any_driver_package(const Inventory& inventory) {
  return std::any_of(inventory.items().begin(), inventory.items().end(), [](const Item& item) {
    constexpr std::array<std::string_view, 6> beginnings{
        "package.nvidia-driver", "package.nvidia-dkms", "package.nvidia-open",
        "package.cuda-drivers",  "package.kmod-nvidia", "package.linux-modules-nvidia"};
    return item.presence == Presence::present &&
           std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return item.key.starts_with(beginning); });
  });
}

Finding module_missing(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  const bool for_running = is(inventory, "driver.module_for_running_kernel", "yes");
  const bool not_for_running = is(inventory, "driver.module_for_running_kernel", "no");
  const std::string kernel = printable(inventory.value("kernel.version"), 60);
  Finding finding = make_finding(Cause("kernel_module_missing"), Severity::failure,
                                 "The NVIDIA kernel module is not loaded", "");
  if (!start.container.empty()) {
    finding.explanation = fmt::format(
        "This is a {} container, and its kernel is the host's: the driver is broken or missing there, and "
        "nothing inside the container can change that.",
        start.container);
    finding.next = {"Run nvidia-smi on the host and repair the driver there"};
  } else if (not_for_running) {
    finding.title = fmt::format("No NVIDIA kernel module is installed for the running kernel {}", kernel);
    finding.explanation =
        "NVIDIA's driver is a kernel module, and each kernel needs its own. The kernel was most likely "
        "upgraded, and the module did not follow.";
    finding.next = module_steps(inventory, kernel);
    finding.next.emplace_back("Or boot the kernel that has a module");
  } else if (for_running) {
    finding.explanation =
        "A module for the running kernel is installed and is not loaded: nothing asked for it, it is "
        "blacklisted, or loading it failed.";
    finding.next = {"Load it: sudo modprobe nvidia",
                    "Read why it fails: sudo dmesg | grep -iE 'nvrm|nvidia'"};
  } else {
    finding.explanation =
        "A GPU is there, and no module drives it. Whether one is installed for the running kernel could not "
        "be told.";
    finding.next = {"Try sudo modprobe nvidia, and install NVIDIA's driver if there is none"};
  }
  add_pci(finding, start);
  add_seen(finding, inventory,
           {{"driver.kernel_module_version", "kernel module"},
            {"kernel.version", "running kernel"},
            {"driver.module_for_running_kernel", "module for the running kernel:"},
            {"driver.newest_kernel", "newest installed kernel"},
            {"driver.module_for_newest_kernel", "module for the newest kernel:"},
            {"driver.dkms", "built by DKMS:"}});
  add_entries(finding, inventory, "driver.history", "package history:");
  if (missing(inventory, "driver.secure_boot") || is(inventory, "driver.secure_boot", "off"))
    finding.considered.emplace_back("secure_boot_rejects_module: Secure Boot is not on");
  if (missing(inventory, "driver.nouveau") || is(inventory, "driver.nouveau", "blacklisted"))
    finding.considered.emplace_back("nouveau_loaded: nouveau is not loaded");
  finding.layers = {"driver", "kernel"};
  return finding;
}

Finding not_installed(const StartUp& start) {
  Finding finding = make_finding(
      Cause("driver_not_installed"), Severity::failure,
      "A GPU is there, and NVIDIA's driver is not installed",
      "There is neither a kernel module for the running kernel nor a driver library. CUDA programs report an "
      "insufficient driver (error 35) here, which is misleading: there is none.");
  add_pci(finding, start);
  add_seen(finding, start.inventory,
           {{"driver.module_for_running_kernel", "module for the running kernel:"},
            {"driver.libcuda_path", "libcuda.so.1"}});
  finding.considered = {"kernel_module_missing: no part of a driver is there, not only the module"};
  finding.next = {"Install NVIDIA's driver for this GPU from the distribution's or NVIDIA's repository"};
  finding.layers = {"driver"};
  return finding;
}

}  // namespace

std::optional<Finding> explain_hardware(const StartUp& start) {
  if (start.wsl || start.alive()) return std::nullopt;
  if (!start.hardware() && start.unseen()) return hardware_unseen(start);
  if (start.module != ModuleState::missing) return std::nullopt;
  if (!start.hardware()) return no_hardware(start);
  if (start.container.empty()) {
    if (!reserving_driver(start).empty()) return reserved_for_vm(start);
    if (is(start.inventory, "driver.nouveau", "loaded") || all_bound_to(start, "nouveau"))
      return nouveau(start);
    if (std::optional<Finding> finding = secure_boot(start)) return finding;
    if (std::optional<Finding> finding = explain_kernel_log(start)) return finding;
    const bool none = !is(start.inventory, "driver.module_for_running_kernel", "yes") &&
                      !is(start.inventory, "driver.module_for_newest_kernel", "yes") &&
                      missing(start.inventory, "driver.libcuda_path") && !any_driver_package(start.inventory);
    if (none) return not_installed(start);
  }
  return module_missing(start);
}

std::optional<Finding> explain_nodes(const StartUp& start) {
  if (start.wsl || start.alive() || start.module != ModuleState::loaded) return std::nullopt;
  const Item* const nodes = start.inventory.find("driver.device_nodes");
  if (nodes == nullptr || nodes->presence == Presence::unreadable) return std::nullopt;
  const bool control = mentions(nodes->value, "/dev/nvidiactl");
  bool gpu = false;
  for (char digit = '0'; digit <= '9'; ++digit)
    gpu = gpu || mentions(nodes->value, std::string("/dev/nvidia") + digit);
  if (control && gpu) return std::nullopt;
  if (std::optional<Finding> finding = explain_kernel_log(start)) return finding;
  // The driver's container may also hold the device nodes.
  if (std::optional<Finding> finding = explain_driver_elsewhere(start, true)) return finding;
  const bool in_container = !start.container.empty();
  Finding finding = make_finding(
      in_container ? Cause("container_without_driver") : Cause("device_nodes_missing"), Severity::failure,
      in_container ? "This container was started without access to the GPUs"
                   : "The driver is loaded, and its device nodes are missing",
      fmt::format("The NVIDIA kernel module is loaded, but {} not there{}.",
                  control ? "the GPUs' own nodes (/dev/nvidia0 and up) are" : "/dev/nvidiactl is",
                  in_container ? " inside this container" : ""));
  add_seen(finding, start.inventory,
           {{"driver.kernel_module_version", "kernel module"},
            {"driver.device_nodes", "device nodes:"},
            {"driver.libcuda_path", "libcuda.so.1"},
            {"container.visible_devices", "NVIDIA_VISIBLE_DEVICES"}});
  finding.considered = {"kernel_module_missing: the module is loaded"};
  if (in_container) {
    finding.next = {
        "Start it with the NVIDIA Container Toolkit: docker run --gpus all ..., podman run --device "
        "nvidia.com/gpu=all ..., or the resource limit nvidia.com/gpu in Kubernetes"};
  } else {
    finding.next = {
        "Run sudo nvidia-smi once, which makes them",
        "Let nvidia-persistenced make them at boot: sudo systemctl enable --now nvidia-persistenced"};
  }
  finding.layers = {"driver"};
  return finding;
}

}  // namespace gpugauge::stack
