// Machines whose driver does not start: each must end in the right finding, and in no other failure.
#include <ostream>

#include <gmock/gmock.h>

#include "unit/stack/scenarios/machine.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::HasSubstr;

struct StartUpScenario {
  std::string name;
  void (*arrange)(Machine&);
  std::string cause;     ///< the failure that must be found, first of all
  std::string evidence;  ///< what its evidence must name
};

// GoogleTest prints a parameter; bytes of a function would differ from run to run.
std::ostream& operator<<(std::ostream& out, const StartUpScenario& scenario) {
  return out << scenario.name;
}

class StartUp : public testing::TestWithParam<StartUpScenario> {};

TEST_P(StartUp, EndsInTheRightFinding) {
  Machine machine;
  GetParam().arrange(machine);
  const Findings findings = machine.findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].severity, Severity::failure) << whole_text(findings);
  EXPECT_EQ(findings[0].cause, GetParam().cause) << whole_text(findings);
  EXPECT_THAT(whole_text({findings[0]}), HasSubstr(GetParam().evidence));
  EXPECT_FALSE(findings[0].next.empty());
  int failures = 0;
  for (const Finding& finding : findings) failures += finding.severity == Severity::failure ? 1 : 0;
  EXPECT_EQ(failures, 1) << whole_text(findings);
}

void nvswitch(Machine& machine) {
  machine.pci("0000:c0:00.0", "nvidia-nvswitch", "0x068000");
  machine.file("/dev/nvidia-nvswitch0", "");
}

