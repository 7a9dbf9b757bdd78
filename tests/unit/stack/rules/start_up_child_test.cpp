// The process that asks the driver: it hung, crashed, was killed or could not be started.
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> said_of_child(const Inventory& inventory) {
  return said(findings_of(check_start_up, inventory));
}

TEST(StartUpChild, AChildThatHangsCrashesOrSaysNothing) {
  Inventory inventory = h100_server();
  for (const char* const key : {"cuda.init.code", "nvml.init.code", "cuda.devices"})
    inventory.absent(key, "");
  set(inventory, "kernel_log.xid.0", "2026-11-20T10:11:12 0000:01:00.0 119 Timeout waiting for RPC from GSP");
  set(inventory, "driver_child.outcome", "timed out");
  const Findings hung = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(hung), ElementsAre("failure driver_hangs"));
  EXPECT_THAT(hung[0].evidence, Contains(HasSubstr("Timeout waiting for RPC from GSP")));
  EXPECT_THAT(hung[0].next, Contains(HasSubstr("drain the node and reset that GPU alone: sudo nvidia-smi "
                                               "--gpu-reset -i 0000:01:00.0")));
  EXPECT_THAT(hung[0].next, Contains(HasSubstr("fabric manager must run")));
  EXPECT_THAT(hung[0].next.back(), HasSubstr("reboot the node"));
  set(inventory, "kernel_log.xid.1", "2026-11-20T10:11:12 0000:02:00.0 119 Timeout waiting for RPC from GSP");
  set(inventory, "topology.nvswitch", "no");
  const Finding two = the(findings_of(check_start_up, inventory), "driver_hangs");
  EXPECT_THAT(two.next, Contains(HasSubstr("--gpu-reset -i <its place>")))
      << "which of them hangs is not known";
  EXPECT_THAT(two.next, Not(Contains(HasSubstr("fabric manager"))));
  set(inventory, "vgpu.guest", "yes");
  EXPECT_THAT(the(findings_of(check_start_up, inventory), "driver_hangs").next,
              Not(Contains(HasSubstr("--gpu-reset"))));
  set(inventory, "driver_child.outcome", "crashed");
  EXPECT_THAT(said_of_child(inventory), ElementsAre("failure driver_crashes"));
  set(inventory, "driver_child.outcome", "no answer");
  EXPECT_THAT(said_of_child(inventory), ElementsAre("failure driver_gives_no_answer"));
}

/// The child answered for NVML's GPUs and then gave no answer of CUDA.
Inventory child_ended(const std::string& outcome, const std::string& how) {
  Inventory inventory = h100_server();
  for (const char* const key : {"cuda.init.code", "cuda.devices"}) inventory.absent(key, "");
  inventory.present("driver_child.outcome", outcome, "/usr/bin/gpugauge", how);
  return inventory;
}

TEST(StartUpChild, GpusThatAnsweredAndAreNotKeptStartedAreSlowAndDoNotHang) {
  Inventory inventory = child_ended("timed out", "after 55 s; the last answer was gpu.7.pcie_sampled");
  EXPECT_THAT(said_of_child(inventory), ElementsAre("failure driver_hangs")) << "persistence mode is on";
  for (const std::string& gpu : inventory.children("gpu"))
    set(inventory, "gpu." + gpu + ".persistence", "off");
  set(inventory, "nvml.devices", std::to_string(inventory.children("gpu").size()));
  const Findings slow = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(slow), ElementsAre("failure driver_starts_slowly"));
  EXPECT_THAT(slow[0].next.front(), HasSubstr("nvidia-smi -pm 1"));
  EXPECT_THAT(slow[0].evidence, Contains(HasSubstr("after 55 s")));
  set(inventory, "nvml.devices", "64");
  const Findings partly = findings_of(check_start_up, inventory);
  EXPECT_THAT(said(partly), ElementsAre("failure driver_hangs")) << "one GPU gave no answer at all";
  EXPECT_THAT(partly[0].next.front(), HasSubstr("nvidia-smi -pm 1"));
  set(inventory, "nvml.devices", "1");
  set(inventory, "kernel_log.xid.0", "2026-11-20T10:11:12 0000:01:00.0 119 Timeout waiting for RPC from GSP");
  EXPECT_THAT(said_of_child(inventory), ElementsAre("failure driver_hangs")) << "a GPU is blamed";
}

TEST(StartUpChild, AProcessThatWasKilledOrNeverStartedSaysNothingOfTheDriver) {
  const auto finding = [](const std::string& outcome, const std::string& how) {
    return findings_of(check_start_up, child_ended(outcome, how)).at(0);
  };
  const Finding killed = finding("crashed", "signal 9; the last answer was gpu.0.uuid");
  EXPECT_EQ(killed.cause, "driver_gives_no_answer");
  EXPECT_THAT(killed.next, Contains(HasSubstr("memory")));
  EXPECT_THAT(killed.next, Not(Contains(HasSubstr("Reinstall"))));
  const Finding unstarted = finding("no answer", "not started: Resource temporarily unavailable");
  EXPECT_EQ(unstarted.cause, "driver_gives_no_answer");
  EXPECT_THAT(unstarted.next, Contains(HasSubstr("ulimit -u")));
  EXPECT_THAT(unstarted.next, Not(Contains(HasSubstr("Reinstall"))));
  EXPECT_THAT(unstarted.evidence, Contains(HasSubstr("Resource temporarily unavailable")));
  EXPECT_EQ(finding("crashed", "signal 11; nothing was answered").cause, "driver_crashes");
  EXPECT_THAT(finding("no answer", "exit code 1; nothing was answered").next,
              Contains(HasSubstr("Reinstall")));
}

}  // namespace
}  // namespace gpugauge::stack
