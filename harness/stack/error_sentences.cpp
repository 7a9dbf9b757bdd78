// The paragraphs for states with a kernel driver: library, version, visibility, error codes.
#include <fmt/format.h>

#include "result/cuda_error.hpp"
#include "stack/sentences.hpp"
#include "stack/visible_devices.hpp"

namespace gpugauge::stack {
namespace {

constexpr int nvml_version_mismatch = 18;

std::string or_unknown(const std::string& text) {
  return text.empty() ? "unknown" : text;
}

std::string versions(const Evidence& e) {
  return fmt::format("Kernel module: {}; libcuda: {} ({}).", or_unknown(e.hardware.module_version),
                     or_unknown(e.cuda.library.version), or_unknown(e.cuda.library.path));
}

std::string repair_library(const Evidence& e) {
  if (e.hardware.wsl) {
    return "Next: update the Windows driver and run wsl --update; never install a Linux driver inside WSL; "
           "/usr/lib/wsl/lib must be in the loader's path.";
  }
  if (!e.container.empty()) {
    return fmt::format(
        "Next: this is a {} container, into which the NVIDIA Container Toolkit mounts the host's driver "
        "library: start it with --gpus all (or the nvidia runtime) and with NVIDIA_DRIVER_CAPABILITIES "
        "holding compute and utility.",
        e.container);
  }
  return fmt::format(
      "Next: install the driver's user-space package of the same version as the kernel module{} (Debian: "
      "libcuda1, Ubuntu: libnvidia-compute), or run sudo ldconfig if it lies in a folder that the loader "
      "does not know.",
      e.hardware.module_version.empty() ? "" : ", " + e.hardware.module_version);
}

/// The observations that matter for this code.
std::string evidence_for(int code, const Evidence& e) {
  const Hardware& h = e.hardware;
  switch (code) {
    case 802:
      return fmt::format("NVSwitch: {}; a fabric manager process: {}.",
                         h.nvswitch ? "seen" : "not seen from here",
                         e.fabric_manager_seen ? "runs" : "not seen from here");
    case 803:
    case 804:
      return versions(e);
    case 304:
    case 999:
      return fmt::format("Module nvidia_uvm: {}; /dev/nvidia-uvm: {}; /dev/nvidiactl: {}.",
                         h.uvm_loaded ? "loaded" : "not loaded", h.uvm_node ? "there" : "not there",
                         h.control_node ? "there" : "not there");
    default:
      return versions(e);
  }
}

/// The effect of CUDA_VISIBLE_DEVICES.
struct HiddenByVariable {
  std::string text;
  bool certain = false;  ///< it surely names no GPU of this machine; otherwise that is unknown
};

/// nullopt if it is not set or names an existing GPU.
std::optional<HiddenByVariable> hidden_by_variable(const Evidence& e) {
  if (!e.visible_devices) return std::nullopt;
  const std::optional<double> gpus =
      e.nvml.devices > 0 ? std::optional<double>(e.nvml.devices) : std::nullopt;
  const VisibleDevices visible = visible_devices(*e.visible_devices, gpus, {});
  if (visible.named > 0) return std::nullopt;
  return HiddenByVariable{
      fmt::format(
          " CUDA_VISIBLE_DEVICES is set to \"{}\", {}CUDA shows only what it names. Next: give it an index "
          "or "
          "UUID that nvidia-smi -L lists; in a job ask for GPUs, so that the scheduler sets it, and unset it "
          "only where no scheduler has.",
          *e.visible_devices, visible.hides_all() ? "which names no GPU of this machine, and " : "and "),
      visible.hides_all()};
}

}  // namespace

std::string explain_no_library(const Evidence& e) {
  const OpenedLibrary& library = e.cuda.library;
  if (library.opened) {  // code 34
    return fmt::format(
        "{} The libcuda.so.1 that the loader found is {}. {} Next: take the toolkit's lib64/stubs folder out "
        "of LD_LIBRARY_PATH and /etc/ld.so.conf.d, so that the driver's own library is found.",
        found_text(e.hardware), library.path, result::explain_cuda_error(34)->meaning);
  }
  if (library.refused) {
    return fmt::format(
        "{} But libcuda.so.1 was not opened: {}. Next: write the folders of LD_LIBRARY_PATH in full, without "
        "empty entries (gpugauge doctor shows them).",
        found_text(e.hardware), library.error);
  }
  const std::string what = library.missing
                               ? "the loader finds no libcuda.so.1, the driver's user-mode library"
                               : fmt::format("libcuda.so.1 cannot be used ({})", library.error);
  return fmt::format(
      "{} But {}{}. {}", found_text(e.hardware), what,
      library.missing ? "; CUDA programs here report an insufficient driver, which is misleading" : "",
      repair_library(e));
}

std::string explain_driver_too_old(const Evidence& e) {
  const std::string driver =
      !e.hardware.module_version.empty() ? e.hardware.module_version : e.nvml.driver_version;
  return fmt::format(
      "The driver is too old for this build: driver {} supports CUDA up to {}, and this build needs CUDA "
      "{}{}. A driver "
      "runs every minor version of its own CUDA major version and of older ones, but no newer major version. "
      "libcuda: {}. "
      "Next: update the driver{} (on data-centre GPUs NVIDIA's cuda-compat package can bridge the gap), or "
      "build GPUGauge "
      "with a CUDA {} toolkit.",
      or_unknown(driver), cuda_version_text(e.cuda.version), e.build_cuda,
      e.minimum_driver.empty() ? "" : fmt::format(" (driver {} or newer)", e.minimum_driver),
      e.cuda.library.path, e.container.empty() ? "" : " on the host (an image brings none of its own)",
      e.cuda.version / 1000);
}

std::string explain_no_device(const Evidence& e) {
  std::string text =
      fmt::format("The driver works and shows this process no GPU ({}). {}",
                  e.cuda.code == 100 ? fmt::format("{} answers 100, cudaErrorNoDevice", e.cuda.call)
                                     : std::string("it counts 0 devices"),
                  found_text(e.hardware));
  if (e.nvml.devices > 0) text += fmt::format(" NVML sees {} GPU(s).", e.nvml.devices);
  const std::optional<HiddenByVariable> hidden = hidden_by_variable(e);
  if (hidden && hidden->certain) return text + hidden->text;
  // With CDI the runtime sets "void" in every container and gives the GPUs all the same.
  if (e.container_devices && e.nvml.devices == 0 && e.hardware.nodes.empty() &&
      (*e.container_devices == "void" || *e.container_devices == "none" || e.container_devices->empty())) {
    return text +
           fmt::format(
               " NVIDIA_VISIBLE_DEVICES is \"{}\", which gives this container no GPU. Next: start it with "
               "--gpus all.",
               *e.container_devices);
  }
  if (e.hardware.nodes.empty() && !e.hardware.wsl) {
    return text +
           fmt::format(
               " Next: there is {}: have the GPU's node passed into this container or cgroup, or run sudo "
               "nvidia-smi, which makes it.",
               e.hardware.control_node ? "/dev/nvidiactl but no /dev/nvidia0" : "no /dev/nvidia0 here");
  }
  if (hidden) return text + hidden->text;
  text +=
      e.visible_devices
          ? fmt::format(" CUDA_VISIBLE_DEVICES is \"{}\" and names a GPU that NVML sees: it hides not all.",
                        *e.visible_devices)
          : " CUDA_VISIBLE_DEVICES is not set.";
  return text +
         " Next: check nvidia-smi -L, the permissions of /dev/nvidia*, the device rules of the container or "
         "job (cgroup), and whether MIG mode is on without any instance.";
}

std::string explain_error(const Evidence& e) {
  const auto info = result::explain_cuda_error(e.cuda.code);
  std::string text =
      info ? fmt::format("CUDA cannot start: {} answers with code {}, {}. {}", e.cuda.call, e.cuda.code,
                         info->name, info->meaning)
           : fmt::format("CUDA cannot start: {} answers with code {}, which GPUGauge has no explanation for.",
                         e.cuda.call, e.cuda.code);
  text += " " + evidence_for(e.cuda.code, e);
  if (e.nvml.code == nvml_version_mismatch) {
    text += " NVML says the same: driver and library versions do not match (its code 18).";
  } else if (e.nvml.devices > 0) {
    text += fmt::format(" NVML works and sees {} GPU(s).", e.nvml.devices);
  }
  text += fmt::format(
      " Next: {}",
      info ? std::string(info->next)
           : "Look the code up in the CUDA driver API's list of results, and read the kernel log.");
  return text;
}

}  // namespace gpugauge::stack
