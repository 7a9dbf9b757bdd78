#include "stack/sentences.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpugauge::stack {
namespace {

/// "1 NVIDIA GPU (0000:01:00.0)", "8 NVIDIA GPUs (0000:01:00.0 and 7 more)".
std::string gpus_on_pci(const Hardware& hardware) {
  const std::size_t count = hardware.pci.size();
  if (count == 1)
    return fmt::format("1 NVIDIA GPU ({}, device {})", hardware.pci[0].address, hardware.pci[0].device_id);
  return fmt::format("{} NVIDIA GPUs ({} and {} more)", count, hardware.pci[0].address, count - 1);
}

bool all_bound_to(const Hardware& hardware, const std::string& driver) {
  return !hardware.pci.empty() && std::all_of(hardware.pci.begin(), hardware.pci.end(),
                                              [&](const PciGpu& gpu) { return gpu.driver == driver; });
}

std::string install_driver(const Evidence& e) {
  if (e.minimum_driver.empty()) return "install NVIDIA's driver for this GPU";
  return fmt::format("install NVIDIA's driver {} or newer", e.minimum_driver);
}

std::string no_module(const Evidence& e) {
  const Hardware& h = e.hardware;
  const std::string head =
      fmt::format("The PCI bus shows {}, but the NVIDIA kernel module is not loaded", gpus_on_pci(h));
  const std::string unseen = "(no /proc/driver/nvidia/version, no /sys/module/nvidia)";
  if (all_bound_to(h, "nouveau")) {
    return fmt::format(
        "{}: the kernel's own driver nouveau holds the GPU {}. CUDA needs NVIDIA's driver. Next: {}, switch "
        "nouveau off (`blacklist nouveau` in /etc/modprobe.d, then rebuild the initramfs) and reboot.",
        head, unseen, install_driver(e));
  }
  if (!h.pci.empty() && std::all_of(h.pci.begin(), h.pci.end(),
                                    [](const PciGpu& gpu) { return is_reserving_driver(gpu.driver); })) {
    return fmt::format(
        "{0}: the GPU is bound to {1}, that is, reserved for a virtual machine {2}. Next: run GPUGauge "
        "inside that machine, or take the GPU back from {1} and load NVIDIA's driver.",
        head, h.pci.front().driver, unseen);
  }
  if (!e.container.empty()) {
    return fmt::format(
        "{} {}. This is a {} container, and the kernel is the host's: nothing inside can change that. Next: "
        "run nvidia-smi on the host and repair the driver there.",
        head, unseen, e.container);
  }
  if (!h.module_files_readable) {
    return fmt::format(
        "{} {}. Whether one is installed cannot be told: /lib/modules/{}/modules.dep cannot be read. Next: "
        "try sudo modprobe nvidia, and {} if there is none.",
        head, unseen, h.kernel, install_driver(e));
  }
  if (h.module_for_running_kernel) {
    return fmt::format(
        "{} {}, although one is installed for the running kernel {}. Next: run sudo modprobe nvidia and read "
        "the kernel log; with Secure Boot on, a module without a trusted signature is refused there (\"key "
        "was rejected\").",
        head, unseen, h.kernel);
  }
  if (!h.kernels_with_module.empty()) {
    return fmt::format(
        "{}: none is installed for the running kernel {}, only for {}. The kernel was most likely upgraded "
        "and the module not built again. Next: install the headers of kernel {} and build the module (with "
        "DKMS: sudo dkms autoinstall), or boot the kernel that has one.",
        head, h.kernel, fmt::join(h.kernels_with_module, ", "), h.kernel);
  }
  return fmt::format(
      "{} {}, and none is installed for any kernel under /lib/modules: NVIDIA's driver is not installed. "
      "Next: {}.",
      head, unseen, install_driver(e));
}

std::string module_named(const Hardware& hardware) {
  return hardware.module_version.empty() ? "the NVIDIA kernel module"
                                         : "the NVIDIA kernel module " + hardware.module_version;
}

std::string no_node(const Evidence& e) {
  const std::string head = fmt::format(
      "The NVIDIA kernel driver{} is loaded, but there is no device node (/dev/nvidiactl, /dev/nvidia0)",
      e.hardware.module_version.empty() ? "" : " " + e.hardware.module_version);
  if (!e.container.empty()) {
    return fmt::format(
        "{}{} in this {} container: it was started without access to the GPUs. Next: start it with the "
        "NVIDIA Container Toolkit (docker run --gpus all ..., podman run --device nvidia.com/gpu=all ..., or "
        "a resource limit nvidia.com/gpu in Kubernetes).",
        head, e.cuda.library.opened ? "" : " and no libcuda.so.1", e.container);
  }
  return fmt::format(
      "{}. Next: run sudo nvidia-smi once, which makes the nodes, and let nvidia-persistenced or "
      "nvidia-modprobe make them at boot.",
      head);
}

}  // namespace

std::string found_text(const Hardware& h) {
  if (!h.any()) return "The kernel shows no NVIDIA GPU, module or device node.";
  std::string text = "The kernel shows ";
  text += h.pci.empty() ? "no NVIDIA GPU on the PCI bus" : gpus_on_pci(h) + " on the PCI bus";
  text += h.module_loaded ? ", " + module_named(h) : ", no NVIDIA kernel module";
  text +=
      h.wsl ? ", and WSL's device /dev/dxg." : fmt::format(", and {} GPU device node(s).", h.nodes.size());
  return text;
}

std::string explain_no_hardware(const Evidence& e) {
  std::string text = "There is no NVIDIA GPU here: ";
  text += e.hardware.pci_listed
              ? "no display or 3D controller of NVIDIA on the PCI bus (/sys/bus/pci/devices), "
              : "no PCI bus to look at (/sys/bus/pci/devices is not there), ";
  text +=
      "no NVIDIA kernel module (/proc/driver/nvidia/version, /sys/module/nvidia) and no device node "
      "(/dev/nvidia*, "
      "/dev/dxg with NVIDIA's library).";
  if (e.cuda.library.opened) {
    text += fmt::format(" A driver library is installed ({}) and has nothing to drive", e.cuda.library.path);
    text += e.cuda.code == 0 ? "." : fmt::format(" ({} answers with code {}).", e.cuda.call, e.cuda.code);
  } else if (e.cuda.library.missing) {
    text +=
        " No driver library is installed either, so CUDA programs here report an insufficient driver, which "
        "is "
        "misleading.";
  }
  text +=
      e.container.empty()
          ? " Next: run GPUGauge on a machine with an NVIDIA GPU; in a virtual machine, have the GPU passed "
            "through."
          : fmt::format(
                " Next: this is a {} container: if its host has a GPU, start the container with it; else run "
                "GPUGauge on a machine that has one.",
                e.container);
  return text + " The host itself can be gauged by name (`gpugauge check --device host`).";
}

std::string explain_no_driver(const Evidence& e) {
  std::string text = !e.hardware.pci.empty() && !e.hardware.module_loaded ? no_module(e) : no_node(e);
  if (e.cuda.library.opened && e.cuda.code != 0) {
    text += fmt::format(" (A driver library is there, {}; its {} answers with code {} because of this.)",
                        e.cuda.library.path, e.cuda.call, e.cuda.code);
  }
  return text;
}

}  // namespace gpugauge::stack
