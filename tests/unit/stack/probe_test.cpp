// The whole way from a file tree and two driver libraries to a state and its paragraph, through the child
// process.
#include <functional>
#include <ostream>

#include <gmock/gmock.h>

#include "fake_tree.hpp"
#include "stack/inventory.hpp"

namespace gpugauge::stack {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Scenario {
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
std::ostream& operator<<(std::ostream& out, const Scenario& scenario) {
  return out << scenario.name;
}

GpuReport probe(const FakeTree& tree, const std::string& answers, const std::vector<std::string>& environment,
                double limit_seconds = 30, const std::string& libraries = GPUGAUGE_FAKE_DRIVER) {
  const auto file = tree.at("/scenario");
  std::ofstream(file) << answers;
  ProbeOptions options;
  options.root = tree.root();
  options.timeout_seconds = limit_seconds;
  options.command = {"/usr/bin/env", "-i", "GPUGAUGE_FAKE_SCENARIO=" + file.string(),
                     "LD_LIBRARY_PATH=" + libraries};
  options.command.insert(options.command.end(), environment.begin(), environment.end());
  options.command.insert(options.command.end(), {GPUGAUGE_PROBE_CHILD, tree.root()});
  return probe_gpus(options);
}

void healthy(FakeTree& tree) {
  tree.healthy(2);
}
void nothing(FakeTree& tree) {
  tree.kernel("6.1.0-25-amd64");
}

class Probe : public testing::TestWithParam<Scenario> {};

TEST_P(Probe, EndsInTheRightStateAndSaysWhy) {
  const Scenario& scenario = GetParam();
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

const std::vector<Scenario> scenarios{
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
     {"CUDA_VISIBLE_DEVICES is set to \"\"", "NVML sees 2"},
     {}},
    {"visible_devices_wrong",
     healthy,
     "init_result=100\n",
     {"CUDA_VISIBLE_DEVICES=GPU-no-such"},
     GpuState::no_device,
     100,
     true,
     {"\"GPU-no-such\"", "nvidia-smi -L"},
     {}},
    {"container_given_no_gpu",
     healthy,
     "init_result=100\n",
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

INSTANTIATE_TEST_SUITE_P(Scenarios, Probe, testing::ValuesIn(scenarios),
                         [](const testing::TestParamInfo<Scenario>& of) { return of.param.name; });

TEST(ProbeChild, AHangingDriverIsEndedAndNamed) {
  FakeTree tree;
  tree.healthy();
  const GpuReport report = probe(tree, "hang=cuInit\n", {}, 0.5);
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_TRUE(report.nvidia_hardware);
  EXPECT_EQ(report.driver_version, "580.65.06");
  EXPECT_THAT(report.explanation, HasSubstr("did not answer within 0.5 s"));
  EXPECT_THAT(report.explanation, HasSubstr("NVRM|Xid"));
}

TEST(ProbeChild, ACrashingDriverCostsOnlyTheChild) {
  FakeTree tree;
  tree.healthy();
  const GpuReport report = probe(tree, "crash=cuInit\n", {});
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_THAT(report.explanation, HasSubstr("crashes"));
  EXPECT_THAT(report.explanation, HasSubstr("signal 6"));
  EXPECT_THAT(report.explanation, HasSubstr("told to crash"));
}

TEST(ProbeChild, ADriverThatExitsIsNoReport) {
  FakeTree tree;
  tree.healthy();
  const GpuReport report = probe(tree, "exit=cuInit\n", {});
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_THAT(report.explanation, HasSubstr("exit code 7"));
}

TEST(ProbeChild, GarbageIsNoReport) {
  FakeTree tree;
  ProbeOptions options;
  options.root = tree.root();
  options.command = {"/bin/echo", "{\"state\":\"usable\"}"};
  const GpuReport report = probe_gpus(options);
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_FALSE(report.nvidia_hardware);
  EXPECT_THAT(report.explanation, HasSubstr("no readable report"));
}

TEST(ProbeChild, AMissingExecutableIsToldWithTheReason) {
  FakeTree tree;
  ProbeOptions options;
  options.root = tree.root();
  options.command = {"/nowhere/gpugauge"};
  const GpuReport report = probe_gpus(options);
  EXPECT_EQ(report.state, GpuState::error);
  EXPECT_THAT(report.explanation, HasSubstr("No such file or directory"));
}

TEST(ProbeChild, ABrokenLibraryIsNotCalledMissing) {
  FakeTree tree;
  tree.healthy();
  tree.file("/lib/broken/libcuda.so.1",
            "not a library, but long enough to be read as the header of one, and that is all of it");
  const GpuReport report = probe(tree, "", {}, 30, tree.at("/lib/broken").string());
  EXPECT_EQ(report.state, GpuState::no_library);
  EXPECT_THAT(report.explanation, HasSubstr("cannot be used"));
  EXPECT_THAT(report.explanation, Not(HasSubstr("finds no libcuda")));
}

TEST(ProbeChild, TheToolkitsStubIsCalledAStub) {
  const std::filesystem::path stub = GPUGAUGE_CUDA_STUB;
  if (stub.empty() || !std::filesystem::exists(stub)) GTEST_SKIP() << "no toolkit with a libcuda stub here";
  FakeTree tree;
  tree.healthy();
  std::filesystem::create_directories(tree.at("/stubs"));
  std::filesystem::copy_file(stub, tree.at("/stubs/libcuda.so.1"));
  const GpuReport report = probe(tree, "", {}, 30, tree.at("/stubs").string());
  EXPECT_EQ(report.state, GpuState::no_library);
  EXPECT_EQ(report.code, 34);
  EXPECT_THAT(report.explanation, HasSubstr("stub"));
}

TEST(ProbeChild, DescribesEachGpu) {
  FakeTree tree;
  tree.healthy(2);
  const GpuReport report =
      probe(tree,
            "devices=2\nname=NVIDIA H200\nname.1=NVIDIA L4\ncapability=89\npci.1=0000:A1:00.0\n"
            "persistence=1\necc=1\necc_pending=0\nmig=0\ncompute_mode=0\npower_limit_mw=600000\n"
            "power_limit_default_mw=700000\n",
            {});
  ASSERT_EQ(report.state, GpuState::usable) << report.explanation;
  ASSERT_EQ(report.gpus.size(), 2U);
  EXPECT_EQ(report.gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(report.gpus[0].uuid, "GPU-aa010203-0405-0607-0809-0a0b0c0d0e00");
  EXPECT_EQ(report.gpus[0].compute_capability, "8.9");
  EXPECT_EQ(report.gpus[1].index, 1);
  EXPECT_EQ(report.gpus[1].name, "NVIDIA L4");
  EXPECT_EQ(report.gpus[1].pci_bus_id, "0000:a1:00.0");
  const result::Facts settings{
      {"compute_mode", "0"}, {"ecc", "on (off after reset)"}, {"mig", "off"},
      {"persistence", "on"}, {"power_limit_watt", "600"},     {"power_limit_default_watt", "700"}};
  EXPECT_EQ(report.gpus[0].settings, settings);
  EXPECT_EQ(report.driver_cuda_version, "13.0");
  EXPECT_EQ(report.libcuda_version, "580.65.06");
  EXPECT_EQ(report.kernel_module_kind, "open");
}

TEST(ProbeChild, AMigInstanceHasItsOwnName) {
  FakeTree tree;
  tree.healthy();
  const GpuReport report = probe(tree, "mig=1\n", {});
  ASSERT_EQ(report.gpus.size(), 1U);
  EXPECT_EQ(report.gpus[0].uuid, "MIG-bb010203-0405-0607-0809-0a0b0c0d0e00");
}

}  // namespace
}  // namespace gpugauge::stack
