// What is wrong with a GPU itself, and what the kernel log says of it.
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> gpus_health(const Inventory& inventory) {
  return said(findings_of(check_gpus, inventory));
}

Inventory with_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  Inventory inventory = h100_server();
  set_gpu(inventory, 4, facts);
  return inventory;
}

Inventory with_xids(const std::vector<std::string>& lines) {
  Inventory inventory = h100_server();
  for (std::size_t i = 0; i < lines.size(); ++i)
    set(inventory, "kernel_log.xid." + std::to_string(i), lines[i], "/dev/kmsg");
  set(inventory, "kernel_log.xid_count", std::to_string(lines.size()));
  return inventory;
}

TEST(HealthRules, ALostGpu) {
  const Findings findings = findings_of(check_gpus, with_facts({{"lost", "yes"}}));
  EXPECT_THAT(said(findings), ElementsAre("failure gpu_lost"));
  EXPECT_EQ(findings[0].title, "GPU 4 (0000:4a:00.0) has fallen off the bus");
}

TEST(HealthRules, RowsPagesAndErrors) {
  EXPECT_THAT(gpus_health(with_facts({{"remap_pending", "yes"}})), ElementsAre("warning row_remap_pending"));
  EXPECT_THAT(gpus_health(with_facts({{"remap_failed", "yes"}})), ElementsAre("failure hbm_row_remap"));
  EXPECT_THAT(gpus_health(with_facts({{"remapped_uncorrectable", "2"}})), ElementsAre("note hbm_row_remap"));
  EXPECT_THAT(gpus_health(with_facts({{"remapped_correctable", "5"}})), ElementsAre());
  EXPECT_THAT(gpus_health(with_facts({{"retired_pages_pending", "yes"}})),
              ElementsAre("warning retired_pages_pending"));
  EXPECT_THAT(gpus_health(with_facts({{"ecc_uncorrected_volatile", "1"}})),
              ElementsAre("warning ecc_uncorrected_errors"));
  const Findings findings = findings_of(check_gpus, with_facts({{"remap_pending", "yes"}}));
  EXPECT_THAT(
      findings[0].evidence,
      ElementsAre("GPU 4 (0000:4a:00.0): remapped_correctable 0, remapped_uncorrectable 0, remap_pending "
                  "yes, remap_failed no"));
}

TEST(HealthRules, SlowdownsWhileIdle) {
  EXPECT_THAT(gpus_health(with_facts({{"throttle_reasons", "hw_slowdown,hw_power_brake_slowdown"}})),
              ElementsAre("warning hw_power_brake"));
  EXPECT_THAT(gpus_health(with_facts({{"throttle_reasons", "hw_thermal_slowdown"}})),
              ElementsAre("warning thermal_throttle"));
  EXPECT_THAT(gpus_health(with_facts({{"throttle_reasons", "sw_power_cap,sync_boost"}})), ElementsAre());
  const Findings idle = findings_of(check_gpus, with_facts({{"throttle_reasons", "idle,sw_thermal"}}));
  EXPECT_THAT(said(idle), ElementsAre("warning thermal_throttle"));
  EXPECT_EQ(idle[0].title, "Heat or a hardware slowdown holds down GPU 4 while idle");
}

