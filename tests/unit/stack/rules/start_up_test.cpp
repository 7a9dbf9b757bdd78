// Why CUDA or NVML does not start: each fault ends in its own cause, with what was seen, and in no other.
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> start_up(const Inventory& inventory) {
  return said(findings_of(check_start_up, inventory));
}

/// A server whose cuInit answers this code.
Inventory answering(int code, const std::string& name) {
  Inventory inventory = h100_server();
  set_all(inventory, {{"cuda.init.code", std::to_string(code)},
                      {"cuda.init.name", name},
                      {"cuda.init.call", "cuInit"},
                      {"cuda.devices", "0"}});
  return inventory;
}

TEST(StartUpRules, HealthyMachinesHaveNothingToExplain) {
  for (const Inventory& inventory :
       {h100_server(), h200_machine(), geforce_desktop(), a100_container(), wsl_machine()})
    EXPECT_THAT(start_up(inventory), IsEmpty());
}

TEST(StartUpRules, AnEmptyMachineIsToldThatTheUsualMessageMisleads) {
  const Findings findings = findings_of(check_start_up, empty_machine());
  EXPECT_THAT(said(findings), ElementsAre("failure no_nvidia_hardware"));
  EXPECT_THAT(findings[0].explanation, AllOf(HasSubstr("insufficient"), HasSubstr("misleading")));
  EXPECT_THAT(findings[0].evidence, Contains("libcuda.so.1: absent (loader search)"));
}

TEST(StartUpRules, AnEmptyMachineWithADriverLibraryIsNotToldOfTheMessage) {
  Inventory inventory = empty_machine();
  set(inventory, "driver.libcuda_path", "/usr/lib/libcuda.so.1");
  set(inventory, "cuda.init.code", "100");
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure no_nvidia_hardware"));
  EXPECT_THAT(findings[0].explanation, Not(HasSubstr("misleading")));
}

TEST(StartUpRules, AMountedImageWithoutAKernelIsANote) {
  Inventory inventory = empty_machine();
  set(inventory, "collected.root", "/mnt/image");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure no_nvidia_hardware"));
  inventory.absent("kernel.version", "/proc/sys/kernel/osrelease");
  EXPECT_THAT(start_up(inventory), ElementsAre("note no_nvidia_hardware"));
}

TEST(StartUpRules, ModuleNotBuiltForTheRunningKernel) {
  Inventory inventory = silent_gpu("");
  set_all(inventory, {{"driver.module_for_running_kernel", "no"},
                      {"kernel.version", "6.8.0-90-generic"},
                      {"driver.history.0", "2026-08-03 10:22:01 upgrade linux-image 6.8.0-79 -> 6.8.0-90"}});
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure kernel_module_missing"));
  EXPECT_EQ(findings[0].title,
            "No NVIDIA kernel module is installed for the running kernel 6.8.0-90-generic");
  EXPECT_THAT(findings[0].evidence, Contains("1 NVIDIA GPU (0000:01:00.0, device 0x2330) on the PCI bus"));
  EXPECT_THAT(findings[0].evidence, Contains("nvmlInit answers 9 (NVML_ERROR_DRIVER_NOT_LOADED)"))
      << "NVML's error follows from it and is evidence";
  EXPECT_THAT(findings[0].considered, Contains(HasSubstr("nouveau is not loaded")));
}

TEST(StartUpRules, AModuleThatIsInstalledAndNotLoadedAsksForModprobe) {
  const Findings findings = findings_of(check_start_up, silent_gpu(""));
  EXPECT_THAT(said(findings), ElementsAre("failure kernel_module_missing"));
  EXPECT_THAT(findings[0].next, Contains("Load it: sudo modprobe nvidia"));
}

TEST(StartUpRules, InAContainerTheModuleIsTheHostsAffair) {
  Inventory inventory = silent_gpu("");
  set(inventory, "container.kind", "podman");
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure kernel_module_missing"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("podman container"));
}

TEST(StartUpRules, NouveauAndVirtualMachinesAreNamedBeforeTheMissingModule) {
  EXPECT_THAT(start_up(silent_gpu("nouveau")), ElementsAre("failure nouveau_loaded"));
  EXPECT_THAT(start_up(silent_gpu("vfio-pci")), ElementsAre("failure gpu_reserved_for_vm"));
  Inventory loaded = silent_gpu("");
  set(loaded, "driver.nouveau", "loaded");
  EXPECT_THAT(start_up(loaded), ElementsAre("failure nouveau_loaded"));
}

