// Start-up: what is blamed where CUDA shows no GPU, and which GPU is to be reset where the driver hangs.
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A job to which its scheduler gave the first GPU, and no GPU answers.
Inventory job_without_gpus() {
  Inventory inventory = linux_with_driver();
  set_all(inventory, {{"cuda.init.code", "100"},
                      {"cuda.init.name", "CUDA_ERROR_NO_DEVICE"},
                      {"cuda.devices", "0"},
                      {"nvml.devices", "0"},
                      {"env.CUDA_VISIBLE_DEVICES", "0"},
                      {"driver.device_nodes", "/dev/nvidiactl /dev/nvidia0"}});
  return inventory;
}

TEST(NoDevice, ADeadGpuIsNotHiddenByTheVariableThatNamesIt) {
  Inventory inventory = job_without_gpus();
  EXPECT_THAT(the(findings_of(check_start_up, inventory), "no_visible_device").explanation,
              HasSubstr("a GPU that did not start"));
  set(inventory, "kernel_log.nvrm.0", "2026-11-20T10:11:12 NVRM: GPU 0000:3a:00.0: RmInitAdapter failed!");
  EXPECT_THAT(said(findings_of(check_start_up, inventory)), Contains("failure gpu_start_failed"));
  set(inventory, "env.CUDA_VISIBLE_DEVICES", "-1");
  EXPECT_THAT(the(findings_of(check_start_up, inventory), "no_visible_device").explanation,
              HasSubstr("CUDA_VISIBLE_DEVICES is \"-1\""))
      << "hides all, whatever there is";
}

TEST(NoDevice, AContainerThatWasGivenNoneIsNotHiddenByTheVariable) {
  Inventory inventory = job_without_gpus();
  set_all(inventory,
          {{"container.kind", "docker"}, {"container.visible_devices", "void"}, {"nvml.devices", "0"}});
  inventory.unreadable("driver.device_nodes", "/dev", "root");
  EXPECT_THAT(the(findings_of(check_start_up, inventory), "no_visible_device").explanation,
              HasSubstr("NVIDIA_VISIBLE_DEVICES is \"void\""));
}

TEST(NoDevice, VoidIsNotTheCauseWhereGpusAreSeen) {
  Inventory inventory = job_without_gpus();
  set_all(inventory, {{"container.kind", "docker"},
                      {"container.visible_devices", "void"},
                      {"driver.device_nodes", "/dev/nvidiactl /dev/nvidia0"}});
  const auto why = [&] {
    return the(findings_of(check_start_up, inventory), "no_visible_device").explanation;
  };
  EXPECT_THAT(why(), testing::Not(HasSubstr("void"))) << "CDI sets it in every container";
  set_all(inventory, {{"driver.device_nodes", "/dev/nvidiactl"}, {"nvml.devices", "1"}});
  EXPECT_THAT(why(), testing::Not(HasSubstr("void")));
}

TEST(DriverHangs, OnlyAnErrorOfTheMachineNamesTheGpuToReset) {
  const auto steps = [](const std::vector<std::string>& lines, const char* root = "/") {
    Inventory inventory = h100_server();
    for (const char* const key : {"cuda.init.code", "nvml.init.code", "cuda.devices"})
      inventory.absent(key, "");
    set_all(inventory, {{"driver_child.outcome", "timed out"}, {"collected.root", root}});
    for (std::size_t i = 0; i < lines.size(); ++i)
      set(inventory, "kernel_log.xid." + std::to_string(i), "2026-11-20T10:11:12 " + lines[i]);
    return the(findings_of(check_start_up, inventory), "driver_hangs").next;
  };
  const std::string program = "0000:02:00.0 31 MMU Fault";
  const std::string firmware = "0000:01:00.0 119 Timeout waiting for RPC from GSP";
  const std::string unknown = "0000:01:00.0 9999 new";
  const auto names_the_first = Contains(HasSubstr("--gpu-reset -i 0000:01:00.0,"));
  EXPECT_THAT(steps({program}), Contains(HasSubstr("--gpu-reset -i <its place>,")));
  EXPECT_THAT(steps({program, firmware}), names_the_first);
  EXPECT_THAT(steps({program, unknown}), names_the_first);
  EXPECT_THAT(steps({firmware}, "/mnt/image"), Not(names_the_first)) << "another machine's log";
}

}  // namespace
}  // namespace gpugauge::stack
