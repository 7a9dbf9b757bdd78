// Machines whose driver works and something else does not fit, and machines on which nothing is wrong.
#include <ostream>

#include <gmock/gmock.h>

#include "unit/stack/scenarios/machine.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::IsEmpty;

struct RunningScenario {
  std::string name;
  void (*arrange)(Machine&);
  std::string expected;  ///< "warning mig_left_enabled"
};

// GoogleTest prints a parameter; bytes of a function would differ from run to run.
std::ostream& operator<<(std::ostream& out, const RunningScenario& scenario) {
  return out << scenario.name;
}

class Running : public testing::TestWithParam<RunningScenario> {};

TEST_P(Running, EndsInTheRightFinding) {
  Machine machine;
  GetParam().arrange(machine);
  const Findings findings = machine.findings();
  EXPECT_THAT(above_a_note(findings), Contains(GetParam().expected)) << whole_text(findings);
}

const RunningScenario running_scenarios[] = {
    {"OneOfEightIsLost",
     [](Machine& m) {
       m.driver("580.65.06", 8);
       m.gpu(5, "lost", "1");
       m.kernel_log("NVRM: Xid (PCI:0000:06:00): 79, pid=0, name=, GPU has fallen off the bus.");
     },
     "failure gpu_lost"},
    {"OneOfEightHasMigLeftOn",
     [](Machine& m) {
       m.driver("580.65.06", 8);
       for (int i = 0; i < 8; ++i) m.gpu(i, "mig", i == 3 ? "1" : "0");
     },
     "warning mig_left_enabled"},
    {"ThePowerLimitWasLowered",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.gpu(0, "power_limit_mw", "400000");
       m.gpu(0, "power_limit_default_mw", "700000");
     },
     "warning sw_power_cap"},
    {"RowRemappingIsPending",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.gpu(0, "remapped", "0 1 1 0");
     },
     "warning row_remap_pending"},
    {"RowRemappingFailed",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.gpu(0, "remapped", "0 1 0 1");
     },
     "failure hbm_row_remap"},
    {"ClocksWereLeftLocked",
     [](Machine& m) {
       m.driver("550.54.15", 1, "NVIDIA A100-SXM4-80GB", "8.0");
       m.gpu(0, "sm_clock_application_mhz", "765");
       m.gpu(0, "sm_clock_application_default_mhz", "1275");
     },
     "warning locked_clocks_left"},
    {"ComputeModeIsProhibited",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.gpu(0, "compute_mode", "2");
     },
     "failure compute_mode_restricts"},
    {"AVgpuWithoutLicence",
     [](Machine& m) {
       m.driver("550.54.15", 1, "GRID A100D-40C", "8.0");
       m.gpu(0, "virtualization", "2");
       m.gpu(0, "licence", "0");
     },
     "warning vgpu_unlicensed"},
    {"AVgpuGuestTooOldForItsHost",
     [](Machine& m) {
       m.driver("580.65.06", 2, "NVIDIA A40", "8.6");
       m.answer("virtualization", "3");
       m.gpu(1, "vgpus", "3:580.65.06 4:525.60.13");
     },
     "failure vgpu_driver_mismatch"},
    {"TheDriversBranchHasEnded", [](Machine& m) { m.driver("525.60.13", 1, "NVIDIA A100-SXM4-80GB", "8.0"); },
     "warning driver_branch_ended"},
    {"APascalOnADriverThatNoLongerDrivesIt",
     [](Machine& m) {
       m.driver("590.48.01", 1, "Tesla P100-PCIE-16GB", "6.0", false);
       m.answer("init_result", "100");
     },
     "failure gpu_generation_not_driven"},
    {"AnUpgradedKernelHasNoModule",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.kernel_modules("6.1.0-28-amd64", "kernel/drivers/ata/ahci.ko:\n");
     },
     "warning module_missing_for_newest_kernel"},
    {"CudnnOfTwoVersions",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.library(Machine::library_folder, "cudnn", "9.12.0");
       m.library(Machine::library_folder, "cudnn_graph", "9.12.0");
       m.library(Machine::library_folder, "cudnn_ops", "9.5.1");
       m.library(Machine::library_folder, "cudnn_cnn", "9.12.0");
     },
     "failure mixed_library_versions"},
    {"TwoVersionsOfNccl",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.library("/opt/nccl/lib", "nccl", "2.18.5");
       m.library(Machine::library_folder, "nccl", "2.27.3");
       m.variable("LD_LIBRARY_PATH", "/opt/nccl/lib");
     },
     "warning duplicate_library_versions"},
    {"ACpuOnlyWheelBesideAWorkingDriver",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.wheel("torch", "2.8.0+cpu");
       m.file(Machine::site + "/torch/version.py", "__version__ = '2.8.0+cpu'\ncuda = None\n");
     },
     "warning cpu_only_wheel"},
    {"AFrameworkNewerThanTheDriver",
     [](Machine& m) {
       m.driver("470.256.02", 1, "NVIDIA A100-SXM4-80GB", "8.0", false);
       m.answer("driver_version", "11040");
       m.wheel("torch", "2.8.0+cu128");
       m.file(Machine::site + "/torch/version.py", "__version__ = '2.8.0+cu128'\ncuda = '12.8'\n");
     },
     "failure framework_newer_than_driver"},
    {"OldImageOnANewHost",
     [](Machine& m) { m.driver("470.256.02", 1, "NVIDIA H100 80GB HBM3", "9.0", false); },
     "warning driver_branch_ended"},
    {"AContainerNewerThanItsHost",
     [](Machine& m) {
       m.driver("535.183.01", 1);
       m.answer("driver_version", "12020");
       m.file("/.dockerenv", "");
       m.variable("CUDA_VERSION", "13.0.1");
     },
     "failure container_newer_than_host"},
    {"AnOldLibcInAContainer",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.file("/.dockerenv", "");
       m.package("libc6", "2.27-3ubuntu1.6");
     },
     "warning container_old_libc"},
    {"AnOldLibc",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.package("libc6", "2.27-3ubuntu1.6");
     },
     "warning old_libc"},
    {"ALinuxDriverInsideWsl",
     [](Machine& m) {
       m.kernel("5.15.153.1-microsoft-standard-WSL2");
       m.file("/dev/dxg", "");
       m.driver_library("/usr/lib/wsl/lib", "libcuda", "580.65.06");
       m.libraries("580.95.05");
       m.answer("init_result", "100");
     },
     "failure wsl_linux_driver_installed"},
    {"LaunchesAreMadeToBlock",
     [](Machine& m) {
       m.driver("580.65.06", 8);
       m.variable("CUDA_LAUNCH_BLOCKING", "1");
     },
     "warning cuda_launch_blocking"},
    {"Tf32IsOverridden",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.variable("NVIDIA_TF32_OVERRIDE", "0");
     },
     "warning tf32_env_override"},
    {"TheJitCacheIsDisabled",
     [](Machine& m) {
       m.driver("580.65.06", 1);
       m.variable("CUDA_CACHE_DISABLE", "1");
     },
     "warning jit_cache_disabled"},
    {"AToolkitNewerThanTheDriver",
     [](Machine& m) {
       m.driver("535.183.01", 1);
       m.answer("driver_version", "12020");
       m.toolkit("/usr/local/cuda-13.0", "13.0.1", "13000");
       m.variable("CUDA_HOME", "/usr/local/cuda-13.0");
     },
     "failure toolkit_newer_than_driver"},
};