TEST(StartUpRules, SecureBootRefusesAnUnsignedModule) {
  Inventory inventory = silent_gpu("");
  set_all(inventory, {{"driver.secure_boot", "on"}, {"driver.module_signed", "no"}});
  EXPECT_THAT(start_up(inventory), ElementsAre("failure secure_boot_rejects_module"));
  set(inventory, "driver.module_signed", "yes");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure kernel_module_missing"));
  set(inventory, "kernel_log.nvrm.0", "nvidia: Loading of module with unavailable key is rejected");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure secure_boot_rejects_module"));
  set(inventory, "kernel_log.nvrm.0", "Loading of module with unavailable key is rejected");
  set(inventory, "driver.module_for_running_kernel", "no");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure kernel_module_missing"))
      << "there is no module of NVIDIA's that could have been refused";
}

TEST(StartUpRules, NothingInstalledIsNotAMissingModule) {
  Inventory inventory = empty_machine();
  set_all(inventory,
          {{"pci.0.address", "0000:01:00.0"}, {"pci.0.class", "gpu"}, {"pci.0.device_id", "0x2330"}});
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure driver_not_installed"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("misleading"));
}

TEST(StartUpRules, TheKernelLogSaysWhyAModuleRefusesAGpu) {
  const std::vector<std::pair<std::string, std::string>> lines{
      {"NVRM: installed in this system requires use of the NVIDIA open kernel modules.",
       "open_module_required"},
      {"NVRM: installed in this system is supported through the NVIDIA 470.xx Legacy drivers.",
       "gpu_generation_not_driven"},
      {"NVRM: installed in this system is not supported by the NVIDIA 470.82.01 driver release.",
       "gpu_generation_not_driven"},
      {"NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:", "pci_region_not_assigned"},
      {"NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x65:1792)", "gpu_start_failed"}};
  for (const auto& [line, cause] : lines) {
    Inventory inventory = silent_gpu("");
    set(inventory, "kernel_log.nvrm.0", line);
    const Findings findings = findings_of(check_start_up, inventory);
    EXPECT_THAT(said(findings), ElementsAre("failure " + cause));
    EXPECT_THAT(findings[0].evidence, Contains("kernel log: " + line));
  }
}

TEST(StartUpRules, AModuleThatDoesNotTellItsVersionIsStillLoaded) {
  Inventory inventory = silent_gpu("nvidia");
  set(inventory, "driver.uvm", "loaded");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure device_nodes_missing"));
}

TEST(StartUpRules, AModuleWithoutDeviceNodes) {
  Inventory inventory = linux_with_driver();
  inventory.absent("driver.device_nodes", "/dev");
  set(inventory, "cuda.init.code", "100");
  set(inventory, "nvml.init.code", "9");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure device_nodes_missing"));
  set(inventory, "container.kind", "docker");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure container_without_driver"));
}

TEST(StartUpRules, AMissingLibraryOnHostContainerAndWsl) {
  Inventory inventory = linux_with_driver();
  set(inventory, "driver.device_nodes", "/dev/nvidiactl /dev/nvidia0");
  for (const char* const key : {"driver.libcuda_path", "driver.libcuda_version", "driver.libnvml_path",
                                "cuda.init.code", "nvml.init.code", "driver_child.outcome"})
    inventory.absent(key, "loader search");
  const Findings host = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(host), ElementsAre("failure driver_library_missing"));
  EXPECT_THAT(host[0].explanation, AllOf(HasSubstr("580.65.06"), HasSubstr("misleading")));
  set(inventory, "container.kind", "docker");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure container_without_driver"));
  set(inventory, "container.kind", "none");
  set(inventory, "host.os", "wsl2");
  EXPECT_THAT(the(findings_of(check_start_up, inventory), "driver_library_missing").explanation,
              HasSubstr("/usr/lib/wsl/lib"));
}

TEST(StartUpRules, OnlyNvmlsLibraryMissingIsAWarning) {
  Inventory inventory = h100_server();
  inventory.absent("driver.libnvml_path", "loader search");
  inventory.absent("nvml.init.code", "");
  EXPECT_THAT(start_up(inventory), ElementsAre("warning driver_library_missing"));
}

