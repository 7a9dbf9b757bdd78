// The driver's libraries: where they lie when the loader does not find them, and how the module is reloaded.
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> explained(const Inventory& inventory) {
  return said(findings_of(check_start_up, inventory));
}

TEST(StartUpLibrary, TheModuleIsReloadedWithAllThatHoldsIt) {
  Inventory inventory = h100_server();
  set_all(inventory, {{"cuda.init.code", "803"}, {"driver.gdrcopy", "loaded"}});
  const Finding server = the(findings_of(check_start_up, inventory), "umd_kmd_mismatch");
  EXPECT_THAT(server.next,
              Contains(HasSubstr("systemctl stop nvidia-dcgm nvidia-persistenced nvidia-fabricmanager, "
                                 "those that are there")));
  EXPECT_THAT(server.next, Contains(HasSubstr(
                               "sudo modprobe -r gdrdrv nvidia_peermem nvidia_drm nvidia_modeset nvidia_uvm "
                               "nvidia && sudo modprobe -a nvidia nvidia_uvm gdrdrv nvidia_peermem, and")));
  for (const char* const key :
       {"driver.gdrcopy", "driver.peermem", "driver.persistenced", "fabric_manager.state"})
    inventory.absent(key, "");
  const Finding plain = the(findings_of(check_start_up, inventory), "umd_kmd_mismatch");
  EXPECT_THAT(plain.next, Contains(HasSubstr("systemctl stop nvidia-dcgm, those")));
  EXPECT_THAT(plain.next,
              Contains(HasSubstr("sudo modprobe -r nvidia_drm nvidia_modeset nvidia_uvm nvidia && "
                                 "sudo modprobe -a nvidia nvidia_uvm, and")));
}

/// The module is loaded, and the loader finds no libcuda.
Inventory without_library(const std::string& copy) {
  Inventory inventory = linux_with_driver();
  for (const char* const key :
       {"driver.libcuda_path", "driver.libcuda_version", "driver.libcuda_kind", "driver.libnvml_path",
        "driver.libnvml_version", "cuda.init.code", "nvml.init.code", "driver.device_nodes"})
    inventory.absent(key, "loader search");
  if (copy.empty()) return inventory;
  set_all(inventory, {{"driver.libcuda.0.path", copy}, {"driver.libcuda.0.kind", "driver"}});
  return inventory;
}

TEST(StartUpLibrary, ADriverThatLivesInAContainerIsNotMissingOnTheHost) {
  const std::string operators = "/run/nvidia/driver/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06";
  Inventory inventory = without_library(operators);
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note driver_library_missing"))
      << "its device nodes may be in the container, too";
  EXPECT_THAT(findings[0].explanation, HasSubstr("/run/nvidia/driver/usr/lib/x86_64-linux-gnu"));
  EXPECT_THAT(findings[0].next.front(), HasSubstr("run gpugauge doctor there"));
  set(inventory, "driver.device_nodes", "/dev/nvidiactl /dev/nvidia0");
  EXPECT_THAT(explained(inventory), ElementsAre("note driver_library_missing"));
  set(inventory, "container.kind", "kubernetes");
  EXPECT_THAT(explained(inventory), ElementsAre("failure container_without_driver"));
  Inventory google = without_library(
      "/home"
      "/kubernetes/bin/nvidia/lib64/libcuda.so.580.65.06");
  EXPECT_THAT(explained(google), ElementsAre("note driver_library_missing"));
  set(google, "kernel_log.nvrm.0", "2026-11-20T10:11:12 NVRM: GPU 0000:3a:00.0: RmInitAdapter failed!");
  EXPECT_THAT(explained(google), ElementsAre("failure gpu_start_failed"));
}

TEST(StartUpLibrary, AVgpuHostNeedsNoLibcuda) {
  Inventory inventory = without_library("");
  add_gpus(inventory, 2, "NVIDIA L40S", "8.9", "350");
  inventory.absent("cuda.devices", "");
  set_all(inventory, {{"nvml.init.code", "0"}, {"vgpu.host", "yes"}});
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note driver_library_missing"));
  EXPECT_THAT(findings[0].next.front(), HasSubstr("virtual machine that has a vGPU"));
  set(inventory, "vgpu.host", "no");
  EXPECT_THAT(explained(inventory), ElementsAre("failure driver_library_missing"));
}

TEST(StartUpLibrary, OnNixosOnlyTheLibraryLiesElsewhere) {
  Inventory inventory = without_library("/nix/store/5p-nvidia-x11-580.65.06/lib/libcuda.so.580.65.06");
  EXPECT_THAT(explained(inventory), ElementsAre("failure device_nodes_missing"));
  set(inventory, "driver.device_nodes", "/dev/nvidiactl /dev/nvidia0");
  EXPECT_THAT(explained(inventory), ElementsAre("note driver_library_missing"));
}

TEST(StartUpLibrary, ACopyThatTheLoaderDoesNotKnowIsNamedFirst) {
  Inventory inventory = without_library("/opt/nvidia/lib/libcuda.so.580.65.06");
  set(inventory, "driver.device_nodes", "/dev/nvidiactl /dev/nvidia0");
  const Findings findings = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure driver_library_missing"));
  EXPECT_THAT(findings[0].next.front(), HasSubstr("/opt/nvidia/lib/libcuda.so.580.65.06"));
  set(inventory, "driver.libcuda.0.kind", "compat");
  EXPECT_THAT(the(findings_of(check_start_up, inventory), "driver_library_missing").next.front(),
              HasSubstr("Install the library's package"));
}

TEST(StartUpLibrary, OnAJetsonNvmlIsNotMissing) {
  Inventory inventory = h200_machine();
  inventory.absent("driver.libnvml_path", "loader search");
  inventory.absent("nvml.init.code", "");
  ASSERT_THAT(explained(inventory), ElementsAre("warning driver_library_missing"));
  set(inventory, "driver.libcuda_path", "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1");
  EXPECT_THAT(explained(inventory), IsEmpty());
  set(inventory, "driver.libcuda_path", "/usr/lib/aarch64-linux-gnu/libcuda.so.1.1");
  for (const std::string& gpu : inventory.children("gpu"))
    set(inventory, "gpu." + gpu + ".compute_capability", "8.7");
  set(inventory, "gpu.0.compute_capability", "8.7");
  EXPECT_THAT(explained(inventory), IsEmpty());
}

}  // namespace
}  // namespace gpugauge::stack