TEST(HealthRules, NothingIsSaidToBeIdleThatMayWork) {
  const Findings busy =
      findings_of(check_gpus, with_facts({{"throttle_reasons", "sw_thermal"}, {"processes", "3"}}));
  const Finding warm = the(busy, "thermal_throttle");
  EXPECT_EQ(warm.severity, Severity::note) << "ordinary under load";
  EXPECT_EQ(warm.title, "The driver holds down GPU 4 for heat now (3 processes on it)");
  EXPECT_THAT(warm.evidence, ElementsAre("GPU 4 (0000:4a:00.0): throttle_reasons sw_thermal, temperature_c "
                                         "absent, processes 3"));
  EXPECT_EQ(the(findings_of(check_gpus, with_facts({{"throttle_reasons", "sw_thermal"}})), "thermal_throttle")
                .title,
            "The driver holds down GPU 4 for heat now")
      << "no process is listed, and the driver does not say that it rests: another container's may run";
  EXPECT_EQ(the(findings_of(check_gpus, with_facts({{"throttle_reasons", "hw_thermal"}, {"processes", "1"}})),
                "thermal_throttle")
                .title,
            "Heat or a hardware slowdown holds down GPU 4 now (1 process on it)");
  const Finding brake =
      the(findings_of(check_gpus, with_facts({{"throttle_reasons", "hw_power_brake"}, {"processes", "2"}})),
          "hw_power_brake");
  EXPECT_EQ(brake.title, "The power brake holds down GPU 4 now (2 processes on it)");
}

TEST(HealthRules, AResetNamesTheGpuAndTheDrain) {
  Inventory inventory = with_facts({{"ecc_uncorrected_volatile", "1"}});
  const std::string one =
      "Drain the node, then reset the GPU: sudo nvidia-smi --gpu-reset -i 0000:4a:00.0 (refused while a "
      "program uses it); else reboot";
  EXPECT_THAT(the(findings_of(check_gpus, inventory), "ecc_uncorrected_errors").next, Contains(one));
  set(inventory, "kernel_log.xid.0", "2026-11-20T10:11:12 0000:4a:00.0 119 Timeout waiting for RPC from GSP");
  EXPECT_THAT(the(findings_of(check_gpus, inventory), "gsp_firmware").next, Contains(one));
  set_gpu(inventory, 6, {{"ecc_uncorrected_volatile", "2"}});
  EXPECT_THAT(
      the(findings_of(check_gpus, inventory), "ecc_uncorrected_errors").next,
      Contains(HasSubstr("reset the GPUs: sudo nvidia-smi --gpu-reset -i 0000:4a:00.0,0000:6a:00.0 ")));
  set_gpu(inventory, 6, {{"pci", ""}});
  EXPECT_THAT(the(findings_of(check_gpus, inventory), "ecc_uncorrected_errors").next,
              Contains(HasSubstr("-i 0000:4a:00.0,6 ")))
      << "nothing else names it";
  set(inventory, "vgpu.guest", "yes");
  for (const char* const cause : {"ecc_uncorrected_errors", "gsp_firmware"})
    EXPECT_THAT(the(findings_of(check_gpus, inventory), cause).next,
                AllOf(Contains("The GPU is the host's to reset: ask its administrator"),
                      Not(Contains(HasSubstr("--gpu-reset")))));
}

TEST(HealthRules, XidsByTheirNumber) {
  EXPECT_THAT(gpus_health(with_xids({"2026-11-20T10:11:12 0000:1a:00.0 79 GPU has fallen off the bus"})),
              ElementsAre("warning gpu_lost"));
  EXPECT_THAT(gpus_health(with_xids({"2026-11-20T10:11:12 0000:1a:00.0 64 Row Remapper: failed"})),
              ElementsAre("warning hbm_row_remap"));
  EXPECT_THAT(
      gpus_health(with_xids({"2026-11-20T10:11:12 0000:1a:00.0 119 Timeout waiting for RPC from GSP"})),
      ElementsAre("warning gsp_firmware"));
  EXPECT_THAT(gpus_health(with_xids({"2026-11-20T10:11:12 0000:1a:00.0 74 NVLink error"})),
              ElementsAre("warning xid_seen"));
  EXPECT_THAT(gpus_health(with_xids({"2026-11-20T10:11:12 0000:1a:00.0 31 MMU Fault"})),
              ElementsAre("note xid_seen"))
      << "a program's own fault says nothing against the machine";
}