TEST(StartUpRules, TheStubIsNamedWithTheRealCopy) {
  Inventory inventory = answering(34, "CUDA_ERROR_STUB_LIBRARY");
  set_all(inventory, {{"driver.libcuda_kind", "stub"},
                      {"driver.libcuda_path", "/usr/local/cuda/lib64/stubs/libcuda.so"},
                      {"driver.libcuda.1.path", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06"},
                      {"driver.libcuda.1.kind", "driver"}});
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure driver_library_stub"));
  EXPECT_THAT(findings[0].evidence,
              Contains("the driver's own copy: /usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06 (test)"));
}

TEST(StartUpRules, ASmallLibraryThatAnswersIsNoStub) {
  Inventory inventory = answering(100, "CUDA_ERROR_NO_DEVICE");
  set_all(inventory, {{"driver.libcuda_kind", "stub"},
                      {"driver.libcuda_path", "/usr/lib/x86_64-linux-gnu/libcuda.so.1"}});
  EXPECT_THAT(start_up(inventory), Not(Contains("failure driver_library_stub")));
  set(inventory, "cuda.init.code", "0");
  EXPECT_THAT(start_up(inventory), Not(Contains("failure driver_library_stub")));
  inventory.absent("cuda.init.code", "");
  EXPECT_THAT(start_up(inventory), Contains("failure driver_library_stub"));
}

TEST(StartUpRules, Mismatch803NamesVersionsAndTheUpgradeThatDidIt) {
  Inventory inventory = answering(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  set(inventory, "driver.libcuda_version", "580.95.05", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05");
  set(inventory, "nvml.init.code", "18");
  set(inventory, "nvml.init.name", "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
  set(inventory, "driver.history.0", "2026-08-03 10:22:01 upgrade nvidia-driver-580 580.65.06 -> 580.95.05",
      "/var/log/apt/history.log");
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure umd_kmd_mismatch"));
  EXPECT_EQ(findings[0].title, "libcuda 580.95.05 does not match the loaded kernel module 580.65.06");
  const char* const upgrade =
      "package history: 2026-08-03 10:22:01 upgrade nvidia-driver-580 580.65.06 -> 580.95.05 "
      "(/var/log/apt/history.log)";
  EXPECT_THAT(findings[0].evidence,
              testing::IsSupersetOf({"kernel module 580.65.06 (/proc/driver/nvidia/version)",
                                     "libcuda 580.95.05 (/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05)",
                                     upgrade, "cuInit answers 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)",
                                     "nvmlInit answers 18 (NVML_ERROR_LIB_RM_VERSION_MISMATCH)"}));
  EXPECT_THAT(findings[0].considered, Contains(HasSubstr("804")));
  EXPECT_THAT(findings[0].next, Contains(HasSubstr("Reboot")));
}

TEST(StartUpRules, BeforeARebootTheMissingModuleOfTheNewestKernelIsBuilt) {
  Inventory inventory = answering(803, "");
  set_all(inventory,
          {{"driver.module_for_newest_kernel", "no"}, {"driver.newest_kernel", "6.8.0-90-generic"}});
  const Finding finding = the(findings_of(check_start_up, inventory), "umd_kmd_mismatch");
  EXPECT_THAT(finding.next.front(), HasSubstr("dkms autoinstall -k 6.8.0-90-generic"));
}

TEST(StartUpRules, NvmlAloneAndFilesAloneShowTheMismatchToo) {
  Inventory nvml = h100_server();
  set_all(nvml, {{"nvml.init.code", "18"}, {"driver.libnvml_version", "580.95.05"}});
  EXPECT_EQ(the(findings_of(check_start_up, nvml), "umd_kmd_mismatch").title,
            "NVML's library 580.95.05 does not match the loaded kernel module 580.65.06");
  Inventory files = linux_with_driver();
  set(files, "driver.device_nodes", "/dev/nvidiactl /dev/nvidia0");
  files.absent("cuda.init.code", "");
  files.absent("nvml.init.code", "");
  EXPECT_THAT(start_up(files), IsEmpty());
  set(files, "driver.libcuda_version", "580.95.05");
  EXPECT_THAT(start_up(files), ElementsAre("failure umd_kmd_mismatch"));
  set(files, "driver.libcuda_kind", "compat");
  EXPECT_THAT(start_up(files), IsEmpty()) << "a forward-compatibility library is meant to be newer";
}

TEST(StartUpRules, ForwardCompatibilityOnGeForce) {
  Inventory inventory = geforce_desktop();
  set_all(inventory, {{"cuda.init.code", "804"},
                      {"driver.libcuda_kind", "compat"},
                      {"forward_compat.in_use", "yes"},
                      {"driver.libcuda_path", "/usr/local/cuda/compat/libcuda.so.580.95.05"}});
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure forward_compat_on_geforce"));
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("/usr/local/cuda/compat/")));
  EXPECT_THAT(findings[0].evidence, Contains("GPU 0 (0000:0a:00.0): NVIDIA GeForce RTX 4090"));
  EXPECT_THAT(start_up(answering(804, "")), ElementsAre("failure forward_compat_unsupported"));
}

TEST(StartUpRules, Unknown999WithNvmlWorkingIsTheUnifiedMemoryModule) {
  EXPECT_THAT(start_up(answering(999, "CUDA_ERROR_UNKNOWN")), ElementsAre("failure uvm_module_bad"));
  Inventory absent = answering(304, "CUDA_ERROR_OPERATING_SYSTEM");
  absent.absent("driver.uvm", "/sys/module");
  EXPECT_EQ(the(findings_of(check_start_up, absent), "uvm_module_bad").title,
            "The module nvidia_uvm, which CUDA needs, is not loaded");
  Inventory both = answering(999, "CUDA_ERROR_UNKNOWN");
  set(both, "nvml.init.code", "999");
  const Findings findings = findings_of(check_start_up, both);
  EXPECT_THAT(said(findings), ElementsAre("failure cuda_start_failed"));
  EXPECT_EQ(findings[0].title, "CUDA does not start: cuInit answers 999 (CUDA_ERROR_UNKNOWN)");
  EXPECT_EQ(
      findings[0].explanation,
      "The driver met an error that it has no name for. Usual causes, most frequent first: nvidia_uvm in a "
      "bad state; an earlier GPU error.");
}

TEST(StartUpRules, ACodeWithoutARowIsStillSaid) {
  const Findings findings = findings_of(check_start_up, answering(777, ""));
  EXPECT_THAT(said(findings), ElementsAre("failure cuda_start_failed"));
  EXPECT_EQ(findings[0].explanation, "The tables name no usual cause of this code.");
}

TEST(StartUpRules, WhatHidesEveryDevice) {
  Inventory variable = answering(100, "CUDA_ERROR_NO_DEVICE");
  set(variable, "env.CUDA_VISIBLE_DEVICES", "9");
  EXPECT_THAT(the(findings_of(check_start_up, variable), "no_visible_device").explanation,
              HasSubstr("CUDA_VISIBLE_DEVICES is \"9\""));
  Inventory none = answering(100, "");
  set_all(none, {{"container.kind", "docker"}, {"container.visible_devices", "void"}});
  EXPECT_THAT(the(findings_of(check_start_up, none), "no_visible_device").explanation,
              Not(HasSubstr("\"void\"")))
      << "NVML sees eight";
  Inventory prohibited = answering(100, "");
  for (int i = 0; i < 8; ++i) set_gpu(prohibited, i, {{"compute_mode", "prohibited"}});
  EXPECT_THAT(the(findings_of(check_start_up, prohibited), "no_visible_device").explanation,
              HasSubstr("prohibited"));
  EXPECT_EQ(the(findings_of(check_start_up, answering(101, "")), "no_visible_device").title,
            "CUDA shows no GPU, although NVML sees them");
}

TEST(StartUpRules, AVariableThatNamesAGpuHereHidesNothing) {
  const auto explained = [](const std::string& value) {
    Inventory inventory = answering(100, "");
    set(inventory, "env.CUDA_VISIBLE_DEVICES", value);
    for (int i = 0; i < 8; ++i) set_gpu(inventory, i, {{"compute_mode", "prohibited"}});
    return the(findings_of(check_start_up, inventory), "no_visible_device");
  };
  for (const std::string fits : {"0", "7,9", "GPU-3", "MIG-1"}) {
    EXPECT_THAT(explained(fits).explanation, HasSubstr("compute mode")) << fits;
    EXPECT_THAT(explained(fits).evidence, Contains("CUDA_VISIBLE_DEVICES " + fits + " (test)"));
  }
  for (const std::string hides : {"", "-1", "-1,0", "NoDevFiles", "8", "99999999999999999999", "GPU-77"})
    EXPECT_THAT(explained(hides).explanation, HasSubstr("CUDA_VISIBLE_DEVICES is \"")) << hides;
}

TEST(StartUpRules, ZeroDevicesWithoutAnErrorIsTheSame) {
  Inventory inventory = h100_server();
  set_all(inventory, {{"cuda.devices", "0"}, {"env.CUDA_VISIBLE_DEVICES", ""}});
  EXPECT_THAT(start_up(inventory), ElementsAre("failure no_visible_device"));
}

TEST(StartUpRules, MigWithoutAnInstanceLeavesNoDevice) {
  Inventory inventory = answering(100, "");
  for (int i = 0; i < 8; ++i) set_gpu(inventory, i, {{"mig", "on"}});
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure mig_left_enabled"));
  ASSERT_EQ(findings[0].next.size(), 4u);
  EXPECT_THAT(findings[0].next.front(), HasSubstr("nvidia-smi -L")) << "look first";
  EXPECT_THAT(findings[0].next[1], HasSubstr("ask who owns them"));
  EXPECT_THAT(findings[0].next.back(), HasSubstr("nvidia-smi -i ADDRESS -mig 0")) << "never all GPUs at once";
  set(inventory, "env.CUDA_VISIBLE_DEVICES", "3");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure mig_left_enabled")) << "the GPU is there";
}

TEST(StartUpRules, AnInstanceThatIsGoneIsNoMissingInstance) {
  Inventory inventory = answering(100, "");
  for (int i = 0; i < 8; ++i) set_gpu(inventory, i, {{"mig", "on"}});
  set(inventory, "env.CUDA_VISIBLE_DEVICES", "MIG-5c89852c-d268-c3f3-1b07-005d5ae1dc3f");
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure no_visible_device"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("MIG-5c89852c-d268-c3f3-1b07-005d5ae1dc3f\", an instance"));
  ASSERT_EQ(findings[0].next.size(), 1u);
  EXPECT_THAT(findings[0].next[0], HasSubstr("nvidia-smi -L"));
  EXPECT_THAT(findings[0].next[0], Not(HasSubstr("-mig 0")));
}

