// Error 802 and the fabric manager of NVSwitch systems.
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

Inventory not_ready() {
  Inventory inventory = h100_server();
  set_all(
      inventory,
      {{"cuda.init.code", "802"}, {"cuda.init.name", "CUDA_ERROR_SYSTEM_NOT_READY"}, {"cuda.devices", "0"}});
  return inventory;
}

TEST(FabricRules, AbsentOrStoppedFabricManager) {
  Inventory inventory = not_ready();
  inventory.absent("fabric_manager.version", "dpkg");
  inventory.absent("fabric_manager.state", "/proc");
  set_gpu(inventory, 2, {{"fabric_state", "in_progress"}});
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure fabric_manager_down"));
  EXPECT_THAT(findings[0].title, HasSubstr("is not installed"));
  EXPECT_THAT(findings[0].evidence,
              testing::IsSupersetOf(
                  {"fabric manager: absent (/proc)", "GPU 2 (0000:2a:00.0): fabric state in_progress"}));
  EXPECT_THAT(findings[0].considered, Contains(HasSubstr("kernel_kaslr_hmm")));
  set_all(inventory, {{"fabric_manager.state", "installed"}, {"fabric_manager.version", "580.65.06"}});
  EXPECT_THAT(the(findings_of(check_start_up, inventory), "fabric_manager_down").title,
              HasSubstr("is not running"));
}

TEST(FabricRules, AnotherVersionEndsTheFabricManagerAndIsTheCause) {
  Inventory inventory = not_ready();
  set_all(inventory, {{"fabric_manager.state", "installed"}, {"fabric_manager.version", "580.95.05-1"}});
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure fabric_manager_version_mismatch"));
  EXPECT_EQ(findings[0].title, "The fabric manager 580.95.05-1 does not match the driver 580.65.06");
}

TEST(FabricRules, TheKernelLogTellsAddressRandomisationApart) {
  Inventory inventory = not_ready();
  set(inventory, "kernel_log.hmm_failure", "yes", "/dev/kmsg");
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure kernel_kaslr_hmm"));
  EXPECT_THAT(findings[0].evidence, Contains("refusal in the kernel log: yes (/dev/kmsg)"));
  EXPECT_THAT(findings[0].next.front(), HasSubstr("uvm_disable_hmm=1"));
  set(inventory, "fabric_manager.state", "installed");
  EXPECT_THAT(said(findings_of(check_start_up, inventory)), ElementsAre("failure fabric_manager_down"))
      << "the fabric manager alone explains it; the kernel's refusal is named as the next one";
}

TEST(FabricRules, ARunningManagerAndAnUntrainedFabric) {
  Inventory inventory = not_ready();
  set_gpu(inventory, 0, {{"fabric_state", "in_progress"}});
  EXPECT_THAT(said(findings_of(check_start_up, inventory)), ElementsAre("failure fabric_not_ready"));
}

TEST(FabricRules, FromAContainerTheManagerCannotBeSeen) {
  Inventory inventory = not_ready();
  set(inventory, "container.kind", "docker");
  inventory.absent("fabric_manager.state", "/proc");
  inventory.absent("fabric_manager.version", "dpkg");
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure fabric_manager_down"));
  EXPECT_THAT(findings[0].title, HasSubstr("cannot be seen from here"));
}

TEST(FabricRules, ConfidentialComputingNotSetReady) {
  Inventory inventory = h200_machine();
  set_all(inventory, {{"cuda.init.code", "802"}, {"driver.confidential_computing", "on"}});
  EXPECT_THAT(said(findings_of(check_start_up, inventory)), ElementsAre("failure confidential_computing"));
  set(inventory, "driver.confidential_computing", "off");
  EXPECT_THAT(said(findings_of(check_start_up, inventory)), ElementsAre("failure cuda_start_failed"));
}

