// Start-up, the driver's libraries: missing, the toolkit's stub, or of another version than the module.

#include <fmt/format.h>

#include "stack/inventory/driver.hpp"
#include "stack/rules/driver_parts.hpp"
#include "stack/rules/start_up.hpp"

namespace gpugauge::stack {
namespace {

constexpr int stub_library = 34;
constexpr int driver_mismatch = 803;
constexpr int nvml_version_mismatch = 18;

constexpr const char* misleading =
    "CUDA programs report that the driver version is insufficient for the runtime (error 35), which is "
    "misleading: there is no driver library that could be too old.";

/// The driver's own libcuda in a place unknown to the loader; "" if there is none.
std::string library_elsewhere(const Inventory& inventory) {
  for (const std::string& child : inventory.children("driver.libcuda")) {
    const std::string prefix = "driver.libcuda." + child;
    if (is(inventory, prefix + ".kind", "driver")) return inventory.value(prefix + ".path");
  }
  return "";
}

Finding no_library(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  const std::string module = printable(inventory.value("driver.kernel_module_version"), 40);
  const bool in_container = !start.container.empty() && !start.wsl;
  Finding finding = make_finding(
      in_container ? Cause("container_without_driver") : Cause("driver_library_missing"), Severity::failure,
      in_container ? "This container has no driver library: it was started without access to the GPUs"
                   : "The driver's library libcuda.so.1 is missing",
      "");
  if (start.wsl) {
    finding.explanation = fmt::format(
        "In WSL libcuda.so.1 comes with the Windows driver and lies in /usr/lib/wsl/lib; the loader does not "
        "find it. {}",
        misleading);
    finding.next = {"Update the Windows driver, then wsl --update and wsl --shutdown in Windows",
                    "Have /usr/lib/wsl/lib in /etc/ld.so.conf.d/ld.wsl.conf, then sudo ldconfig",
                    "Install no Linux driver inside WSL"};
  } else if (in_container) {
    finding.explanation = fmt::format(
        "The NVIDIA Container Toolkit mounts the host's driver library into a container, and it did not do "
        "so "
        "for this {} container. {}",
        start.container, misleading);
    finding.next = {
        "Start it with the GPUs: docker run --gpus all ..., podman run --device "
        "nvidia.com/gpu=all ..., or the resource limit nvidia.com/gpu in Kubernetes",
        "Let NVIDIA_DRIVER_CAPABILITIES hold compute and utility",
        "On the host: nvidia-ctk runtime configure, then restart the container runtime"};
  } else {
    finding.explanation = fmt::format(
        "The kernel module{} is loaded, and the loader finds no libcuda.so.1, the part of the driver that "
        "programs call. {}",
        module.empty() ? "" : " " + module, misleading);
    finding.next = {
        fmt::format("Install the library's package of the same version{} (Debian: libcuda1, Ubuntu: "
                    "libnvidia-compute-<branch>)",
                    module.empty() ? "" : ", " + module),
        "If it lies in a folder that the loader does not know: sudo ldconfig"};
    if (const std::string path = library_elsewhere(inventory); !path.empty())
      finding.next.insert(finding.next.begin(),
                          fmt::format("See whether {} is of the module's version: then name its folder in "
                                      "/etc/ld.so.conf.d, and sudo ldconfig",
                                      printable(path)));
  }
  add_seen(finding, inventory,
           {{"driver.libcuda_path", "libcuda.so.1"},
            {"driver.libnvml_path", "libnvidia-ml.so.1"},
            {"driver.kernel_module_version", "kernel module"},
            {"driver.device_nodes", "device nodes:"},
            {"container.driver_capabilities", "NVIDIA_DRIVER_CAPABILITIES"},
            {"container.visible_devices", "NVIDIA_VISIBLE_DEVICES"},
            {"container.toolkit_version", "NVIDIA Container Toolkit"}});
  finding.considered = {"driver_too_old: without a library no version was compared"};
  if (start.module == ModuleState::loaded)
    finding.considered.emplace_back("kernel_module_missing: the module is loaded");
  finding.layers = {"driver"};
  return finding;
}

/// A vGPU manager's package has NVML but no libcuda: CUDA runs only in the guests.
Finding host_of_guests(const StartUp& start) {
  Finding finding = make_finding(
      Cause("driver_library_missing"), Severity::note, "This vGPU host has no libcuda.so.1, and needs none",
      "The vGPU manager shares the GPUs out to virtual machines, and its package holds no libcuda. CUDA runs "
      "in the guests, with their own drivers; on this host nothing is missing.");
  add_seen(finding, start.inventory,
           {{"driver.libcuda_path", "libcuda.so.1"},
            {"driver.libnvml_path", "libnvidia-ml.so.1"},
            {"driver.kernel_module_version", "kernel module"},
            {"vgpu.host", "vGPU host:"}});
  finding.considered = {"kernel_module_missing: the module is loaded"};
  finding.next = {
      "Look from a virtual machine that has a vGPU: run gpugauge doctor there",
      "Install no package of libcuda on this host: it is of another driver than the vGPU manager"};
  finding.layers = {"driver"};
  return finding;
}

Finding stub(const StartUp& start) {
  Finding finding = make_finding(
      Cause("driver_library_stub"), Severity::failure, "The loader picks the toolkit's stub of libcuda.so.1",
      "The libcuda.so.1 that is found first is a stub: it exists for linking programs on machines without a "
      "driver, and every call to it fails. The driver's own library is not reached.");
  add_seen(finding, start.inventory, {{"driver.libcuda_path", "libcuda.so.1"}});
  add_seen(finding, start.inventory, {{"env.LD_LIBRARY_PATH", "LD_LIBRARY_PATH"}});
  for (const std::string& child : start.inventory.children("driver.libcuda")) {
    const std::string prefix = "driver.libcuda." + child;
    if (is(start.inventory, prefix + ".kind", "driver"))
      finding.evidence.push_back(seen(start.inventory, prefix + ".path", "the driver's own copy:"));
  }
  finding.next = {
      "Take the toolkit's lib64/stubs folder out of LD_LIBRARY_PATH and /etc/ld.so.conf.d, then sudo "
      "ldconfig"};
  finding.layers = {"driver", "cuda"};
  return finding;
}

bool differ(const std::optional<Version>& a, const std::optional<Version>& b) {
  return a && b && *a != *b;
}

/// True if nobody asked the driver but the files show the mismatch.
bool files_differ(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  if (start.cuda || start.nvml || start.wsl || start.module != ModuleState::loaded) return false;
  const auto module = version_of(inventory, "driver.kernel_module_version");
  const bool own = is(inventory, "driver.libcuda_kind", "driver");
  return (own && differ(version_of(inventory, "driver.libcuda_version"), module)) ||
         differ(version_of(inventory, "driver.libnvml_version"), module);
}

std::string mismatch_title(const Inventory& inventory) {
  const std::string module = inventory.value("driver.kernel_module_version");
  const auto loaded = version_of(inventory, "driver.kernel_module_version");
  const auto titled = [&](const char* key, const char* name) -> std::string {
    if (!differ(version_of(inventory, key), loaded)) return "";
    return fmt::format("{} {} does not match the loaded kernel module {}", name,
                       printable(inventory.value(key), 24), printable(module, 24));
  };
  std::string title = titled("driver.libcuda_version", "libcuda");
  if (title.empty()) title = titled("driver.libnvml_version", "NVML's library");
  return title.empty() ? "The driver's library does not match the loaded kernel module" : title;
}

/// Adds the way without a reboot. Without -a, modprobe takes a second name for an option of the first module.
/// With -r it fails for a name that no module has, so only observed modules are named.
void add_reload(Finding& finding, const Inventory& inventory) {
  std::string services = "nvidia-dcgm";  // nothing tells whether it runs
  if (is(inventory, "driver.persistenced", "running")) services += " nvidia-persistenced";
  if (is(inventory, "fabric_manager.state", "running")) services += " nvidia-fabricmanager";
  std::string users;  // modules that use nvidia
  if (is(inventory, "driver.gdrcopy", "loaded")) users += " gdrdrv";
  const std::string peermem = inventory.value("driver.peermem");
  for (const char* const name : {"nvidia_peermem", "nv_peer_mem"})
    if (peermem.ends_with(name)) users += fmt::format(" {}", name);
  finding.next.push_back(
      fmt::format("Without a reboot: drain the node, stop what keeps the GPUs open (sudo systemctl stop {}, "
                  "those that are there), and end the rest that sudo fuser -v /dev/nvidia* names",
                  services));
  finding.next.push_back(
      fmt::format("Then sudo modprobe -r{} nvidia_drm nvidia_modeset nvidia_uvm nvidia && sudo modprobe -a "
                  "nvidia nvidia_uvm{}, and start those services again; lsmod | grep nvidia names what still "
                  "holds the module (nvidia_fs, for one)",
                  users, users));
}

void add_repair(Finding& finding, const StartUp& start) {
  const Inventory& inventory = start.inventory;
  if (!start.container.empty()) {
    finding.next = {"Recreate the container: the NVIDIA Container Toolkit mounts the host's present library",
                    "On the host run nvidia-smi: where it fails too, reboot the host",
                    "Look for a libcuda.so.1 that the image brings along, and take it out"};
    return;
  }
  if (is(inventory, "driver.module_for_newest_kernel", "no")) {
    finding.next = module_steps(inventory, printable(inventory.value("driver.newest_kernel"), 60));
    finding.next.emplace_back("Do not reboot before: a reboot would start that kernel, without the GPUs");
  }
  finding.next.emplace_back("Reboot: then the module that belongs to the installed libraries is loaded");
  add_reload(finding, inventory);
  finding.next.emplace_back("Hold the driver's packages, so that an upgrade does not do this unasked");
}

Finding mismatch(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  const bool compat =
      is(inventory, "driver.libcuda_kind", "compat") || is(inventory, "forward_compat.in_use", "yes");
  std::string text =
      "The kernel module and the driver's libraries are one release and must be of exactly one version. ";
  text +=
      compat ? "Here the loader picks a libcuda of a forward-compatibility package, and the loaded module "
               "does not take it."
      : start.container.empty()
          ? "Usually the packages were upgraded while the old module stayed loaded."
          : "In a container: the host's driver was upgraded while the container ran, or the image brings a "
            "libcuda of its own.";
  Finding finding =
      make_finding(Cause("umd_kmd_mismatch"), Severity::failure, mismatch_title(inventory), std::move(text));
  add_seen(finding, inventory,
           {{"driver.kernel_module_version", "kernel module"},
            {"driver.libcuda_version", "libcuda"},
            {"driver.libcuda_path", "libcuda.so.1"},
            {"driver.libnvml_version", "NVML's library"},
            {"driver.persistenced", "nvidia-persistenced:"}});
  add_entries(finding, inventory, "driver.history", "package history:");
  for (const std::string& child : inventory.children("kernel_log.nvrm")) {
    const std::string line = inventory.value("kernel_log.nvrm." + child);
    if (line.find("API mismatch") == std::string::npos) continue;
    finding.evidence.push_back("kernel log: " + printable(line));
    break;
  }
  if (!compat)
    finding.considered.emplace_back(
        "forward_compat_on_geforce (804): libcuda does not lie in a forward-compatibility folder");
  if (start.module == ModuleState::loaded)
    finding.considered.emplace_back("kernel_module_missing: the module is loaded");
  if (compat) {
    finding.next = {"Take the compat folder out of LD_LIBRARY_PATH and /etc/ld.so.conf.d, then sudo ldconfig",
                    "Or install the cuda-compat package that fits this driver, or update the driver"};
  } else {
    add_repair(finding, start);
  }
  finding.layers = {"driver"};
  return finding;
}

}  // namespace

std::optional<Finding> explain_library(const StartUp& start) {
  // Only a stub answers 34; a small file elsewhere that answers something else is none.
  const bool in_stubs = start.inventory.value("driver.libcuda_path").find("/stubs/") != std::string::npos;
  const bool looks_like_one =
      is(start.inventory, "driver.libcuda_kind", "stub") && start.cuda != 0 && (in_stubs || !start.cuda);
  if (start.cuda == stub_library || looks_like_one) return stub(start);
  if (start.library || start.cuda == 0) return std::nullopt;
  if (std::optional<Finding> finding = explain_driver_elsewhere(start, false)) return finding;
  if (!missing(start.inventory, "driver.libcuda_path")) return std::nullopt;
  return start.container.empty() && is(start.inventory, "vgpu.host", "yes") ? host_of_guests(start)
                                                                            : no_library(start);
}

std::optional<Finding> explain_driver_elsewhere(const StartUp& start, bool containers_only) {
  const Inventory& inventory = start.inventory;
  if (start.library || !start.container.empty() || start.wsl || start.module != ModuleState::loaded ||
      start.image() || !missing(inventory, "driver.libcuda_path"))
    return std::nullopt;
  const std::string path = library_elsewhere(inventory);
  const std::string folder = printable(path.substr(0, path.rfind('/')), 120);
  const bool nix = path.starts_with("/nix/store/");
  const bool by_container = is_for_containers(path);
  if (!by_container && (containers_only || !nix)) return std::nullopt;
  Finding finding = make_finding(
      Cause("driver_library_missing"), Severity::note,
      by_container ? "The driver's libraries are for containers; this host has none of its own"
                   : "The driver's libraries lie where the loader does not look by itself",
      by_container
          ? fmt::format(
                "The kernel module is loaded, and a container brought its libraries to {} (NVIDIA's GPU "
                "Operator and Google's driver installer do so). Pods with a GPU get them from there, and "
                "nothing is missing on the host.",
                folder)
          : fmt::format(
                "The kernel module is loaded, and libcuda.so.1 lies in {}. On NixOS programs find it in "
                "/run/opengl-driver/lib if they were built to look there.",
                folder));
  add_seen(finding, inventory,
           {{"driver.libcuda_path", "libcuda.so.1"},
            {"driver.kernel_module_version", "kernel module"},
            {"driver.device_nodes", "device nodes:"}});
  finding.evidence.push_back("the driver's own copy: " + printable(path));
  finding.considered = {"kernel_module_missing: the module is loaded"};
  if (by_container) {
    finding.next = {"Look from a pod or container that has a GPU: run gpugauge doctor there",
                    "Install no driver packages on this host: they would be a second driver beside it"};
  } else {
    finding.next = {"Start programs that do not find it with LD_LIBRARY_PATH=/run/opengl-driver/lib"};
  }
  finding.layers = {"driver"};
  return finding;
}

std::optional<Finding> explain_versions(const StartUp& start) {
  if (start.cuda == driver_mismatch || start.nvml == nvml_version_mismatch || files_differ(start))
    return mismatch(start);
  return std::nullopt;
}

}  // namespace gpugauge::stack
