// What keeps a process, a module or a build from a GPU that is there: access, modes, libraries, the bus.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "diagnose/causes/driver_start.hpp"
#include "diagnose/causes/told_figures.hpp"

namespace gpugauge::diagnose {
namespace {

void examine_access(const Seen& seen, Argument& it) {
  // Who may not set a clock gets the same answer of NVML, on a GPU that works.
  const Fact none = stopped(seen);
  if (none)
    it.confirms(weight::strong, seen.nvml_error(4, {"Insufficient Permissions", "NVML_ERROR_NO_PERMISSION"}));
  it.confirms(weight::strong, seen.told({"/dev/nvidia*Permission denied", "/dev/nvidia*not permitted",
                                         "Permission denied*/dev/nvidia", "not permitted*/dev/nvidia"}));
  // The control group of a container lets nobody open them: in a container within one it cannot be changed, and where the
  // tool is told to leave it alone it stays shut.
  it.confirms(weight::proof, seen.told({"bpf_prog_query(BPF_CGROUP_DEVICE) failed*not permitted",
                                        "failed to add device rules*not permitted"}));
  it.confirms(weight::strong, both(seen.told({"no-cgroups = true", "no-cgroups=true"}),
                                   seen.told({"Failed to initialize NVML: Unknown Error"})));
  if (none)
    it.confirms(
        weight::strong,
        seen.recovers_by({"video group", "render group", "group=video", "groups=video", "groups=render",
                          "gpasswd", "newgrp", "setfacl", "group=render", "usermod", "keep-groups",
                          "group-add", "privileged", "chmod*/dev/nvidia", "NVreg_DeviceFile"}));
  // The driver's own default is 0666: anybody.
  if (none) {
    // Debian's own mode: a hint beside what was refused.
    const Fact mode = either(seen.told({"crw-rw----*nvidia", "crw-------*nvidia", "nvidia~ = crw-rw----",
                                        "nvidia~ = crw-------", "nvidia*mode 0660", "nvidia*mode 660",
                                        "NVreg_DeviceFileMode=0660", "NVreg_DeviceFileMode=0600"},
                                       {"nvidia-caps"}),
                             seen.setting("NVreg_DeviceFileMode", {"0660", "0600", "432", "384"}));
    it.confirms(weight::fair, mode);
    it.confirms(weight::fair,
                seen.told({"with sudo it", "works with sudo", "works as root", "as root it works",
                           "only root can", "only works as root", "sudo nvidia-smi works"}));
  }
  it.confirms(weight::good, seen.told({"cannot access the nvidia device", "cannot access nvidia device",
                                       "no permission*nvidia device", "may not open*/dev/nvidia"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.probe("outside_container", {"recovers", "normal"}));
    it.confirms(weight::faint, seen.on("host.container"));
  }
  it.at_most(bound::weak, seen.recovers_by({"device_cgroup", "cgroup", "daemon-reload", "--gpus"}));
  it.at_most(bound::weak, seen.error(805, {"cudaErrorMpsConnectionFailed", "MPS client failed to connect"}));
  it.at_most(bound::remote, gpu_computes(seen));
}

Fact stubs_on_path(const Seen& seen) {
  for (const auto& [name, value] : seen.it().environment)
    if (name == "LD_LIBRARY_PATH" && contains(value, "/stubs"))
      return fmt::format("{}={} in the environment", name, value);
  return std::nullopt;
}

void examine_stub(const Seen& seen, Argument& it) {
  const Fact error = seen.error(34, {"cudaErrorStubLibrary", "CUDA_ERROR_STUB_LIBRARY", "stub library"});
  it.confirms(weight::proof, error);
  it.confirms(weight::proof, seen.on("driver.libcuda_path", {"/stubs/"}));
  if (error || seen.fails({}))
    it.confirms(weight::strong, seen.told({"stubs/libcuda.so", "stubs/libnvidia-ml.so", "built as a stub",
                                           "library is a stub", "linked*against*stub"}));
  const Fact told = seen.told({"/stubs to LD_LIBRARY_PATH", "LD_LIBRARY_PATH*/stubs", "lib64/stubs",
                               "lib/stubs", "/stubs to*ld.so.conf", "ld.so.conf*/stubs"},
                              {" LIBRARY_PATH="});
  const Fact code = told_error(seen, 34);
  if (stopped(seen)) {
    it.confirms(weight::fair, stubs_on_path(seen));
    it.confirms(code ? weight::strong : weight::fair, told);
    if (told || stubs_on_path(seen)) it.confirms(weight::strong, seen.recovers_by({"LD_LIBRARY_PATH"}));
  }
  it.confirms(weight::strong, seen.recovers_by({"stubs"}));
}

/// The module that is loaded, or was installed, is the proprietary one. The open one's licence is "Dual MIT/GPL", and
/// it calls itself "NVIDIA UNIX Open Kernel Module for x86_64".
Fact closed_module(const Seen& seen) {
  if (Fact fact = seen.off("driver.open_module")) return fact;
  return seen.told({"NVIDIA UNIX x86_64 Kernel Module", "NVIDIA UNIX aarch64 Kernel Module",
                    "kernel-module-type=proprietary", "license = NVIDIA", "license:*NVIDIA", "-m=kernel ",
                    "cuda-drivers-*proprietary", "proprietary kernel module"},
                   {"MIT/GPL", "Open Kernel Module"});
}

void examine_module_kind(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told({"requires use of the NVIDIA open", "requires the NVIDIA open",
                                        "requires*open kernel module", "need*open kernel module"}));
  const Fact refused =
      either(seen.told({"RmInitAdapter failed", "No devices were found", "NVIDIA probe routine failed"}),
             either(seen.fails({"init"}), seen.probe("nvml_query", {"fails"})));
  // NVIDIA's installation guide: from Blackwell on, and on Grace Hopper, only the open module drives the GPU.
  const std::string& capability = seen.it().about.compute_capability;
  const Fact newest =
      capability.starts_with("10.") || capability.starts_with("11.") || capability.starts_with("12.")
          ? Fact("compute capability " + capability + " is driven by the open module only")
          : seen.gpu_named({"B100", "B200", "B300", "GB200", "GB300", "GB10", "GH200", "Blackwell",
                            "RTX 5050", "RTX 5060", "RTX 5070", "RTX 5080", "RTX 5090"});
  it.confirms(weight::strong, both(both(newest, closed_module(seen)), refused));
  if (refused)
    it.confirms(weight::strong,
                seen.recovers_by({"open_module", "open module", "nvidia-open", "-open", "open kernel"}));
  it.rules_out(
      either(seen.on("driver.open_module"), seen.told({"NVIDIA UNIX Open Kernel Module", "Dual MIT/GPL"})));
  it.at_most(bound::remote, gpu_computes(seen));
}

void examine_region(const Seen& seen, Argument& it) {
  const bool told = it.confirms(
      weight::proof, seen.told({"PCI I/O region assigned to your NVIDIA device is invalid",
                                "BAR* is 0M @ 0x0", "BAR*no space for*mem", "BAR*failed to assign*mem",
                                "can't assign; no space", "assigned*address space*less than"},
                               {"[io"}));
  const Fact none = stopped(seen);
  if (none || seen.probe("nvml_query", {"fails"})) {
    // lspci of a region without an address, and the kernel's words for it.
    it.confirms(weight::strong, seen.told({"Memory at <unassigned>", "Memory at <ignored>", "NVRM*BAR*can't",
                                           "nvidia *BAR*can't assign*no space", "nvidia *can't claim BAR"}));
    Fact off;
    for (const std::string_view name : {"above_4g", "above 4g", "above4g", "4g_decoding", "4g decoding"})
      off = either(off, seen.setting_off(name));
    it.confirms(weight::fair, off);
    it.confirms(weight::fair, seen.told({"no second Memory line", "no*Memory line", "Above 4G*Disabled",
                                         "Above 4G*was off"}));
  }
  if (none)
    it.confirms(weight::strong,
                seen.recovers_by({"above 4g", "4g decoding", "above_4g", "above4g", "4g_decoding",
                                  "X-PciMmio64Mb", "PciMmio64", "mmio", "resizable bar", "rebar",
                                  "pci=realloc", "pci-hole64", "64bitMMIOSizeGB"}));
  if (told) it.confirms(weight::hint, seen.on("host.virtualization"));
  it.at_most(bound::remote, seen.told({"fallen off the bus"}));
}

/// Capabilities were named, and compute is not among them. None named are the toolkit's own, compute among them.
Fact without_compute(const Seen& seen) {
  for (const auto& [name, value] : seen.it().environment)
    if (name == "NVIDIA_DRIVER_CAPABILITIES" && !value.empty() && !contains_any(value, {"compute", "all"}))
      return fmt::format("{}={} in the environment", name, value);
  return std::nullopt;
}

void examine_image(const Seen& seen, Argument& it) {
  if (!stopped(seen)) return;
  // The container toolkit mounts libcuda for the capability compute only, and NVML for utility.
  it.confirms(weight::strong, without_compute(seen));
  // nvidia-smi prints this where it finds no libcuda; in a container it answers for the host's driver.
  const Fact head = seen.told({"CUDA Version: N/A", "CUDA Version : N/A", "CUDA Version*N/A on top"});
  const Fact inside =
      either(seen.on("host.container"), seen.told({"in the container", "inside the container", "docker",
                                                   "compose", "podman", "in the pod", "inside the pod"}));
  it.confirms(weight::good, both(head, inside));
  if (seen.on("host.container")) {
    const Fact library = either(seen.on("libraries.missing", {"libcuda.so"}),
                                seen.told({"libcuda.so~: cannot open shared object", "libcuda.so~*not found",
                                           "cannot access*libcuda.so", "could not find libcuda"}));
    it.confirms(weight::strong, in_words("NVML works in the container and libcuda is not there",
                                         both(library, either(nvml_works(seen), head))));
    it.confirms(weight::fair, library);
  }
  it.confirms(weight::strong,
              seen.recovers_by({"NVIDIA_DRIVER_CAPABILITIES", "driver_capabilities", "device_capabilities",
                                "capabilities=*compute", "capabilities*utility*compute"}));
  it.at_most(bound::unnamed, seen.probe("nvml_query", {"fails"}));
  it.at_most(bound::remote, gpu_computes(seen));
}

/// An extension is being built, and nvcc is of another major version than the framework's CUDA.
Fact toolkit_differs(const Seen& seen) {
  const Value* framework = seen.inventory("framework.cuda");
  const Value* toolkit = seen.inventory("cuda.toolkit");
  if (framework == nullptr || toolkit == nullptr || !framework->number() || !toolkit->number() ||
      static_cast<int>(*framework->number()) == static_cast<int>(*toolkit->number()))
    return std::nullopt;
  return "framework.cuda = " + framework->text() + ", cuda.toolkit = " + toolkit->text();
}

void examine_extension(const Seen& seen, Argument& it) {
  it.confirms(weight::proof,
              seen.told({"detected CUDA version*mismatches the version", "CUDA version mismatch*extension",
                         "mismatches the version that was used to compile",
                         "Installed CUDA version*does not match the version torch was compiled with",
                         "CUDAMismatchException", "compiled with a version of Cuda that does not match",
                         "does not match the version used to compile Pytorch",
                         // JAX's own interface between its library and the plugin for CUDA.
                         "plugin is likely built with a later version than the framework",
                         "PJRT_Client_Create_Args size: expected",
                         "not compatible with the installed jaxlib version"}));
  it.at_most(bound::weak, in_words("the build ended because of another file",
                                   seen.told({"fatal error: Python.h", "Python.h: No such file"})));
  // Names of the framework's C++ library, which an extension takes from the version that it was compiled against.
  it.confirms(weight::proof, seen.told({"undefined symbol: _ZN3c10", "undefined symbol: _ZNK3c10",
                                        "undefined symbol: _ZN2at", "undefined symbol: _ZNK2at",
                                        "undefined symbol: _ZN5torch"}));
  Fact building;
  for (const std::string_view op : {"extension", "build", "compil", "nvcc", "setup.py", "pip install"})
    building = either(building, seen.fails({}, {.op = op}));
  building = either(building, seen.told({"error*building extension", "ninja: build stopped", "setup.py*nvcc",
                                         "Failed building wheel", "--no-build-isolation",
                                         "error: command*nvcc", "failed to build*extension", "cpp_extension",
                                         "CUDAExtension", "compil*extension", "Op Builder"}));
  it.confirms(weight::strong, both(building, toolkit_differs(seen)));
  if (building)
    it.confirms(weight::strong, seen.recovers_by({"CUDA_HOME", "nvcc=", "cuda.toolkit", "toolkit="}));
  if (!it.evidence().empty()) {
    it.confirms(weight::faint, building);
    it.explains_failure();
  }
}

void examine_compute_mode(const Seen& seen, Argument& it) {
  const std::vector<std::string_view> names{"compute_mode", "compute-mode", "compute mode"};
  Fact mode = seen.told({"compute mode*exclusive", "compute mode*prohibited", "compute-mode*exclusive",
                         "compute_mode*exclusive", "Exclusive_Process", "E. Process"});
  for (const std::string_view name : names) {
    mode = either(mode, seen.setting(name, {"exclusive", "prohibited", "E. Process"}));
    it.rules_out(seen.setting(name, {"default"}));
  }
  const Fact refused =
      seen.error(46, {"cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable",
                      "busy or unavailable"});
  // The mode is a usual one on clusters: another error has another cause.
  if (refused && it.confirms(weight::strong, mode)) it.confirms(weight::good, refused);
  // With MPS several clients share the one context that the mode allows.
  if (refused)
    it.confirms(weight::strong, seen.recovers_by({"nvidia-cuda-mps-control", "mps=on", "mps=1", "mps=started",
                                                  "mps=true", "start MPS", "mps daemon"}));
  if (refused)
    it.confirms(weight::fair, seen.told({"ranks*stop", "ranks*fail", "second process*fails", "one rank per",
                                         "only one process", "only the first process", "rank 0*others"}));
  if (!refused && seen.fails({"init"}) && seen.it().errors.empty()) it.confirms(weight::fair, mode);
  if (refused || seen.fails({}))
    it.confirms(weight::strong,
                seen.recovers_by({"compute_mode", "compute mode", "compute-mode", "-c DEFAULT"}));
}

}  // namespace

Signatures start_refused_causes() {
  return {
      {.name = "device_access_denied",
       .title = "The process may not open the GPUs' device nodes",
       .what =
           "The driver is loaded, and the owner, group or mode of /dev/nvidia* keeps this user out. A rootless "
           "container does not keep the groups of its user.",
       .moves = "init x",
       .confirms = "NVML 4, \"Insufficient Permissions\"; /dev/nvidia*: permission denied",
       .excludes = "the nodes are not there at all; the container's device rules were rewritten",
       .confused_with = {{"no_visible_device", "are the nodes absent, or refused?"},
                         {"image_without_compute", "does NVML work, and only CUDA does not?"}},
       .severity = Severity::failure,
       .next = "ls -l /dev/nvidia*; id; join the nodes' group, or podman run --group-add keep-groups",
       .reading = {"https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceEnumvs.html"},
       .examine = examine_access},
      {.name = "driver_library_stub",
       .title = "The loader picks the toolkit's stub of libcuda",
       .what =
           "lib64/stubs holds a libcuda for linking on machines without a driver. Every call to it fails. Where "
           "LD_LIBRARY_PATH or a run path leads there, the driver's own library is never reached.",
       .moves = "init x",
       .confirms = "error 34; libcuda was loaded from a folder named stubs",
       .excludes = "the driver's own libcuda is loaded",
       .confused_with = {{"umd_kmd_mismatch", "does the loaded libcuda lie in a folder named stubs?"},
                         {"no_visible_device", "is the code 34 or 100?"}},
       .severity = Severity::failure,
       .next =
           "ldd PROGRAM | grep libcuda; take lib64/stubs out of LD_LIBRARY_PATH and /etc/ld.so.conf.d; ldconfig",
       .reading = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"},
       .examine = examine_stub},
      {.name = "open_module_required",
       .title = "This GPU needs the open kernel module, and the proprietary one was loaded",
       .what = "From Blackwell on, and on Grace Hopper, only NVIDIA's open kernel module drives the GPU. The "
               "proprietary module of the same version finds it and does not start it.",
       .moves = "init x",
       .confirms =
           "the kernel log says so; a GPU of these generations does not start with the proprietary module",
       .excludes = "the open module is loaded; the GPU computes",
       .confused_with = {{"driver_regression", "is the module proprietary (modinfo -F license nvidia)?"},
                         {"kernel_module_missing", "is a module loaded at all?"},
                         {"gsp_firmware", "does the log name the firmware (Xid 119 or 120)?"}},
       .severity = Severity::failure,
       .next = "modinfo -F license nvidia; install the open variant of the same version (nvidia-open, or "
               "nvidia-driver-<branch>-open), then reboot",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/index.html"},
       .examine = examine_module_kind},
      {.name = "pci_region_not_assigned",
       .title = "The GPU got no memory window on the PCI bus",
       .what =
           "The firmware or the hypervisor left a region (BAR) of the GPU without an address, mostly for want of "
           "64-bit address space. The module finds the GPU and cannot start it.",
       .moves = "init x",
       .confirms =
           "\"PCI I/O region assigned to your NVIDIA device is invalid\"; a BAR of size 0 or at address 0",
       .excludes = "the GPU fell off the bus while it worked",
       .confused_with = {{"gpu_lost", "did it ever start since boot?"},
                         {"kernel_module_missing", "is the module loaded, and does its probe fail?"}},
       .severity = Severity::failure,
       .next =
           "dmesg | grep -E 'NVRM|BAR'; switch on Above 4G Decoding in the firmware, or give the virtual machine "
           "a larger 64-bit MMIO window",
       .reading = {"https://docs.nvidia.com/vgpu/latest/index.html"},
       .examine = examine_region},
      {.name = "image_without_compute",
       .title = "The container was given NVML but not CUDA's driver library",
       .what =
           "The NVIDIA Container Toolkit mounts libcuda only where the capability compute is asked for, by "
           "NVIDIA_DRIVER_CAPABILITIES or by the device request. With utility alone nvidia-smi works and CUDA does "
           "not.",
       .moves = "init x",
       .confirms =
           "NVML works in the container and libcuda.so.1 is missing; NVIDIA_DRIVER_CAPABILITIES lacks compute",
       .excludes = "NVML does not work either",
       .confused_with = {{"no_visible_device", "does nvidia-smi work in the container?"}},
       .severity = Severity::failure,
       .next =
           "in the container: ldconfig -p | grep libcuda; start it with NVIDIA_DRIVER_CAPABILITIES=compute,utility, or "
           "with compute among the device request's capabilities",
       .reading =
           {"https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html"},
       .examine = examine_image},
      {.name = "extension_build_mismatch",
       .title = "An extension is compiled for another CUDA or framework than is here",
       .what =
           "A framework's wheel brings its own CUDA and needs no toolkit to run. What is compiled against it must "
           "come from a toolkit of the same major version; another one is refused, or the result does not load. It is "
           "bound to the framework's version, too: another one lacks its symbols.",
       .confirms =
           "\"The detected CUDA version mismatches\"; a build fails, and nvcc and the framework's CUDA differ; a symbol "
           "of the framework's C++ library (c10, at) is undefined",
       .excludes = "nothing was compiled against the framework: then the toolkit does not matter",
       .confused_with = {{"missing_cuda_libraries", "does the build fail, or the finished program?"},
                         {"arch_not_in_binary", "does the build fail, or its first kernel?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "nvcc --version; python -c \"import torch; print(torch.version.cuda)\"; set CUDA_HOME to a toolkit of "
           "that version; build or install the extension anew for this version of the framework",
       .reading = {"https://docs.pytorch.org/docs/stable/cpp_extension.html"},
       .examine = examine_extension},
      {.name = "compute_mode_restricts",
       .title = "The GPU's compute mode keeps further processes out",
       .what =
           "In exclusive-process mode one process at a time may have a context on the GPU, in prohibited mode "
           "none. Ranks that all open a context on GPU 0, or a second program, get error 46.",
       .moves = "init x",
       .confirms = "error 46 with a compute mode other than DEFAULT; switching the mode recovers",
       .excludes = "the mode is DEFAULT",
       .confused_with = {{"neighbour_process", "does the work fail, or is it slow?"},
                         {"vgpu_unlicensed", "is it a vGPU without a licence?"}},
       .severity = Severity::failure,
       .next = "nvidia-smi -q -d COMPUTE; let each process open its own GPU only, or nvidia-smi -c DEFAULT",
       .reading = {"https://docs.nvidia.com/deploy/nvidia-smi/index.html"},
       .examine = examine_compute_mode},
  };
}

}  // namespace gpugauge::diagnose