TEST(FabricRules, BeforeCudaFailsItIsAWarningOfTheDriver) {
  Inventory inventory = h100_server();
  EXPECT_THAT(said(findings_of(check_driver, inventory)), IsEmpty());
  set(inventory, "fabric_manager.version", "580.95.05");
  EXPECT_THAT(said(findings_of(check_driver, inventory)),
              ElementsAre("warning fabric_manager_version_mismatch"));
  set(inventory, "cuda.init.code", "802");
  EXPECT_THAT(said(findings_of(check_driver, inventory)), IsEmpty()) << "then the start-up rules say it";
}

/// Packages were upgraded, the module of before is still loaded.
Inventory half_upgraded(const std::string& manager) {
  Inventory inventory = h100_server();
  set_all(inventory, {{"driver.libcuda_version", "580.105.08"},
                      {"driver.libnvml_version", "580.105.08"},
                      {"cuda.init.code", "803"},
                      {"nvml.init.code", "18"},
                      {"fabric_manager.state", "installed"},
                      {"fabric_manager.version", manager}});
  return inventory;
}

TEST(FabricRules, AManagerOfTheUpgradedLibrariesLacksOnlyTheReboot) {
  EXPECT_THAT(said(findings_of(check_driver, half_upgraded("580.105.08-1"))), IsEmpty());
}

TEST(FabricRules, AManagerThatStayedBehindIsUpgradedBeforeTheReboot) {
  const Findings findings = findings_of(check_driver, half_upgraded("580.65.06-1"));
  EXPECT_THAT(said(findings), ElementsAre("warning fabric_manager_version_mismatch"));
  EXPECT_EQ(findings[0].title,
            "The fabric manager 580.65.06-1 does not match the installed driver 580.105.08");
  EXPECT_THAT(findings[0].next.front(), HasSubstr("in version 580.105.08"));
  EXPECT_THAT(findings[0].next.front(), HasSubstr("before the reboot"));
}

TEST(FabricRules, LibrariesOfTwoVersionsShowNoInstalledDriver) {
  Inventory inventory = half_upgraded("580.65.06-1");
  set(inventory, "driver.libcuda_version", "570.86.15");
  EXPECT_THAT(said(findings_of(check_driver, inventory)), ElementsAre("warning fabric_manager_down"))
      << "it goes with the module";
}

TEST(FabricRules, OneGpuOutsideOfTheFabricIsNamed) {
  Inventory inventory = h100_server();
  set_gpu(inventory, 5, {{"fabric_state", "not_started"}});
  const Findings findings = findings_of(check_driver, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning fabric_not_ready"));
  EXPECT_EQ(findings[0].title, "GPU 5 (0000:5a:00.0) has not joined the NVLink fabric");
}

TEST(FabricRules, AFabricThatIsNotHealthyIsNamedWithWhatIsWrong) {
  Inventory inventory = h100_server();
  for (int i = 0; i < 8; ++i) set_gpu(inventory, i, {{"fabric_health", "healthy"}});
  EXPECT_THAT(said(findings_of(check_driver, inventory)), IsEmpty());
  set_gpu(inventory, 5, {{"fabric_health", "degraded_bandwidth,route_unhealthy"}});
  const Findings findings = findings_of(check_driver, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning fabric_unhealthy"));
  EXPECT_EQ(findings[0].title, "The NVLink fabric of GPU 5 (0000:5a:00.0) is not healthy");
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("fewer links carry data")));
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("a route to another GPU does not work")));
  EXPECT_THAT(findings[0].next, ElementsAre(HasSubstr("nvidia-smi nvlink --status"))) << "one step for both";
  set_gpu(inventory, 5, {{"fabric_state", "failed"}});
  EXPECT_THAT(said(findings_of(check_driver, inventory)), ElementsAre("warning fabric_not_ready"))
      << "what has not joined is not unhealthy, too";
  set_gpu(inventory, 5, {{"fabric_state", "completed"}});
  set_gpu(inventory, 5, {{"fabric_health", "misconfiguration_9"}});
  EXPECT_THAT(findings_of(check_driver, inventory).at(0).next, ElementsAre(HasSubstr("nvidia-smi -q")))
      << "a word that no list here has";
}

