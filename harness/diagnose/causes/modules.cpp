// A kernel module that is missing or not allowed, and states of virtual machines.
#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/driver_start.hpp"
#include "diagnose/causes/told_figures.hpp"

namespace gpugauge::diagnose {
namespace {

const Words not_loaded_names{"Driver Not Loaded",
                             "NVML_ERROR_DRIVER_NOT_LOADED",
                             "couldn't communicate with the NVIDIA driver",
                             "could not communicate with the NVIDIA driver",
                             "NVIDIA driver is not loaded",
                             "nvidia-smi can't communicate",
                             "nvidia-smi has failed because",
                             "nvidia-smi cannot communicate",
                             "nvidia-smi could not communicate",
                             "nvidia-smi couldn't communicate"};
/// Lines which show that another driver holds the device. A line that only blocks a driver does not count.
const Words holder_lines{
    "nouveau",  "nova_core", "novacore", "nova-core",        "vfio-pci",
    "pci-stub", "rivafb",    "nvidiafb", "already bound to", "conflicting with a non-NVIDIA"};
/// Lines that name such a driver and show nothing: what forbids it, NVIDIA's installer, which lists all that may be
/// wrong, files of modules, and the modules that would fit a device (lspci -k).
const Words only_named{"blacklist",
                       "modeset=0",
                       "alias nouveau off",
                       "install nouveau /bin/false",
                       "another driver, such as nouveau, is present",
                       "a driver such as rivafb, nvidiafb, or nouveau is present",
                       "nouveau.ko",
                       "nvidiafb.ko",
                       "rivafb.ko",
                       "drivers/gpu/drm/nouveau",
                       "Kernel modules:",
                       "modprobe vfio",
                       "virsh nodedev-detach"};
const Words rejected_lines{"key was rejected by service",
                           "required key not available",
                           "Lockdown*unsigned module",
                           "unsigned module loading is restricted",
                           "module*signature*reject",
                           "Loading of unsigned module",
                           "module with unavailable key",
                           "not signed with a trusted key",
                           "not signed by a key that is trusted"};

/// The line names a module, and it is not NVIDIA's: "could not insert 'r8126': Key was rejected by service".
bool is_of_another_module(const std::string& line) {
  for (const std::string_view before : {"could not insert '", "could not insert module ", "module '"}) {
    const std::size_t at = line.find(before);
    if (at == std::string::npos) continue;
    const std::string rest = line.substr(at + before.size());
    return !contains(rest.substr(0, rest.find_first_of("' :")), "nvidia");
  }
  return false;
}

/// The kernel refused a module for its signature; an answer that only forbids it does so where Secure Boot is on.
Fact rejected(const Seen& seen) {
  if (Fact told = seen.told(rejected_lines)) {
    bool other = false;
    bool own = false;
    for_each_text(seen, [&](const std::string& text) {
      other = other || is_of_another_module(text);
      own = own || (contains(text, "nvidia") &&
                    contains_any(text, {"fail", "reject", "required key", "not load", "could not insert"}));
    });
    return other && !own ? Fact() : told;
  }
  return both(either(seen.on("host.secure_boot"), seen.told({"Secure Boot enabled", "SecureBoot enabled"})),
              seen.told({"load error: Operation not permitted", "could not insert*Operation not permitted",
                         "insmod*Operation not permitted", "modprobe*Operation not permitted"}));
}

}  // namespace

Fact no_driver_in_proc(const Seen& seen) {
  if (seen.on("host.os", {"wsl", "windows"}) || seen.told({"standard-WSL", "/usr/lib/wsl"}))
    return std::nullopt;
  return seen.told(
      {"/proc/driver/nvidia/version does not exist", "/proc/driver/nvidia/version: No such file"});
}

namespace {

void examine_missing(const Seen& seen, Argument& it) {
  it.confirms(weight::good, seen.nvml_error(9, not_loaded_names));
  const Fact none_in_proc = no_driver_in_proc(seen);
  if (it.confirms(weight::good, none_in_proc)) it.confirms(weight::fair, no_device(seen));
  it.confirms(weight::proof,
              seen.told({"Module nvidia not found", "modprobe*nvidia*not found", "no nvidia module",
                         "nvidia.ko*not found", "could not insert 'nvidia': No such",
                         "Module nvidia*not found in directory"}));
  it.confirms(weight::strong, module_of_other_kernel(seen));
  it.confirms(weight::good, seen.told({"Unable to load the kernel module 'nvidia", "Kernel module load error",
                                       "kernel headers*cannot be found", "unable to find the kernel source",
                                       "No NVIDIA devices probed", "kernel module*failed to build"}));
  it.confirms(
      weight::good,
      seen.told({"dkms*fail", "dkms*error", "dkms*not built", "Bad return status for module build",
                 "dkms status*only for", "dkms*not for the running", "dkms*only for the old",
                 "headers of the running*not installed", "no module for the running kernel",
                 "works with the older kernel", "works with the old kernel", "older kernel in grub"}));
  const Fact no_answer = seen.probe("nvml_query", {"fails"});
  const Fact fails = seen.fails({});
  const bool no_answer_counted =
      it.confirms(weight::good, both(seen.off("driver.kernel_module_version"), either(fails, no_answer))) &&
      !fails;
  if (!it.evidence().empty() || no_answer)
    it.confirms(weight::strong,
                seen.recovers_by({"dkms", "kernel=", "kernel.version", "modprobe nvidia", "linux-headers",
                                  "kernel headers", "akmod", "depmod", "nvidia module"}));
  if (fails)
    it.confirms(weight::strong,
                seen.recovers_by({"dkms", "linux-headers", "kernel-devel", "akmod", "depmod"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::fair, either(seen.field_changed("kernel.version"), seen.changed({"os"})));
    if (!no_answer_counted) it.confirms(weight::hint, no_answer);
  }
  // Without a kernel module nothing runs on a GPU.
  it.at_most(bound::remote, gpu_computes(seen));
  it.at_most(bound::remote, in_words("under WSL the driver is that of Windows", seen.on("host.os", {"wsl"})));
  it.at_most(bound::over_half, either(generation_refused(seen), generation_doubtful(seen)));
  it.at_most(bound::remote,
             in_words("the module is another one",
                      seen.told({"/dkms/i915", "/dkms/zfs", "/dkms/r8", "/dkms/vbox", "/dkms/virtualbox",
                                 "/dkms/rtl", "/dkms/evdi", "/dkms/xe-"})));
  it.at_most(bound::half, module_not_compiled(seen));
  it.at_most(bound::last_named, seen.told(holder_lines, only_named));
  it.at_most(bound::last_named, seen.on("driver.holder", {"nouveau", "nova", "vfio", "stub"}));
  it.at_most(bound::last_named, rejected(seen));
  it.at_most(bound::unnamed, seen.nvml_error(18, {"Driver/library version mismatch", "API mismatch"}));
}

/// nouveau was loaded in place of NVIDIA's module, which could not be.
Fact fell_back(const Seen& seen) {
  return seen.told(
      {"falling back to nouveau", "fallback to nouveau", "fell back to nouveau", "nvidia-fallback"});
}

void examine_nouveau(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.on("driver.holder", {"nouveau", "nova", "vfio", "stub"}));
  it.confirms(weight::proof, seen.told({"already bound to*nov", "already bound to*vfio", "nouveau*in use",
                                        "conflicting with a non-NVIDIA", "Nouveau kernel driver"},
                                       only_named));
  it.confirms(weight::strong, seen.told(holder_lines, only_named));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.nvml_error(9, not_loaded_names));
  it.confirms(weight::strong, seen.recovers_by({"nouveau", "nova", "vfio"}));
  // NVIDIA's installer refuses while another driver holds the device, and forbidding that one mends it.
  const Fact other =
      seen.told({"kernel driver is in use by X", "kernel driver*in use*must be disabled",
                 "driver*in use*must be disabled", "module*is not NVIDIA's", "that is not NVIDIA's"});
  it.confirms(weight::good, other);
  const Fact forbidden = seen.recovers_by({"blacklist", "modprobe.d", "denylist"});
  if (seen.fails({}) && !contains_any(forbidden.value_or(""), {"blacklist nvidia", "blacklist=nvidia"}))
    it.confirms(other ? weight::strong : weight::good, forbidden);
  // It was taken because NVIDIA's module did not load.
  it.at_most(bound::half, fell_back(seen));
}

void examine_secure_boot(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, rejected(seen));
  if (seen.harm()) it.confirms(weight::fair, seen.on("host.secure_boot"));
  it.confirms(weight::good, both(seen.on("host.secure_boot"),
                                 either(seen.off("driver.kernel_module_version"), fell_back(seen))));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.nvml_error(9, not_loaded_names));
    it.confirms(weight::fair, seen.told({"module verification failed", "unsigned"}));
  }
  it.confirms(weight::strong, seen.recovers_by({"secure_boot", "secure boot", "mokutil", "SecureBoot", "MOK",
                                                "module signing", "signed module"}));
  // The screen that enrols a key was passed over.
  const Fact passed_over = seen.told(
      {"MOK", "blue screen*boot", "blue screen*continue", "blue screen*key", "blue screen*password",
       "password*next boot", "password*next reboot", "Microsoft boot protection", "enroll*key", "enrol*key"},
      {"BSOD", "0x", "X.509", "MokListRT", "MOKvar", "Secure boot disabled"});
  const Fact failed = either(seen.fails({}), seen.probe("nvml_query", {"fails"}));
  it.confirms(weight::good, both(failed, passed_over));
  if (passed_over)
    it.confirms(weight::good,
                seen.recovers_by({"UEFI", "BIOS", "firmware setting", "boot protection", "enrol"}));
  if (!rejected(seen)) it.at_most(bound::unnamed, seen.off("host.secure_boot"));
  // A module that was refused computes nothing. Processors are slow without it as well.
  it.at_most(bound::remote, gpu_computes(seen));
}

