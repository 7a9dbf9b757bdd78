// The whole way from a file tree and two driver libraries to a state and its paragraph, through the child
// process.
#include <functional>
#include <ostream>

#include <gmock/gmock.h>

#include "fake_tree.hpp"
#include "probe_fakes.hpp"
#include "result/build.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::stack {
namespace {

using testing::HasSubstr;
using testing::Not;

struct ProbeScenario {
  std::string name;
  std::function<void(FakeTree&)> tree;
  std::string answers;                   ///< of the fake libraries; "none": there are no libraries
  std::vector<std::string> environment;  ///< NAME=value
  GpuState state;
  int code;
  bool hardware;
  std::vector<std::string> says;
  std::vector<std::string> never_says;
};
// GoogleTest prints a parameter; bytes of a function would differ from run to run.
std::ostream& operator<<(std::ostream& out, const ProbeScenario& scenario) {
  return out << scenario.name;
}

void healthy(FakeTree& tree) {
  tree.healthy(2);
}
void nothing(FakeTree& tree) {
  tree.kernel("6.1.0-25-amd64");
}

class Probe : public testing::TestWithParam<ProbeScenario> {};

TEST_P(Probe, EndsInTheRightStateAndSaysWhy) {
  const ProbeScenario& scenario = GetParam();
  if (scenario.state == GpuState::driver_too_old && result::build().cuda.empty())
    GTEST_SKIP() << "a build without CUDA needs no driver, so none is too old";
  FakeTree tree;
  scenario.tree(tree);
  const GpuReport report = probe(tree, scenario.answers, scenario.environment);
  EXPECT_EQ(to_string(report.state), to_string(scenario.state));
  EXPECT_EQ(report.code, scenario.code);
  EXPECT_EQ(report.nvidia_hardware, scenario.hardware);
  for (const std::string& text : scenario.says) EXPECT_THAT(report.explanation, HasSubstr(text));
  for (const std::string& text : scenario.never_says) EXPECT_THAT(report.explanation, Not(HasSubstr(text)));
  if (report.state == GpuState::usable) {
    EXPECT_EQ(report.explanation, "");
  } else {
    EXPECT_THAT(report.explanation, HasSubstr("Next: "));
    EXPECT_EQ(report.explanation.find('\n'), std::string::npos) << "one paragraph";
    EXPECT_EQ(report.explanation.find("  "), std::string::npos) << report.explanation;
  }
}

const std::vector<ProbeScenario> probe_scenarios{
    {"healthy", healthy, "devices=2\n", {}, GpuState::usable, 0, true, {}, {}},
    {"minor_version_older_than_the_build_is_enough",
     healthy,
     "driver_version=13000\n",
     {},
     GpuState::usable,
     0,
     true,
     {},
     {}},
    {"newer_major_version", healthy, "driver_version=14010\n", {}, GpuState::usable, 0, true, {}, {}},
    {"sandbox_that_hides_sys_but_works", nothing, "devices=1\n", {}, GpuState::usable, 0, true, {}, {}},
    {"no_hardware_with_an_installed_library",
     nothing,
     "init_result=100\ndevices=0\nnvml_result=9\n",
     {},
     GpuState::no_hardware,
     100,
     false,
     {"There is no NVIDIA GPU here", "nothing to drive", "code 100", "--device host"},
     {"container"}},
    {"no_hardware_in_a_container",
     [](FakeTree& tree) {
       nothing(tree);
       tree.file("/.dockerenv", "");
     },
     "init_result=999\nnvml_result=9\n",
     {},
     GpuState::no_hardware,
     999,
     false,
     {"docker container"},
     {}},
    {"nouveau",
     [](FakeTree& tree) {
       nothing(tree);
       tree.pci("0000:01:00.0", "nouveau");
     },
     "init_result=100\nnvml_result=9\n",
     {},
     GpuState::no_driver,
     100,
     true,
     {"nouveau holds the GPU", "blacklist nouveau"},
     {"dkms"}},
    {"given_to_a_virtual_machine",
     [](FakeTree& tree) {
       nothing(tree);
       tree.pci("0000:01:00.0", "vfio-pci");
     },
     "init_result=100\nnvml_result=9\n",
     {},
     GpuState::no_driver,
     100,
     true,
     {"vfio-pci", "virtual machine"},
     {"install"}},
    {"kernel_upgraded_and_module_not_built",
     [](FakeTree& tree) {
       nothing(tree);
       tree.pci("0000:01:00.0", "");
       tree.kernel_modules("6.1.0-25-amd64", "kernel/drivers/platform/x86/nvidia-wmi-ec-backlight.ko:\n");
       tree.kernel_modules("6.1.0-18-amd64",
                           "updates/dkms/nvidia.ko:\nupdates/dkms/nvidia-uvm.ko: updates/dkms/nvidia.ko\n");
     },
     "init_result=100\nnvml_result=9\n",
     {},
     GpuState::no_driver,
     100,
     true,
     {"running kernel 6.1.0-25-amd64", "only for 6.1.0-18-amd64", "dkms autoinstall"},
     {"Secure Boot"}},
    {"module_installed_but_not_loaded",
     [](FakeTree& tree) {
       nothing(tree);
       tree.pci("0000:01:00.0", "");
       tree.kernel_modules("6.1.0-25-amd64", "updates/dkms/nvidia-current.ko.xz:\n");
     },
     "init_result=999\nnvml_result=9\n",
     {},
     GpuState::no_driver,
     999,
     true,
     {"modprobe nvidia", "Secure Boot", "code 999"},
     {"dkms autoinstall"}},
    {"driver_not_installed_at_all",
     [](FakeTree& tree) {
       nothing(tree);
       tree.pci("0000:01:00.0", "");
       tree.kernel_modules("6.1.0-25-amd64", "kernel/fs/ext4/ext4.ko:\n");
     },
     "init_result=100\nnvml_result=9\n",
     {},
     GpuState::no_driver,
     100,
     true,
     {"none is installed for any kernel"},
     {}},
    {"module_without_device_nodes",
     [](FakeTree& tree) {
       tree.pci("0000:01:00.0", "nvidia");
       tree.module("580.65.06");
     },
     "init_result=999\nnvml_result=999\n",
     {},
     GpuState::no_driver,
     999,
     true,
     {"no device node", "sudo nvidia-smi", "580.65.06"},
     {"container"}},
    {"container_started_without_gpus",
     [](FakeTree& tree) {
       tree.pci("0000:01:00.0", "nvidia");
       tree.module("580.65.06");
     },
     "init_result=100\nnvml_result=999\n",
     {"KUBERNETES_SERVICE_HOST=10.0.0.1"},
     GpuState::no_driver,
     100,
     true,
     {"kubernetes container", "nvidia.com/gpu"},
     {}},
    {"driver_of_an_older_major_version",
     [](FakeTree& tree) { tree.healthy(1, "535.104.05"); },
     "driver_version=12020\nnvml_driver=535.104.05\n",
     {},
     GpuState::driver_too_old,
     0,
     true,
     {"535.104.05", "CUDA up to 12.2", "CUDA 12 toolkit"},
     {}},
    {"visible_devices_empty",
     healthy,
     "devices=2\n",
     {"CUDA_VISIBLE_DEVICES="},
     GpuState::no_device,
     100,
     true,
     {"CUDA_VISIBLE_DEVICES is set to \"\", which names no GPU", "NVML sees 2"},
     {}},
    {"visible_devices_wrong",
     healthy,
     "init_result=100\n",
     {"CUDA_VISIBLE_DEVICES=GPU-no-such"},
     GpuState::no_device,
     100,
     true,
     {"\"GPU-no-such\"", "CUDA shows only what it names", "nvidia-smi -L",
      "unset it only where no scheduler has"},
     {}},
    {"visible_devices_names_gpus_that_are_there",
     healthy,
     "devices=0\nnvml_devices=2\n",
     {"CUDA_VISIBLE_DEVICES=0,1"},
     GpuState::no_device,
     100,
     true,
     {"is \"0,1\" and names a GPU that NVML sees", "permissions of /dev/nvidia*"},
     {"unset it", "shows only what it names"}},
    {"visible_devices_names_a_number_beyond",
     healthy,
     "devices=0\nnvml_devices=2\n",
     {"CUDA_VISIBLE_DEVICES=2"},
     GpuState::no_device,
     100,
     true,
     {"\"2\", which names no GPU of this machine"},
     {}},
    {"container_given_no_gpu",
     [](FakeTree& tree) {
       tree.pci("0000:01:00.0", "nvidia");
       tree.module("580.65.06");
       tree.nodes(0);
     },
     "init_result=100\nnvml_devices=0\n",
     {"NVIDIA_VISIBLE_DEVICES=void"},
     GpuState::no_device,
     100,
     true,
     {"NVIDIA_VISIBLE_DEVICES is \"void\""},
     {"CUDA_VISIBLE_DEVICES is set"}},
    {"control_node_only",
     [](FakeTree& tree) {
       tree.pci("0000:01:00.0", "nvidia");
       tree.module("580.65.06");
       tree.nodes(0);
     },
     "init_result=100\nnvml_devices=0\n",
     {},
     GpuState::no_device,
     100,
     true,
     {"no /dev/nvidia0"},
     {}},
    {"mig_without_instances",
     healthy,
     "devices=0\nnvml_devices=2\n",
     {},
     GpuState::no_device,
     100,
     true,
     {"MIG", "NVML sees 2"},
     {}},
    {"nvml_counts_more_gpus_than_an_int_holds",
     healthy,
     "devices=2\nnvml_devices=-1\n",  // NVML's count is unsigned
     {},
     GpuState::usable,
     0,
     true,
     {},
     {}},
    {"initialisation_error",
     healthy,
     "init_result=3\n",
     {},
     GpuState::error,
     3,
     true,
     {"cudaErrorInitializationError"},
     {}},
    {"devices_unavailable",
     healthy,
     "init_result=46\n",
     {},
     GpuState::error,
     46,
     true,
     {"cudaErrorDevicesUnavailable", "compute mode"},
     {}},
    {"device_query_fails",
     healthy,
     "device_result=101\n",
     {},
     GpuState::error,
     101,
     true,
     {"cuDeviceGet(0)", "cudaErrorInvalidDevice"},
     {}},
    {"operating_system",
     healthy,
     "init_result=304\n",
     {},
     GpuState::error,
     304,
     true,
     {"cudaErrorOperatingSystem", "/dev/nvidia-uvm: there"},
     {}},
    {"fabric_manager_down",
     [](FakeTree& tree) {
       tree.healthy(8);
       tree.pci("0000:c1:00.0", "nvidia", "0x068000");
     },
     "init_result=802\n",
     {},
     GpuState::error,
     802,
     true,
     {"cudaErrorSystemNotReady", "fabric manager", "NVSwitch: seen", "process: not seen"},
     {}},
    {"fabric_manager_runs_but_is_not_ready",
     [](FakeTree& tree) {
       tree.healthy(8);
       tree.file("/proc/812/comm", "nv-fabricmanage\n");
     },
     "init_result=802\n",
     {},
     GpuState::error,
     802,
     true,
     {"NVSwitch: not seen", "process: runs"},
     {}},
    {"kernel_module_of_another_version",
     [](FakeTree& tree) { tree.healthy(1, "570.124.06"); },
     "init_result=803\nnvml_result=18\n",
     {},
     GpuState::error,
     803,
     true,
     {"cudaErrorSystemDriverMismatch", "Kernel module: 570.124.06", "libcuda: 580.65.06", "code 18",
      "Reboot"},
     {}},
    {"forward_compatibility_on_geforce",
     healthy,
     "init_result=804\n",
     {},
     GpuState::error,
     804,
     true,
     {"cudaErrorCompatNotSupportedOnDevice", "cuda-compat", GPUGAUGE_FAKE_DRIVER},
     {}},
    {"uvm_in_a_bad_state",
     healthy,
     "init_result=999\n",
     {},
     GpuState::error,
     999,
     true,
     {"cudaErrorUnknown", "nvidia_uvm: loaded", "rmmod nvidia_uvm", "NVML works"},
     {}},
    {"a_code_without_explanation",
     healthy,
     "init_result=987\n",
     {},
     GpuState::error,
     987,
     true,
     {"code 987", "no explanation"},
     {}},
    {"wsl",
     [](FakeTree& tree) {
       tree.kernel("5.15.167.4-microsoft-standard-WSL2");
       tree.file("/dev/dxg", "");
       tree.file("/usr/lib/wsl/lib/libcuda.so.1", "");
     },
     "init_result=500\nnvml_devices=0\n",
     {},
     GpuState::error,
     500,
     true,
     {"code 500"},
     {}},
    {"prints_before_it_answers", healthy, "devices=2\nnoise=cuInit\n", {}, GpuState::usable, 0, true, {}, {}},
};

INSTANTIATE_TEST_SUITE_P(Scenarios, Probe, testing::ValuesIn(probe_scenarios),
                         [](const testing::TestParamInfo<ProbeScenario>& of) { return of.param.name; });

}  // namespace
}  // namespace gpugauge::stack