TEST(FabricRules, WithoutAnNvSwitchNobodyMissesTheManager) {
  Inventory inventory = h200_machine();
  set(inventory, "topology.nvswitch", "no");
  inventory.absent("fabric_manager.state", "/proc");
  EXPECT_THAT(said(findings_of(check_driver, inventory)), IsEmpty());
}

TEST(FabricRules, ANodeWhoseSwitchesAreElsewhereNeedsNoManager) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 4, "NVIDIA GB200", "10.0", "1200");
  for (int i = 0; i < 4; ++i) set_gpu(inventory, i, {{"fabric_state", "completed"}});
  set(inventory, "topology.nvswitch", "no");
  inventory.absent("fabric_manager.state", "/proc");
  EXPECT_THAT(said(findings_of(check_driver, inventory)), IsEmpty());
  set_gpu(inventory, 2, {{"fabric_state", "in_progress"}});
  const Findings waits = findings_of(check_driver, inventory);
  EXPECT_THAT(said(waits), ElementsAre("warning fabric_not_ready"));
  EXPECT_EQ(waits[0].title, "GPU 2 (0000:2a:00.0) has not joined the NVLink fabric");
  EXPECT_THAT(waits[0].explanation, AllOf(HasSubstr("does not reach the others"), Not(HasSubstr("802"))));
  EXPECT_THAT(waits[0].next.front(), HasSubstr("NMX-C"));
  set(inventory, "cuda.init.code", "802");
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure fabric_not_ready"));
  EXPECT_THAT(findings[0].explanation, HasSubstr("CUDA answers 802 until they have registered"));
  EXPECT_THAT(findings[0].considered, Contains(HasSubstr("on the rack's switch trays")));
  for (const std::string& step : findings[0].next) EXPECT_THAT(step, Not(HasSubstr("nvidia-fabricmanager")));
  set_all(inventory, {{"fabric_manager.state", "installed"}, {"fabric_manager.version", "575.57.08"}});
  EXPECT_THAT(said(findings_of(check_start_up, inventory)), ElementsAre("failure fabric_not_ready"))
      << "a package that an image brings along does nothing on a tray";
}

TEST(FabricRules, AGuestWithNvSwitchesRunsTheManagerItself) {
  Inventory inventory = not_ready();
  set(inventory, "host.virtualization", "amazon");
  inventory.absent("fabric_manager.state", "/proc");
  inventory.absent("fabric_manager.version", "dpkg");
  EXPECT_THAT(the(findings_of(check_start_up, inventory), "fabric_manager_down").title,
              HasSubstr("is not installed"));
  set(inventory, "topology.nvswitch", "no");
  set_all(inventory, {{"fabric_manager.state", "installed"}, {"fabric_manager.version", "580.65.06"}});
  const Finding stopped = the(findings_of(check_start_up, inventory), "fabric_manager_down");
  EXPECT_THAT(stopped.title, HasSubstr("is not running"));
  EXPECT_THAT(stopped.next.back(), HasSubstr("ask that one's administrator"));
}

TEST(FabricRules, AGuestWithoutSignsOfTheManagerIsToldOfBothPlaces) {
  Inventory inventory = not_ready();
  set_all(inventory, {{"host.virtualization", "kvm"}, {"topology.nvswitch", "no"}});
  inventory.absent("fabric_manager.state", "/proc");
  inventory.absent("fabric_manager.version", "dpkg");
  const Finding finding = the(findings_of(check_start_up, inventory), "fabric_manager_down");
  EXPECT_THAT(finding.title, HasSubstr("cannot be seen from here"));
  EXPECT_THAT(finding.explanation, HasSubstr("in this virtual machine, if the NVSwitches were passed through "
                                             "to it, or else on its host"));
  EXPECT_THAT(finding.next.front(), HasSubstr("See its state: systemctl status nvidia-fabricmanager"));
  EXPECT_THAT(finding.next, Contains(HasSubstr("install it in the driver's version; else ask the host's")));
}