void examine_confidential(const Seen& seen, Argument& it) {
  const Fact told = seen.told({"Confidential Compute*On", "Confidential Compute*enabled",
                               "Confidential Computing*On", "CC status*ON", "CC-On", "CC mode: on",
                               "CC mode is on", "CC mode = on", "conf-compute*ready",
                               // The kernel of a guest. SME alone encrypts a host's memory.
                               "Memory Encryption Features active*TDX",
                               "Memory Encryption Features active*SEV", "tdx: Guest detected"});
  Fact set = seen.setting("confidential", {"on", "true", "1", "enabled"});
  for (const std::string_view name : {"cc_mode", "cc-mode", "conf-compute"})
    set = either(set, seen.setting(name, {"on", "true", "1", "enabled", "devtools"}));
  const Fact on = either(either(seen.on("gpu.confidential_computing"), either(set, told)),
                         seen.on("host.virtualization", {"confidential", "tdx", "sev", "snp"}));
  Fact copies = seen.slower({"h2d", "d2h", "p2p"});
  for (const std::string_view op : {"memcpy", "copy", "transfer"})
    copies = either(copies, seen.slower(application_classes, {.op = op}));
  it.at_most(bound::remote, both(seen.setting_off("confidential"), Fact("the mode is off")));
  // If the report tells of the mode, a copy rate without a comparison also counts as slow copies.
  if (!copies && told && !seen.metrics({"h2d", "d2h"}).empty() && !seen.unchanged({"h2d", "d2h"}))
    copies = sentence(*seen.metrics({"h2d", "d2h"}).front());
  if (copies || seen.slower({"launch"})) {
    it.confirms(weight::strong, on);
    if (on) it.confirms(weight::fair, both(copies, seen.unchanged({"gemm16", "gemm32", "hbm"})));
    if (on) it.confirms(weight::hint, seen.slower({"launch"}));
  } else if (seen.slower({})) {
    it.confirms(weight::fair, on);
  }
  // A GPU accepts no work until somebody sets it ready after attestation.
  const Fact not_ready = both(seen.error(802, {"cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY",
                                               "system not yet initialized"}),
                              on);
  if (it.confirms(weight::good, not_ready)) {
    it.explains_failure();
    it.confirms(weight::fair,
                in_words("no NVSwitch waits for a fabric manager", seen.off("topology.nvswitch")));
  }
  it.confirms(weight::strong, both(not_ready, seen.told({"Ready state*not-ready", "Ready state*not ready",
                                                         "GPUs*not in ready state"})));
  it.confirms(weight::strong, seen.recovers_by({"confidential", "conf-compute", "cc_mode", "cc=off"}));
  if (on)
    it.confirms(weight::good,
                both(copies, seen.probe("swap_node", {"recovers"}, {"plain", "normal vm", "regular"})));
  it.at_most(bound::last_named, seen.recovers_by({"persistence"}));
  it.at_most(bound::unnamed, seen.off("gpu.confidential_computing"));
}

}  // namespace