TEST(StartUpRules, ExclusiveModeAndOtherProcessesKeepCudaOut) {
  Inventory inventory = answering(46, "CUDA_ERROR_DEVICE_UNAVAILABLE");
  set_gpu(inventory, 3, {{"processes", "1"}, {"process.0", "4711 python 70000"}});
  const Findings busy = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(busy), ElementsAre("failure other_processes"));
  EXPECT_THAT(busy[0].evidence, Contains("process 4711 python 70000 (nvml)"));
  set_gpu(inventory, 3, {{"compute_mode", "exclusive_process"}});
  EXPECT_THAT(start_up(inventory), ElementsAre("failure compute_mode_restricts"));
  EXPECT_THAT(start_up(answering(46, "")), ElementsAre("failure cuda_start_failed"));
  Inventory full = answering(2, "CUDA_ERROR_OUT_OF_MEMORY");
  set_gpu(full, 0, {{"processes", "2"}});
  EXPECT_THAT(start_up(full), ElementsAre("failure other_processes"));
}

TEST(StartUpRules, TheOtherCodesOfTheRuntimeHaveTheirCauses) {
  EXPECT_THAT(start_up(answering(35, "")), ElementsAre("failure driver_too_old"));
  EXPECT_THAT(start_up(answering(805, "")), ElementsAre("failure mps_connection_failed"));
  EXPECT_THAT(start_up(answering(209, "")), ElementsAre("failure arch_not_in_binary"));
  EXPECT_THAT(start_up(answering(222, "")), ElementsAre("failure ptx_newer_than_driver"));
  EXPECT_THAT(start_up(answering(3, "")), ElementsAre("failure cuda_start_failed"));
}

TEST(StartUpRules, NvmlsErrorsWhereCudaStarts) {
  const std::vector<std::pair<std::string, std::string>> codes{
      {"4", "failure device_access_denied"}, {"15", "failure gpu_lost"},
      {"12", "warning nvml_start_failed"},   {"19", "warning nvml_start_failed"},
      {"999", "warning nvml_start_failed"},  {"0", ""}};
  for (const auto& [code, expected] : codes) {
    Inventory inventory = h100_server();
    set(inventory, "nvml.init.code", code);
    EXPECT_THAT(start_up(inventory), expected.empty() ? std::vector<std::string>{} : std::vector{expected});
  }
}

TEST(StartUpRules, ALostGpuExplainsCudasErrorToo) {
  Inventory inventory = answering(999, "");
  set(inventory, "nvml.init.code", "15");
  EXPECT_THAT(start_up(inventory), ElementsAre("failure gpu_lost"));
}

}  // namespace
}  // namespace gpugauge::stack