TEST(FabricRules, AStoppedManagerInAGuestThatWorksIsLeftAlone) {
  Inventory inventory = h100_server();
  set_all(inventory, {{"host.virtualization", "kvm"},
                      {"topology.nvswitch", "no"},
                      {"fabric_manager.state", "installed"},
                      {"fabric_manager.version", "575.57.08"}});
  EXPECT_THAT(said(findings_of(check_driver, inventory)), IsEmpty()) << "its host's manager has the switches";
  set(inventory, "fabric_manager.state", "running");
  EXPECT_THAT(said(findings_of(check_driver, inventory)),
              ElementsAre("warning fabric_manager_version_mismatch"));
}

Inventory b200_server() {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 8, "NVIDIA B200", "10.0", "1000");
  for (int i = 0; i < 8; ++i) set_gpu(inventory, i, {{"fabric_state", "completed"}});
  set_all(inventory, {{"topology.nvswitch", "no"},
                      {"fabric_manager.state", "running"},
                      {"fabric_manager.version", "580.65.06-1"}});
  return inventory;
}

TEST(FabricRules, SwitchesOfNvlink5AreNoPciFunctionOfNvidia) {
  Inventory inventory = b200_server();
  EXPECT_THAT(said(findings_of(check_driver, inventory)), IsEmpty());
  set(inventory, "fabric_manager.version", "580.95.05");
  EXPECT_THAT(said(findings_of(check_driver, inventory)),
              ElementsAre("warning fabric_manager_version_mismatch"))
      << "before the next boot, while CUDA still works";
  for (int i = 0; i < 8; ++i) set_gpu(inventory, i, {{"fabric_state", "not_supported"}});
  EXPECT_THAT(said(findings_of(check_driver, inventory)), IsEmpty());
}

TEST(FabricRules, WithNvlink5TheSubnetManagerBelongsToIt) {
  Inventory inventory = b200_server();
  set_all(inventory, {{"cuda.init.code", "802"}, {"fabric_manager.state", "installed"}});
  for (int i = 0; i < 8; ++i) set_gpu(inventory, i, {{"fabric_state", "in_progress"}});
  const Finding stopped = the(findings_of(check_start_up, inventory), "fabric_manager_down");
  EXPECT_THAT(stopped.explanation, HasSubstr("nvlsm"));
  EXPECT_THAT(stopped.next.front(), testing::AllOf(HasSubstr("nvlsm"), HasSubstr("modprobe ib_umad")));
  set(inventory, "fabric_manager.state", "running");
  EXPECT_THAT(the(findings_of(check_start_up, inventory), "fabric_not_ready").next,
              Contains(HasSubstr("modprobe ib_umad")));
  Inventory hopper = not_ready();
  set(hopper, "fabric_manager.state", "installed");
  for (const std::string& step : the(findings_of(check_start_up, hopper), "fabric_manager_down").next)
    EXPECT_THAT(step, Not(HasSubstr("nvlsm")));
}

TEST(FabricRules, WhatWasNotSeenIsNotSaidToRun) {
  const auto considered = [](Inventory inventory) {
    set(inventory, "kernel_log.hmm_failure", "yes");
    return the(findings_of(check_start_up, inventory), "kernel_kaslr_hmm").considered.at(0);
  };
  Inventory inventory = not_ready();
  EXPECT_EQ(considered(inventory), "fabric_manager_down: it runs, in the driver's version");
  inventory.absent("fabric_manager.version", "dpkg");
  EXPECT_EQ(considered(inventory), "fabric_manager_down: it runs");
  set(inventory, "container.kind", "docker");
  inventory.unreadable("fabric_manager.state", "/proc", "a look from the host");
  EXPECT_EQ(considered(inventory), "fabric_manager_down: not excluded, since it is not visible from here");
}

}  // namespace
}  // namespace gpugauge::stack
