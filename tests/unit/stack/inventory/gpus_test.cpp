// The whole way: a child process that asks the fake driver, and what files say beside it.
#include "stack/inventory/gpus.hpp"

#include <algorithm>
#include <cctype>

#include <gmock/gmock.h>

#include "servers.hpp"
#include "stack/nvml.hpp"
#include "unit/stack/inventory/collected.hpp"
#include "unit/stack/inventory/gpus_found.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Gpus, AHealthyServerTellsEverythingOfEight) {
  FakeTree tree;
  make_server(tree);
  const Inventory found = gpus_of(tree, h100 + "devices=8\ngpu.7.serial=1234567\nuuid=\n");
  EXPECT_EQ(found.value("driver_child.outcome"), "answered");
  EXPECT_EQ(found.value("nvml.init.code"), "0");
  EXPECT_EQ(found.value("nvml.devices"), "8");
  EXPECT_EQ(found.value("cuda.init.code"), "0");
  EXPECT_EQ(found.value("cuda.init.name"), "CUDA_SUCCESS");
  EXPECT_EQ(found.value("cuda.devices"), "8");
  EXPECT_EQ(found.value("driver.cuda_max"), "13.0");
  EXPECT_EQ(found.value("driver.libcuda_version"), "580.65.06");
  EXPECT_THAT(found.children("gpu"), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7"));
  const std::vector<std::pair<std::string, std::string>> expected{
      {"name", "NVIDIA H100 80GB HBM3"},
      {"brand", "NVIDIA"},
      {"pci", "0000:08:00.0"},
      {"architecture", "Hopper"},
      {"compute_capability", "9.0"},
      {"memory_mib", "81559"},
      {"vbios", "96.00.99.00.01"},
      {"serial", "1234567"},
      {"board_part", "692-2G520-0200-000"},
      {"sm_count", "132"},
      {"persistence", "on"},
      {"compute_mode", "default"},
      {"ecc", "on"},
      {"ecc_pending", "on"},
      {"mig", "off"},
      {"mig_pending", "off"},
      {"power_limit_watt", "700"},
      {"power_limit_default_watt", "700"},
      {"power_limit_min_watt", "200"},
      {"power_limit_max_watt", "700"},
      {"sm_clock_max_mhz", "1980"},
      {"memory_clock_max_mhz", "2619"},
      {"sm_clock_application_mhz", "1980"},
      {"sm_clock_application_default_mhz", "1980"},
      {"memory_clock_application_mhz", "2619"},
      {"memory_clock_application_default_mhz", "2619"},
      {"throttle_reasons", "idle"},
      {"temperature_c", "31"},
      {"pstate", "P0"},
      {"pcie_generation", "1"},
      {"pcie_generation_max", "5"},
      {"pcie_width", "16"},
      {"pcie_width_max", "16"},
      {"pcie_sampled", "idle"},
      {"nvlinks_active", "18"},
      {"nvlinks_total", "18"},
      {"numa_node", "1"},
      {"remapped_correctable", "0"},
      {"remapped_uncorrectable", "0"},
      {"remap_pending", "no"},
      {"remap_failed", "no"},
      {"retired_pages_pending", "no"},
      {"ecc_uncorrected_volatile", "0"},
      {"fabric_state", "completed"},
      {"processes", "0"},
      {"gsp", "580.65.06"},
      {"l2_persisting_max", "32768000"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(found.value("gpu.7." + name), value) << name;
  EXPECT_EQ(found.find("gpu.7.lost"), nullptr);
  EXPECT_THAT(found.children("pci"), ElementsAre("0", "1", "2", "3")) << "the NVSwitches";
  EXPECT_EQ(found.value("pci.0.class"), "nvswitch");
  EXPECT_EQ(found.value("pci.0.address"), "0000:c1:00.0");
  EXPECT_EQ(found.value("pci.0.driver"), "nvidia-nvswitch");
}

TEST(Gpus, UuidsOfBothLibrariesAgree) {
  FakeTree tree;
  const Inventory found = gpus_of(tree, "devices=2\n");
  EXPECT_EQ(found.value("gpu.0.uuid"), "GPU-aa010203-0405-0607-0809-0a0b0c0d0e00");
  EXPECT_EQ(found.value("gpu.1.uuid"), "GPU-aa010203-0405-0607-0809-0a0b0c0d0e01");
  EXPECT_EQ(how(found, "gpu.1.uuid"), "nvmlDeviceGetUUID");
}

TEST(Gpus, TheSickOneOfEight) {
  FakeTree tree;
  make_server(tree);
  const Inventory found = gpus_of(
      tree,
      h100 +
          "devices=8\ngpu.5.remapped=2 1 1 1\ngpu.5.power_limit_mw=350500\ngpu.5.mig=1\ngpu.5.mig_pending=0\n"
          "gpu.5.throttle_reasons=0x84\ngpu.5.nvlinks_active=17\ngpu.5.compute_mode=3\n"
          "gpu.5.processes=4242:python3:1024 7:x:18446744073709551615\ngpu.5.fabric_status=999\n"
          "gpu.5.ecc_uncorrected=3\ngpu.5.retired_pages_pending=1\ngpu.5.brand=99\n");
  const std::vector<std::pair<std::string, std::string>> expected{
      {"remapped_correctable", "2"},
      {"remapped_uncorrectable", "1"},
      {"remap_pending", "yes"},
      {"remap_failed", "yes"},
      {"power_limit_watt", "350.5"},
      {"mig", "on"},
      {"mig_pending", "off"},
      {"throttle_reasons", "sw_power_cap,hw_power_brake"},
      {"nvlinks_active", "17"},
      {"nvlinks_total", "18"},
      {"compute_mode", "exclusive_process"},
      {"processes", "2"},
      {"process.0", "4242 python3 1024"},
      {"fabric_state", "failed"},
      {"ecc_uncorrected_volatile", "3"},
      {"retired_pages_pending", "yes"},
      {"brand", "number 99"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(found.value("gpu.5." + name), value) << name;
  EXPECT_EQ(found.value("gpu.4.power_limit_watt"), "700");
  EXPECT_EQ(found.value("gpu.4.mig"), "off");
}

TEST(Gpus, ALostOneIsSaidToBeLost) {
  FakeTree tree;
  make_server(tree);
  const Inventory found = gpus_of(tree, h100 + "devices=2\ngpu.1.lost=1\n");
  EXPECT_EQ(found.value("gpu.1.lost"), "yes");
  EXPECT_EQ(found.find("gpu.1.uuid")->presence, Presence::absent);
  EXPECT_EQ(how(found, "gpu.1.uuid"), "nvmlDeviceGetHandleByIndex_v2: code 15 (NVML_ERROR_GPU_IS_LOST)");
  EXPECT_EQ(found.value("gpu.0.lost"), "");
  EXPECT_EQ(found.value("gpu.0.name"), "NVIDIA H100 80GB HBM3");
}

TEST(Gpus, LostWhileItIsAsked) {
  FakeTree tree;
  const Inventory found = gpus_of(tree, h100 + "gpu.0.code.nvmlDeviceGetTemperature=15\n");
  EXPECT_EQ(found.value("gpu.0.lost"), "yes");
  EXPECT_EQ(found.value("gpu.0.vbios"), "96.00.99.00.01");
}

TEST(Gpus, AbsentForbiddenAndFailedAreDifferentAnswers) {
  FakeTree tree;
  const Inventory found = gpus_of(
      tree,
      "code.nvmlDeviceGetSerial=4\ncode.nvmlDeviceGetEccMode=999\ncode.nvmlDeviceGetVbiosVersion=1234\n");
  ASSERT_TRUE(found.unreadable("gpu.0.serial"));
  EXPECT_EQ(found.find("gpu.0.serial")->needs, "root");
  EXPECT_EQ(found.find("gpu.0.persistence")->presence, Presence::absent);
  EXPECT_EQ(how(found, "gpu.0.persistence"), "nvmlDeviceGetPersistenceMode: not supported");
  EXPECT_EQ(how(found, "gpu.0.ecc"), "nvmlDeviceGetEccMode: code 999 (NVML_ERROR_UNKNOWN)");
  EXPECT_EQ(how(found, "gpu.0.vbios"), "nvmlDeviceGetVbiosVersion: code 1234");
  EXPECT_EQ(found.find("gpu.0.nvlinks_total")->presence, Presence::absent);
  EXPECT_EQ(found.find("driver.confidential_computing")->presence, Presence::absent);
}

TEST(Gpus, ErrorsOfInitialisation) {
  FakeTree tree;
  make_server(tree);
  const Inventory found = gpus_of(tree, "init_result=803\nnvml_result=18\n");
  EXPECT_EQ(found.value("cuda.init.code"), "803");
  EXPECT_EQ(found.value("cuda.init.name"), "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  EXPECT_EQ(found.value("cuda.init.call"), "cuInit");
  EXPECT_EQ(found.value("nvml.init.code"), "18");
  EXPECT_EQ(found.value("nvml.init.name"), "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
  EXPECT_EQ(found.find("cuda.devices")->presence, Presence::absent);
  EXPECT_EQ(found.find("nvml.devices")->presence, Presence::absent);
  EXPECT_EQ(found.value("driver_child.outcome"), "answered");
  EXPECT_EQ(found.children("gpu").size(), 8U) << "the kernel module names them";
  EXPECT_EQ(found.value("gpu.2.name"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(found.value("gpu.2.uuid"), "GPU-2");
  EXPECT_EQ(how(found, "gpu.2.name"), "kernel module");
  EXPECT_EQ(found.value("gpu.2.pcie_generation_max"), "5");
  EXPECT_EQ(found.children("pci").size(), 12U) << "no driver answers for any of them";
}

TEST(Gpus, NoDeviceIsACountOfNone) {
  FakeTree tree;
  const Inventory found = gpus_of(tree, "devices=0\n");
  EXPECT_EQ(found.value("cuda.init.code"), "100");
  EXPECT_EQ(found.value("cuda.devices"), "0");
  EXPECT_EQ(found.value("nvml.devices"), "0");
}

TEST(Gpus, WithoutNvmlTheyAreInCudasOrder) {
  FakeTree tree;
  tree.healthy(2);
  const Inventory found = gpus_of(tree, "devices=2\nnvml_result=999\nmemory_mib=81559\n");
  EXPECT_EQ(found.value("gpu.1.name"), "NVIDIA Fake 1000");
  EXPECT_EQ(found.value("gpu.1.uuid"), "GPU-aa010203-0405-0607-0809-0a0b0c0d0e01");
  EXPECT_EQ(found.value("gpu.1.memory_mib"), "81559");
  EXPECT_EQ(found.value("gpu.1.sm_count"), "132");
  EXPECT_EQ(found.value("gpu.1.pcie_width_max"), "16");
  EXPECT_EQ(how(found, "gpu.1.pcie_width_max"), "sysfs");
}

TEST(Gpus, CudasOwnOrderDoesNotMixThemUp) {
  FakeTree tree;
  const Inventory found =
      gpus_of(tree, "devices=2\npci.0=0000:81:00.0\npci.1=0000:02:00.0\ngpu.0.sm_count=114\n");
  EXPECT_EQ(found.value("gpu.0.sm_count"), "114");
  EXPECT_EQ(found.value("gpu.1.sm_count"), "132");
}

TEST(Gpus, AnInstanceDoesNotTellTheWholeGpusSize) {
  FakeTree tree;
  const Inventory found = gpus_of(tree, "mig=1\nsm_count=14\n");
  EXPECT_EQ(found.value("gpu.0.mig"), "on");
  EXPECT_EQ(found.find("gpu.0.sm_count"), nullptr);
}

TEST(Gpus, VirtualGpuAndConfidentialComputing) {
  FakeTree tree;
  const Inventory found = gpus_of(tree, "virtualization=2\nlicence=0\ncc_feature=1\n");
  EXPECT_EQ(found.value("vgpu.guest"), "yes");
  EXPECT_EQ(found.value("vgpu.licence"), "unlicensed");
  EXPECT_EQ(found.value("driver.confidential_computing"), "on");
  EXPECT_EQ(gpus_of(tree, "virtualization=2\nlicence=1\n").value("vgpu.licence"), "licensed");
  EXPECT_EQ(gpus_of(tree, "virtualization=1\ncc_feature=0\n").value("vgpu.guest"), "no");
  EXPECT_EQ(gpus_of(tree, "cc_feature=1\ncc_devtools=1\n").value("driver.confidential_computing"),
            "devtools");
}

TEST(Gpus, AVgpuHostTellsItsGuestsDrivers) {
  FakeTree tree;
  Inventory found = gpus_of(tree, "virtualization=3\nvgpus=7:550.54.15 9:\n");
  EXPECT_EQ(found.value("vgpu.host"), "yes");
  EXPECT_EQ(found.value("vgpu.guest"), "no");
  EXPECT_EQ(found.value("vgpu.instance.7.guest_driver"), "550.54.15");
  EXPECT_EQ(found.value("vgpu.instance.7.gpu"), "0");
  EXPECT_EQ(found.find("vgpu.instance.9.guest_driver")->presence, Presence::absent);
  found.present("driver.version", "580.65.05", "test");
  collect_vgpu(found);
  EXPECT_EQ(found.value("vgpu.version"), "19");
  EXPECT_EQ(found.find("vgpu.host_version"), nullptr);
}

TEST(GpusChild, AHangCostsOnlyWhatComesAfterIt) {
  FakeTree tree;
  make_server(tree);
  const Inventory found = gpus_of(tree, h100 + "devices=2\nhang=cuInit\n", 1.5);
  EXPECT_EQ(found.value("driver_child.outcome"), "timed out");
  EXPECT_THAT(how(found, "driver_child.outcome"), HasSubstr("after 1.5 s; the last answer was "));
  EXPECT_EQ(found.value("nvml.devices"), "2");
  EXPECT_EQ(found.value("gpu.1.vbios"), "96.00.99.00.01");
  EXPECT_EQ(found.find("cuda.init.code"), nullptr);
}

TEST(GpusChild, NvmlStaysOpenUntilCudaHasAnsweredSoThatNoGpuIsStartedTwice) {
  FakeTree tree;
  make_server(tree);
  gpus_of(tree, h100 + "devices=2\ncalls=" + tree.at("/calls").string() + "\n");
  const std::string calls = Tree(tree.root()).read("/calls").text;
  EXPECT_THAT(calls, testing::EndsWith("cuInit\nnvmlShutdown"));
  EXPECT_LT(calls.find("nvmlInit"), calls.find("cuInit"));
}

TEST(GpusChild, EightGpusThatAreNotKeptStartedMayTakeLonger) {
  FakeTree tree;
  make_server(tree);
  const Inventory found = gpus_of(tree, h100 + "devices=2\ngpu.1.persistence=0\nhang=cuInit\n", 1);
  EXPECT_THAT(how(found, "driver_child.outcome"), HasSubstr("after 2.75 s; "))
      << "1 s, and 0.25 s for each further one";
}

TEST(GpusChild, ALineThatStillArrivesExtendsTheLimit) {
  FakeTree tree;
  Context context = context_of(tree);
  context.timeout_seconds = 2;
  context.driver_command = {"/bin/sh", "-c",
                            "for i in 1 2 3 4 5; do sleep 0.5; echo $i; done; exec sleep 600"};
  const Inventory found = gpus_of(context);
  EXPECT_EQ(found.value("driver_child.outcome"), "timed out");
  const std::string after = how(found, "driver_child.outcome");
  EXPECT_GT(std::stod(after.substr(after.find(' '))), 4) << after;
}

TEST(GpusChild, ACrashInNvmlLeavesTheModulesList) {
  FakeTree tree;
  make_server(tree);
  const Inventory found = gpus_of(tree, "crash=nvmlInit\n");
  EXPECT_EQ(found.value("driver_child.outcome"), "crashed");
  EXPECT_EQ(how(found, "driver_child.outcome"), "signal 6; nothing was answered");
  EXPECT_EQ(found.value("gpu.0.uuid"), "GPU-0");
}

TEST(GpusChild, ADriverThatExitsOrTalks) {
  FakeTree tree;
  EXPECT_EQ(gpus_of(tree, "exit=cuInit\n").value("driver_child.outcome"), "no answer");
  const Inventory talks = gpus_of(tree, "noise=cuInit\n");
  EXPECT_EQ(talks.value("driver_child.outcome"), "answered");
  EXPECT_EQ(talks.value("cuda.init.code"), "0");
}

TEST(GpusChild, NonsenseIsNoAnswer) {
  FakeTree tree;
  Context context = context_of(tree);
  for (const char* const line :
       {"nothing of the kind", "{\"schema\":\"gpugauge.inventory/1\",\"items\":[{\"key\":7}]}",
        "{\"schema\":\"gpugauge.inventory/1\",\"items\":[",
        "{\"schema\":\"gpugauge.inventory/9\",\"items\":[]}"}) {
    context.driver_command = {"/bin/echo", line};
    const Inventory found = gpus_of(context);
    EXPECT_EQ(found.value("driver_child.outcome"), "no answer") << line;
    EXPECT_EQ(how(found, "driver_child.outcome"), "exit code 0; nothing was answered") << line;
    EXPECT_THAT(found.children("gpu"), IsEmpty());
  }
  context.driver_command = {"/nowhere/gpugauge"};
  EXPECT_EQ(how(gpus_of(context), "driver_child.outcome"), "not started: No such file or directory");
}

TEST(GpusChild, BelowAnotherRootNobodyIsAsked) {
  FakeTree tree;
  make_server(tree);
  const Inventory found = gpus_of(context_of(tree));
  EXPECT_EQ(found.find("cuda.init.code"), nullptr);
  EXPECT_EQ(found.find("driver_child.outcome"), nullptr);
  EXPECT_EQ(found.children("gpu").size(), 8U);
  EXPECT_EQ(found.children("pci").size(), 12U);
}

TEST(Gpus, ALinkIsOnlySaidToBeIdleWhereNvmlSaysSo) {
  const auto sampled = [](const std::string& facts) {
    FakeTree tree;
    make_server(tree);
    return gpus_of(tree, h100 + "devices=1\n" + facts).value("gpu.0.pcie_sampled");
  };
  EXPECT_EQ(sampled(""), "idle");
  EXPECT_EQ(sampled("gpu.0.throttle_reasons=4\n"), "unknown") << "no process is listed, and it does not rest";
  EXPECT_EQ(sampled("gpu.0.processes=4711:python:1024\n"), "in use");
}

TEST(Nvml, NamesItsErrors) {
  EXPECT_EQ(nvml_error_name(0), "NVML_SUCCESS");
  EXPECT_EQ(nvml_error_name(18), "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
  EXPECT_EQ(nvml_error_name(999), "NVML_ERROR_UNKNOWN");
  EXPECT_EQ(nvml_error_name(500), "");
}

TEST(Nvml, AddressesAreAsTheKernelWritesThem) {
  EXPECT_EQ(pci_address("00000000:C1:00.0"), "0000:c1:00.0");
  EXPECT_EQ(pci_address("00000001:00:00.0"), "0001:00:00.0");
  EXPECT_EQ(pci_address("00010000:01:00.0"), "10000:01:00.0");
  EXPECT_EQ(pci_address("0000:01:00.0"), "0000:01:00.0");
  EXPECT_EQ(pci_address(""), "");
}

TEST(Nvml, EachFactIsAskedOnce) {
  auto facts = nvml_facts();
  const auto count = facts.size();
  std::sort(facts.begin(), facts.end());
  facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
  EXPECT_EQ(facts.size(), count);
}

}  // namespace
}  // namespace gpugauge::stack