TEST(HealthRules, ANumberThatNobodyKnowsIsNotTheProgramsFault) {
  const std::string program = "2026-11-20T10:11:12 0000:1a:00.0 31 MMU Fault";
  const std::string unknown = "2026-11-20T10:11:12 0000:1a:00.0 9999 new";
  for (const std::vector<std::string>& lines :
       {std::vector<std::string>{unknown}, std::vector<std::string>{program, unknown}}) {
    const Findings findings = findings_of(check_gpus, with_xids(lines));
    EXPECT_THAT(said(findings), ElementsAre("warning xid_seen"));
    EXPECT_EQ(findings[0].title,
              "The kernel log holds errors of a GPU (Xid) that are not in this build's table");
    EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("Xid 9999 (not in this build's table)")));
    EXPECT_THAT(findings[0].next,
                ElementsAre("Look up each number that is not in this build's table before clearing the node: "
                            "NVIDIA's Xid catalog"));
  }
  const Findings both =
      findings_of(check_gpus, with_xids({unknown, "2026-11-20T10:11:12 0000:1a:00.0 48 DBE"}));
  EXPECT_EQ(both[0].title, "The kernel log holds errors of a GPU (Xid)");
  ASSERT_EQ(both[0].next.size(), 3u) << "the unknown one is still to be looked up";
  EXPECT_THAT(both[0].next[0], HasSubstr("--gpu-reset"));
}

TEST(HealthRules, AnErrorThatNeedsAResetSaysHow) {
  for (const auto& [number, reset] : {std::pair(95, true), std::pair(140, true), std::pair(74, false)}) {
    const Findings findings = findings_of(
        check_gpus, with_xids({"2026-11-20T10:11:12 0000:1a:00.0 " + std::to_string(number) + " text"}));
    ASSERT_EQ(findings[0].next.size(), reset ? 2u : 1u) << number;
    if (reset) {
      EXPECT_THAT(findings[0].next[0], HasSubstr("sudo nvidia-smi --gpu-reset")) << number;
    }
    EXPECT_THAT(findings[0].next.back(), HasSubstr("docs.nvidia.com/deploy/xid-errors")) << number;
  }
}

TEST(HealthRules, TheTableHasWhatNewerGpusWrite) {
  for (const int number : {46, 121, 143, 144, 145, 146, 147, 148, 149, 150, 155, 156, 157, 158, 171, 172}) {
    const Findings findings = findings_of(
        check_gpus, with_xids({"2026-11-20T10:11:12 0000:1a:00.0 " + std::to_string(number) + " text"}));
    EXPECT_THAT(said(findings), ElementsAre("warning xid_seen")) << number;
    EXPECT_THAT(findings[0].evidence, ElementsAre(Not(HasSubstr("not in this build's table")))) << number;
  }
  EXPECT_THAT(gpus_health(with_xids({"2026-11-20T10:11:12 0000:1a:00.0 137 Fault"})),
              ElementsAre("note xid_seen"))
      << "NVIDIA's catalog: typically a bug of the application";
}