Signatures module_causes() {
  return {
      {.name = "kernel_module_missing",
       .title = "There is no NVIDIA module for the running kernel",
       .what = "After a kernel upgrade the module was not built for the new kernel, or it is not loaded. "
               "Neither NVML nor "
               "CUDA reaches the driver.",
       .moves = "init x",
       .confirms = "NVML 9, \"Module nvidia not found\", no /proc/driver/nvidia; the kernel was upgraded; "
                   "DKMS did not build",
       .excludes = "the module was rejected, or nouveau holds the device",
       .confused_with = {{"umd_kmd_mismatch", "is a module of another version loaded?"},
                         {"nouveau_loaded", "does nouveau hold the device (lspci -k)?"},
                         {"secure_boot_rejects_module", "does the kernel log speak of a rejected key?"}},
       .severity = Severity::failure,
       .next = "dkms status; uname -r; dkms autoinstall && modprobe nvidia",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/index.html"},
       .examine = examine_missing},
      {.name = "nouveau_loaded",
       .title = "The nouveau driver holds the GPU",
       .what = "The open-source display driver took the device first, so that NVIDIA's module cannot.",
       .moves = "init x",
       .confirms = "nouveau holds the device; the installer or the kernel log names it",
       .excludes = "NVIDIA's module holds it",
       .confused_with = {{"kernel_module_missing", "does nouveau hold the device (lspci -k)?"}},
       .severity = Severity::failure,
       .next = "lspci -k | grep -A3 NVIDIA; blacklist nouveau, rebuild the initramfs, reboot",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/index.html"},
       .examine = examine_nouveau},
      {.name = "secure_boot_rejects_module",
       .title = "The kernel refuses the module for its signature (Secure Boot)",
       .what =
           "With Secure Boot on the kernel loads only modules signed with an enrolled key, and one that DKMS "
           "built is not. Some kernels ask for it without Secure Boot (module.sig_enforce), and refuse a module "
           "that was signed for another build of them.",
       .moves = "init x",
       .confirms =
           "\"key was rejected by service\" or \"required key not available\"; NVIDIA's installer says that no "
           "trusted key signed it; Secure Boot is on",
       .excludes = "Secure Boot is off, and the kernel did not refuse it for its key",
       .confused_with = {{"kernel_module_missing", "does the kernel log speak of a rejected key?"}},
       .severity = Severity::failure,
       .next =
           "mokutil --sb-state; dmesg | grep -i key; enrol the key with mokutil --import, or use packages that are "
           "signed for this kernel",
       .reading = {"https://wiki.ubuntu.com/UEFI/SecureBoot/DKMS"},
       .examine = examine_secure_boot},
      {.name = "confidential_computing",
       .title = "Confidential computing encrypts every copy",
       .what = "In confidential mode copies between host and device are encrypted through a bounce buffer, "
               "and launches cost "
               "more. Compute on the device is as fast as ever. Until a GPU is set ready after attestation, "
               "CUDA ends with error 802.",
       .moves = "h2d --, d2h --, launch -, gemm16 0, hbm 0",
       .stands_on = {"confidential", "virtualization"},
       .confirms =
           "the mode is on; copies and launches are slower while products are unchanged, or error 802 "
           "where no fabric manager is missed",
       .excludes = "the mode is off; persistence mode recovers a slow start",
       .confused_with = {{"pcie_link_degraded", "is the link at full width under load, and the mode on?"},
                         {"pageable_memory", "are pinned copies slow too?"},
                         {"persistence_mode_off", "is only the start slow?"},
                         {"fabric_manager_down", "has the machine an NVSwitch?"}},
       .severity = Severity::note,
       .next =
           "nvidia-smi conf-compute -f; with error 802 nvidia-smi conf-compute -grs, and after attestation "
           "-srs 1; compare with the mode off where that is allowed",
       .reading = {"https://docs.nvidia.com/confidential-computing/index.html"},
       .examine = examine_confidential},
  };
}

}  // namespace gpugauge::diagnose
