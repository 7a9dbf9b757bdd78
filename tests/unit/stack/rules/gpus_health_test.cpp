// What is wrong with a GPU itself, and what the kernel log says of it.
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

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
  EXPECT_THAT(gpus_health(with_facts({{"throttle_reasons", "sw_thermal"}})),
              ElementsAre("warning thermal_throttle"));
  EXPECT_THAT(gpus_health(with_facts({{"throttle_reasons", "sw_power_cap,sync_boost"}})), ElementsAre());
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
  EXPECT_THAT(gpus_health(with_xids({"2026-11-20T10:11:12 0000:1a:00.0 9999 new"})),
              ElementsAre("note xid_seen"));
}

TEST(HealthRules, XidsOfOneNumberAreOneLine) {
  const Findings findings = findings_of(
      check_gpus,
      with_xids({"2026-11-20T12:00:00 0000:2a:00.0 48 DBE", "2026-11-20T11:00:00 0000:1a:00.0 48 DBE",
                 "2026-11-20T10:00:00 0000:1a:00.0 13 Graphics Exception"}));
  EXPECT_THAT(said(findings), ElementsAre("warning xid_seen"));
  EXPECT_THAT(
      findings[0].evidence,
      ElementsAre("Xid 13 (a kernel or graphics command failed, most often a program's fault), 1 times on "
                  "0000:1a:00.0, last 2026-11-20T10:00:00: Graphics Exception",
                  "Xid 48 (an uncorrectable memory error), 2 times on 0000:2a:00.0, 0000:1a:00.0, last "
                  "2026-11-20T12:00:00: DBE"));
}

TEST(HealthRules, MoreLinesThanWereKeptAreCounted) {
  Inventory inventory = with_xids({"2026-11-20T12:00:00 0000:2a:00.0 48 DBE"});
  set(inventory, "kernel_log.xid_count", "500");
  EXPECT_THAT(the(findings_of(check_gpus, inventory), "xid_seen").evidence,
              Contains("500 lines in all; the newest 1 were looked at"));
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