TEST(HealthRules, WhatTheDriverAsksForIsReadFromTheLine) {
  const std::string reset =
      "2026-11-20T10:11:12 0000:1a:00.0 154 GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset "
      "Required)";
  const std::string none =
      "2026-11-20T11:11:12 0000:1a:00.0 154 GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 "
      "(None)";
  const Findings asked = findings_of(check_gpus, with_xids({reset}));
  EXPECT_THAT(said(asked), ElementsAre("warning xid_seen"));
  EXPECT_THAT(asked[0].evidence,
              ElementsAre(HasSubstr("Xid 154 (what the driver asks for to recover: GPU Reset Required)")));
  const Findings settled = findings_of(check_gpus, with_xids({none, reset}));
  EXPECT_THAT(said(settled), ElementsAre("note xid_seen"));
  EXPECT_EQ(settled[0].title, "The driver asked to recover a GPU and no longer does (Xid 154)");
  EXPECT_THAT(settled[0].evidence, ElementsAre(HasSubstr("what the driver asks for to recover: None")));
  std::string elsewhere = none;
  elsewhere.replace(elsewhere.find("1a:"), 3, "2a:");
  const Findings two = findings_of(check_gpus, with_xids({elsewhere, reset}));
  EXPECT_THAT(said(two), ElementsAre("warning xid_seen")) << "another GPU";
  EXPECT_THAT(
      two[0].evidence,
      ElementsAre(HasSubstr("recover: GPU Reset Required), 1 time on 0000:1a:00.0, last 2026-11-20T10:11:12"),
                  HasSubstr("recover: None), 1 time on 0000:2a:00.0, last 2026-11-20T11:11:12")));
  EXPECT_THAT(gpus_health(with_xids({reset, none})), ElementsAre("warning xid_seen")) << "asked for again";
  EXPECT_THAT(gpus_health(with_xids({none, reset, "2026-11-20T10:11:11 0000:1a:00.0 31 MMU Fault"})),
              ElementsAre("note xid_seen"));
  EXPECT_THAT(
      gpus_health(with_xids({"2026-11-20T10:11:12 0000:1a:00.0 154 GPU recovery action to 0x (None"})),
      ElementsAre("warning xid_seen"))
      << "not understood";
}

TEST(HealthRules, AFailedReplacementIsHeldAgainstTheGpusRecord) {
  const std::string line = "2026-11-20T10:11:12 0000:4a:00.0 64 Row Remapper: failed";
  const auto with_record = [&](const char* failed) {
    Inventory inventory = with_xids({line});
    set_gpu(inventory, 4, {{"remap_failed", failed}});
    return the(findings_of(check_gpus, inventory), "hbm_row_remap");
  };
  EXPECT_THAT(with_record("no").explanation, HasSubstr("does not make it due for replacement"));
  EXPECT_THAT(with_record("no").evidence, Contains("GPU 4 (0000:4a:00.0): remap_failed no"));
  EXPECT_THAT(with_record("").explanation, HasSubstr("is told by its own record"));
  Inventory failed = with_xids({line});
  set_gpu(failed, 4, {{"remap_failed", "yes"}});
  EXPECT_THAT(gpus_health(failed), ElementsAre("failure hbm_row_remap", "warning hbm_row_remap"));
  EXPECT_THAT(findings_of(check_gpus, failed)[1].explanation, HasSubstr("due for replacement"));
}

Inventory with_sxids(const std::vector<std::string>& lines) {
  Inventory inventory = h100_server();
  for (std::size_t i = 0; i < lines.size(); ++i)
    set(inventory, "kernel_log.sxid." + std::to_string(i), lines[i], "/dev/kmsg");
  set(inventory, "kernel_log.sxid_count", std::to_string(lines.size()));
  return inventory;
}

TEST(SwitchRules, AnErrorIsAsGraveAsItsLineSays) {
  const std::string fatal = "2026-11-20T10:11:12 0000:c1:00.0 20034 Fatal, Link 30 LTSSM Fault Up";
  const std::string other = "2026-11-20T11:11:12 0000:c2:00.0 20009 Non-fatal, Link 28 RX Short Error Rate";
  const std::string corrected = "2026-11-20T12:11:12 0000:c2:00.0 11012 Correctable, Link 28 ECC";
  Inventory broken = with_sxids({other, fatal});
  set(broken, "cuda.init.code", "802");
  EXPECT_THAT(gpus_health(broken), ElementsAre("failure nvswitch_error"));
  EXPECT_THAT(gpus_health(with_sxids({other, corrected})), ElementsAre("warning nvswitch_error"));
  EXPECT_THAT(gpus_health(with_sxids({corrected})), ElementsAre("note nvswitch_error"));
  EXPECT_THAT(gpus_health(with_sxids({})), ElementsAre());
  Inventory inventory = with_sxids({other, fatal, fatal});
  set(inventory, "kernel_log.sxid_count", "300");
  EXPECT_THAT(
      the(findings_of(check_gpus, inventory), "nvswitch_error").evidence,
      ElementsAre("SXid 20034, 2 times on 0000:c1:00.0, last 2026-11-20T10:11:12: Fatal, Link 30 LTSSM "
                  "Fault Up",
                  "SXid 20009, 1 time on 0000:c2:00.0, last 2026-11-20T11:11:12: Non-fatal, Link 28 RX "
                  "Short Error Rate",
                  "300 lines in all, 3 looked at"));
  set(inventory, "collected.root", "/mnt/image");
  EXPECT_THAT(gpus_health(inventory), ElementsAre()) << "another machine's log";
}