const StartUpScenario start_up_scenarios[] = {
    {"NoNvidiaHardware", [](Machine&) {}, "no_nvidia_hardware", "libcuda.so.1"},
    {"FabricManagerDown",
     [](Machine& m) {
       m.driver("580.65.06", 8);
       nvswitch(m);
       m.package("nvidia-fabricmanager-580", "580.65.06-1");
       m.answer("init_result", "802");
     },
     "fabric_manager_down", "802"},
    {"FabricManagerOfAnotherVersion",
     [](Machine& m) {
       m.driver("580.95.05", 8);
       nvswitch(m);
       m.package("nvidia-fabricmanager-580", "580.65.06-1");
       m.process(812, "nv-fabricmanage");
       m.answer("init_result", "802");
     },
     "fabric_manager_version_mismatch", "580.65.06"},
    {"KernelAddressRandomisation",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.kernel_log("NVRM: devmem_alloc_pagemap: memremap_pages failed, err -34");
       m.answer("init_result", "802");
     },
     "kernel_kaslr_hmm", "refusal in the kernel log"},
    {"LibraryNewerThanModule",
     [](Machine& m) {
       m.driver("580.65.06", 2);
       m.libraries("580.95.05");
       m.answer("init_result", "803");
       m.answer("nvml_result", "18");
     },
     "umd_kmd_mismatch", "580.95.05"},
    {"AContainerBringsALibraryOfAnotherDriver",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.file("/.dockerenv", "");
       m.libraries("570.86.10");
       m.answer("init_result", "803");
     },
     "umd_kmd_mismatch", "570.86.10"},
    {"NvmlMismatchAlone",
     [](Machine& m) {
       m.driver("535.183.01", 1, "NVIDIA A100-SXM4-80GB", "8.0");
       m.libraries("535.216.03");
       m.answer("init_result", "804");
       m.answer("nvml_result", "18");
     },
     "umd_kmd_mismatch", "535.216.03"},
    {"ForwardCompatibilityOnGeforce",
     [](Machine& m) {
       m.driver("535.183.01", 1, "NVIDIA GeForce RTX 4090", "8.9");
       m.gpu(0, "brand", "5");
       m.driver_library("/usr/local/cuda-12.8/compat", "libcuda", "570.124.06");
       m.variable("LD_LIBRARY_PATH", "/usr/local/cuda-12.8/compat");
       m.answer("init_result", "804");
     },
     "forward_compat_on_geforce", "compat"},
    {"UvmModuleBad",
     [](Machine& m) {
       m.driver("550.54.15", 1);
       m.answer("init_result", "999");
     },
     "uvm_module_bad", "999"},
    {"ADriverTooOldForTheProgram",
     [](Machine& m) {
       m.driver("535.183.01", 1);
       m.answer("init_result", "35");
     },
     "driver_too_old", "35"},
    {"NoCodeForThisGpu",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.answer("init_result", "209");
     },
     "arch_not_in_binary", "209"},
    {"PtxNewerThanTheDriver",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.answer("init_result", "222");
     },
     "ptx_newer_than_driver", "222"},
    {"EveryDeviceHidden",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.variable("CUDA_VISIBLE_DEVICES", "");
       m.answer("init_result", "100");
     },
     "no_visible_device", "CUDA_VISIBLE_DEVICES"},
    {"ModuleNotBuiltForTheRunningKernel",
     [](Machine& m) {
       m.pci("0000:01:00.0", "");
       m.libraries("580.65.06");
       m.kernel_modules(Machine::release, "kernel/drivers/ata/ahci.ko:\n");
       m.kernel_modules("6.1.0-22-amd64", "updates/dkms/nvidia.ko:\n");
       m.answer("init_result", "100");
       m.answer("nvml_result", "9");
     },
     "kernel_module_missing", "6.1.0-25-amd64"},
    {"Nouveau",
     [](Machine& m) {
       m.pci("0000:01:00.0", "nouveau");
       m.file("/sys/module/nouveau/refcnt", "1\n");
     },
     "nouveau_loaded", "nouveau"},
    {"SecureBootRejectsTheModule",
     [](Machine& m) {
       m.pci("0000:01:00.0", "");
       m.libraries("580.65.06");
       m.kernel_modules(Machine::release, "updates/dkms/nvidia.ko:\n");
       m.file("/lib/modules/" + Machine::release + "/updates/dkms/nvidia.ko", "code without a signature");
       m.file("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
              std::string("\x06\x00\x00\x00\x01", 5));
       m.kernel_log("Loading of module with unavailable key is rejected");
       m.answer("init_result", "100");
       m.answer("nvml_result", "9");
     },
     "secure_boot_rejects_module", "Secure Boot"},
    {"AnOldVmImageOnANewHost",
     [](Machine& m) {
       m.driver("470.256.02", 1, "NVIDIA H100 80GB HBM3", "9.0", false);
       m.file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Intel Xeon\nflags\t\t: fpu hypervisor\n");
       m.kernel_log("NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2330)");
       m.kernel_log(
           "NVRM: installed in this system is not supported by the NVIDIA 470.256.02 driver release.");
       m.answer("init_result", "100");
       m.answer("devices", "0");
     },
     "gpu_generation_not_driven", "470.256.02"},
    {"NoDriverLibrary",
     [](Machine& m) {
       m.healthy(1);
       m.kernel_modules(Machine::release, "updates/dkms/nvidia.ko:\n");
     },
     "driver_library_missing", "libcuda.so.1"},
    {"TheToolkitsStubIsPicked",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.toolkit("/usr/local/cuda-13.0", "13.0.1", "13000");
       m.file("/usr/local/cuda-13.0/lib64/stubs/libcuda.so", "");
       m.link("/usr/local/cuda-13.0/lib64/stubs/libcuda.so.1", "libcuda.so");
       m.variable("LD_LIBRARY_PATH", "/usr/local/cuda-13.0/lib64/stubs");
       m.answer("init_result", "34");
     },
     "driver_library_stub", "stubs"},
    {"TheDriverHangs",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.answer("hang", "cuInit");
       m.limit_seconds = 1;
     },
     "driver_hangs", "time limit"},
    {"TheDriverCrashes",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.answer("crash", "cuInit");
     },
     "driver_crashes", ""},
    {"AContainerWithoutTheDriver",
     [](Machine& m) {
       m.file("/.dockerenv", "");
       m.pci("0000:01:00.0", "nvidia");
       m.module("580.65.06");
       m.variable("NVIDIA_DRIVER_CAPABILITIES", "utility");
     },
     "container_without_driver", "/dev/nvidiactl"},
};

INSTANTIATE_TEST_SUITE_P(Scenarios, StartUp, testing::ValuesIn(start_up_scenarios),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace gpugauge::stack