INSTANTIATE_TEST_SUITE_P(Scenarios, Running, testing::ValuesIn(running_scenarios),
                         [](const auto& one) { return one.param.name; });

/// What must never alarm: nothing above a note.
struct Healthy {
  std::string name;
  void (*arrange)(Machine&);
};

std::ostream& operator<<(std::ostream& out, const Healthy& healthy) {
  return out << healthy.name;
}

class NothingIsWrong : public testing::TestWithParam<Healthy> {};

TEST_P(NothingIsWrong, AndNothingAboveANoteIsSaid) {
  Machine machine;
  GetParam().arrange(machine);
  const Findings findings = machine.findings();
  EXPECT_THAT(above_a_note(findings), IsEmpty()) << whole_text(findings);
}

const Healthy healthy[] = {
    {"OneH100", [](Machine& m) { m.driver("580.178.04", 1); }},
    {"EightH100WithNvswitchAndFabricManager",
     [](Machine& m) {
       m.driver("580.178.04", 8);
       m.pci("0000:c0:00.0", "nvidia-nvswitch", "0x068000");
       m.package("nvidia-fabricmanager-580", "580.178.04-1");
       m.process(812, "nv-fabricmanage");
     }},
    {"PowerCapReasonAtTheDefaultLimit",
     [](Machine& m) {
       m.driver("580.178.04", 1, "NVIDIA H200");
       m.gpu(0, "throttle_reasons", "4");
       m.gpu(0, "power_limit_mw", "700000");
       m.gpu(0, "power_limit_default_mw", "700000");
     }},
    {"GeforceInP2",
     [](Machine& m) {
       m.driver("580.178.04", 1, "NVIDIA GeForce RTX 4090", "8.9");
       m.gpu(0, "brand", "5");
       m.gpu(0, "performance_state", "2");
     }},
    {"TheLinkSleepsAtGeneration1",
     [](Machine& m) {
       m.driver("580.178.04", 1);
       m.gpu(0, "pcie_generation", "1");
       m.gpu(0, "pcie_generation_max", "5");
       m.gpu(0, "pcie_width", "16");
       m.gpu(0, "pcie_width_max", "16");
     }},
    {"FewerNvlinksThanTheChipHas",
     [](Machine& m) {
       m.driver("580.178.04", 2, "NVIDIA H100 NVL");
       for (int i = 0; i < 2; ++i) m.gpu(i, "nvlinks_active", "12");
     }},
    {"TheToolkitDiffersFromTheWheelsCuda",
     [](Machine& m) {
       m.driver("580.178.04", 1);
       m.toolkit("/usr/local/cuda-13.0", "13.0.1", "13000");
       m.variable("CUDA_HOME", "/usr/local/cuda-13.0");
       m.wheel("torch", "2.8.0+cu128");
       m.file(Machine::site + "/torch/version.py", "__version__ = '2.8.0+cu128'\ncuda = '12.8'\n");
       m.wheel("nvidia-cudnn-cu12", "9.10.2.21");
       m.wheel("nvidia-nccl-cu12", "2.27.3");
     }},
};

INSTANTIATE_TEST_SUITE_P(Healthy, NothingIsWrong, testing::ValuesIn(healthy),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace gpugauge::stack