TEST(SwitchRules, AFatalErrorIsAWarningWhereTheFabricWorksAgain) {
  Inventory inventory = with_sxids({"2026-11-20T10:11:12 0000:c1:00.0 20034 Fatal, Link 30 LTSSM Fault Up"});
  const Findings reset = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(reset), ElementsAre("warning nvswitch_error"));
  EXPECT_THAT(reset[0].explanation, HasSubstr("it may have been reset since"));
  EXPECT_THAT(reset[0].next.front(), HasSubstr("If the node has not been reset since"));
  set_gpu(inventory, 3, {{"fabric_state", "in_progress"}});
  EXPECT_THAT(gpus_health(inventory), ElementsAre("failure nvswitch_error"));
  set_gpu(inventory, 3, {{"fabric_state", "completed"}});
  inventory.absent("cuda.init.code", "");
  const Findings unseen = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(unseen), ElementsAre("failure nvswitch_error")) << "CUDA was not asked";
  EXPECT_THAT(unseen[0].considered.front(), HasSubstr("A reset since then"));
}

TEST(HealthRules, XidsOfOneNumberAreOneLine) {
  const Findings findings = findings_of(
      check_gpus,
      with_xids({"2026-11-20T12:00:00 0000:2a:00.0 48 DBE", "2026-11-20T11:00:00 0000:1a:00.0 48 DBE",
                 "2026-11-20T10:00:00 0000:1a:00.0 13 Graphics Exception"}));
  EXPECT_THAT(said(findings), ElementsAre("warning xid_seen"));
  EXPECT_THAT(
      findings[0].evidence,
      ElementsAre("Xid 13 (a kernel or graphics command failed, most often a program's fault), 1 time on "
                  "0000:1a:00.0, last 2026-11-20T10:00:00: Graphics Exception",
                  "Xid 48 (an uncorrectable memory error), 2 times on 0000:2a:00.0, 0000:1a:00.0, last "
                  "2026-11-20T12:00:00: DBE"));
}

TEST(HealthRules, MoreLinesThanWereKeptAreCounted) {
  Inventory inventory = with_xids({"2026-11-20T12:00:00 0000:2a:00.0 48 DBE"});
  set(inventory, "kernel_log.xid_count", "500");
  EXPECT_THAT(the(findings_of(check_gpus, inventory), "xid_seen").evidence,
              Contains("500 lines in all, 1 looked at"));
}

TEST(HealthRules, ALogBelowAnotherRootIsANoteThatNamesIt) {
  Inventory inventory = with_xids({"2026-11-20T12:00:00 0000:2a:00.0 79 GPU has fallen off the bus"});
  set(inventory, "kernel_log.xid.0", "2026-11-20T12:00:00 0000:2a:00.0 79 off the bus", "/var/log/kern.log");
  set(inventory, "collected.root", "/mnt/image");
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note xid_seen"));
  EXPECT_THAT(findings[0].evidence, Contains("log: /var/log/kern.log below /mnt/image"));
}

TEST(HealthRules, ALineThatIsNoXidIsLeftOut) {
  EXPECT_THAT(gpus_health(with_xids({"", "nonsense", "a b c d", "2026 0000:1a:00.0 7x9 text"})),
              ElementsAre());
}

}  // namespace
}  // namespace gpugauge::stack
