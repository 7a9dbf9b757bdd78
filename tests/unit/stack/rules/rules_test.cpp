// All rules together: order, each cause once, healthy machines, hostile values, and the page of causes.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>

#include "stack/rules/causes.hpp"
#include "stack/rules/support.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Findings diagnosed(const Inventory& inventory, Policy policy = Policy::development) {
  const Tables tables = small_tables();
  Findings findings = diagnose_stack({inventory, tables, policy, test_day});
  expect_well_formed(findings);
  return findings;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Rules, HealthyMachinesHaveNothingAboveANote) {
  for (const Inventory& inventory :
       {h100_server(), h200_machine(), geforce_desktop(), a100_container(), wsl_machine()}) {
    for (const Finding& finding : diagnosed(inventory))
      EXPECT_EQ(finding.severity, Severity::note) << finding.cause << ": " << finding.title;
  }
}

TEST(Rules, AnEmptyMachineHasOneFailureAndNothingThatFollowsFromIt) {
  EXPECT_EQ(said(diagnosed(empty_machine())), std::vector<std::string>{"failure no_nvidia_hardware"});
}

TEST(Rules, TheWorstComesFirst) {
  Inventory inventory = h100_server();
  set_all(inventory, {{"env.NCCL_ALGO", "Ring"},
                      {"env.CUDA_LAUNCH_BLOCKING", "1"},
                      {"cuda.init.code", "803"},
                      {"cuda.devices", "0"},
                      {"driver.libcuda_version", "580.95.05"}});
  set_gpu(inventory, 0, {{"power_limit_watt", "500"}});
  EXPECT_THAT(said(diagnosed(inventory)),
              ElementsAre("failure umd_kmd_mismatch", "warning sw_power_cap", "warning cuda_launch_blocking",
                          "note nccl_env_leftover"));
}

TEST(Rules, NvmlsErrorIsNoSecondFindingBesideAMissingModule) {
  Inventory inventory = silent_gpu("");
  set(inventory, "driver.module_for_running_kernel", "no");
  EXPECT_EQ(said(diagnosed(inventory)), std::vector<std::string>{"failure kernel_module_missing"});
}

TEST(Rules, OneCauseSeenByTwoRulesIsOneFinding) {
  Inventory inventory = h100_server();
  set_gpu(inventory, 4, {{"lost", "yes"}});
  set(inventory, "kernel_log.xid.0", "2026-11-20T10:11:12 0000:4a:00.0 79 GPU has fallen off the bus");
  const Findings findings = diagnosed(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure gpu_lost"));
  EXPECT_EQ(findings[0].title, "GPU 4 (0000:4a:00.0) has fallen off the bus");
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("lost yes")));
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("Xid 79")));
}

TEST(Rules, WhatFollowsFromARootIsItsEvidence) {
  Inventory inventory = h100_server();
  inventory.absent("cuda.init.code", "");
  inventory.absent("nvml.init.code", "");
  set(inventory, "driver_child.outcome", "timed out");
  set(inventory, "kernel_log.xid.0", "2026-11-20T10:11:12 0000:4a:00.0 119 Timeout waiting for RPC from GSP");
  const Findings findings = diagnosed(inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure gsp_firmware"));
  EXPECT_THAT(findings[0].evidence,
              Contains("driver_hangs: The driver does not answer: starting CUDA or NVML hangs"));
}

TEST(Rules, UnreadableItemsAreOneNoteWithWhatTheyWouldTake) {
  Inventory inventory = h200_machine();
  inventory.unreadable("kernel_log.readable", "/dev/kmsg", "root, or kernel.dmesg_restrict=0");
  inventory.unreadable("host.acs", "/sys/bus/pci/devices", "root");
  inventory.unreadable("driver.secure_boot", "/sys/firmware/efi", "root");
  const Findings findings = diagnosed(inventory);
  EXPECT_THAT(said(findings), ElementsAre("note items_unreadable"));
  EXPECT_EQ(findings[0].title, "3 items could not be read");
  EXPECT_THAT(findings[0].evidence,
              testing::UnorderedElementsAre("needs root, or kernel.dmesg_restrict=0: kernel_log.readable",
                                            HasSubstr("needs root: ")));
}

/// Every key that a rule reads, with values that no collector should write.
TEST(Rules, HostileValuesEndInNothingWorseThanAStrangeFinding) {
  const std::vector<std::string> values{"99999999999999999999999999",
                                        std::string("a\0b\n\xff\x80%s{}{0}", 12), std::string(20000, 'x')};
  const std::vector<std::string> words{"",
                                       "-1",
                                       "yes",
                                       "no",
                                       "on",
                                       "absent",
                                       "0",
                                       "1e308",
                                       "nan",
                                       ".....",
                                       "580.65.06",
                                       std::string(5000, ','),
                                       std::string(200000, ' ')};
  Inventory all = h100_server();
  for (const Inventory& other :
       {geforce_desktop(), a100_container(), wsl_machine(), empty_machine(), silent_gpu("")})
    for (const Item& item : other.items())
      if (all.find(item.key) == nullptr) all.add(item);
  for (const char* const key : {"kernel_log.xid.0",
                                "kernel_log.nvrm.0",
                                "kernel_log.xid_count",
                                "kernel_log.hmm_failure",
                                "env.LD_PRELOAD",
                                "env.NCCL_ALGO",
                                "env.CUDA_VISIBLE_DEVICES",
                                "env.CUDA_MODULE_LOADING",
                                "file.nccl_conf",
                                "driver.history.0",
                                "driver.libcuda.0.kind",
                                "driver.libcuda.0.version",
                                "driver.libcuda.0.path",
                                "driver.module_parameters.RegistryDwords",
                                "vgpu.guest",
                                "vgpu.licence",
                                "gpu.x.name",
                                "gpu.0.lost",
                                "gpu.0.process.0",
                                "gpu.99999999999.name",
                                "pci.x.class",
                                "container.require",
                                "container.visible_devices"})
    set(all, key, "yes");
  const auto everywhere = [&](const std::string& value) {
    Inventory inventory;
    for (const Item& item : all.items()) set(inventory, item.key, value);
    diagnosed(inventory, Policy::production);
  };
  for (const std::string& value : words) everywhere(value);
  for (const std::string& value : values) {
    everywhere(value);
    Inventory inventory = all;
    for (const Item& item : all.items()) {
      set(inventory, item.key, value, value.substr(0, 300));
      diagnosed(inventory, Policy::production);
      inventory.add(item);
    }
  }
}

TEST(Rules, WhereNothingWasLookedForNothingIsSaid) {
  EXPECT_THAT(diagnosed(Inventory{}), IsEmpty());
}

/// cause -> severities of the rows of docs/findings.md.
std::map<std::string, std::vector<std::string>> documented() {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream page(text_of(std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "docs/findings.md"));
  const std::regex row("^\\| `([a-z0-9_]+)` \\| ([a-z, ]+) \\| .+ \\| .+ \\|$");
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) rows[match[1]].push_back(match[2]);
  }
  return rows;
}

TEST(FindingsPage, HasOneRowForEachCauseThatARuleCanGive) {
  const auto rows = documented();
  for (const std::string_view cause : cause_names) {
    const auto row = rows.find(std::string(cause));
    ASSERT_NE(row, rows.end()) << cause << " has no row in docs/findings.md";
    EXPECT_EQ(row->second.size(), 1u) << cause << " has more than one row";
    EXPECT_TRUE(
        std::regex_match(row->second[0], std::regex("(failure|warning|note)(, (failure|warning|note))*")))
        << cause;
  }
}

TEST(FindingsPage, NamesNoCauseThatNoRuleGives) {
  std::string sources;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(GPUGAUGE_SOURCE_DIR) /
                                                               "harness/stack/rules"))
    if (entry.path().extension() == ".cpp") sources += text_of(entry.path());
  for (const auto& [cause, severities] : documented())
    EXPECT_THAT(sources, HasSubstr("\"" + cause + "\"")) << cause << " is documented, and no rule gives it";
  for (const std::string_view cause : cause_names)
    EXPECT_THAT(sources, HasSubstr("Cause(\"" + std::string(cause) + "\")")) << "no rule gives " << cause;
}

TEST(Support, PrintableTextIsAsciiAndCut) {
  EXPECT_EQ(printable("580.65.06"), "580.65.06");
  EXPECT_EQ(printable(std::string("a\0b\n\xc3\xa9", 6)), "a?b???");
  EXPECT_EQ(printable("abcdefghij", 8), "abcde...");
  EXPECT_EQ(printable("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(printable("", 8), "");
}

TEST(Support, NumbersAreWholeTextsOnly) {
  EXPECT_EQ(number("1.5"), 1.5);
  EXPECT_EQ(number("-3"), -3.0);
  for (const std::string text : {"", " 1", "1 ", "1x", "unlimited", "nan", "inf", "1e999"})
    EXPECT_EQ(number(text), std::nullopt) << text;
}

TEST(Support, SeenTellsAbsentFromUnreadableAndNotLookedFor) {
  Inventory inventory;
  set(inventory, "a", "1", "/proc/a");
  inventory.absent("b", "/proc/b");
  inventory.unreadable("c", "/proc/c", "root");
  EXPECT_EQ(seen(inventory, "a", "first"), "first 1 (/proc/a)");
  EXPECT_EQ(seen(inventory, "b", "second"), "second: absent (/proc/b)");
  EXPECT_EQ(seen(inventory, "c", "third"), "third: may not be read, needs root (/proc/c)");
  EXPECT_EQ(seen(inventory, "d", "fourth"), "");
  EXPECT_EQ(seen(inventory, "a", "first:"), "first: 1 (/proc/a)");
  EXPECT_EQ(seen(inventory, "b", "second:"), "second: absent (/proc/b)");
}

TEST(Support, ATimeOfTheKernelLogMayHoldBlanks) {
  const auto read = [](const std::string& line) {
    Inventory inventory;
    set(inventory, "kernel_log.xid.0", line);
    const std::vector<Xid> xids = xids_of(inventory);
    if (xids.size() != 1) return std::string("none");
    return xids[0].time + "|" + xids[0].pci + "|" + std::to_string(xids[0].number) + "|" + xids[0].text;
  };
  EXPECT_EQ(read("2026-11-20T10:11:12 0000:01:00.0 79 GPU has fallen off the bus"),
            "2026-11-20T10:11:12|0000:01:00.0|79|GPU has fallen off the bus");
  EXPECT_EQ(read("Nov 20 10:11:12 0000:c1:00.0 13 x"), "Nov 20 10:11:12|0000:c1:00.0|13|x");
  EXPECT_EQ(read("boot+12s 10000:e1:00.0 13"), "boot+12s|10000:e1:00.0|13|");
  EXPECT_EQ(read("0000:01:00.0 48 text"), "|0000:01:00.0|48|text");
  for (const std::string line :
       {"", "79", "2026 01:00.0 79 x", "2026 0000:01:00.0 x", "2026 0000:0g:00.0 79 x"})
    EXPECT_EQ(read(line), "none") << line;
}

TEST(Support, AMajorityIsMoreThanHalf) {
  EXPECT_EQ(majority({"a", "b", "a"}), "a");
  EXPECT_EQ(majority({"a", "b"}), std::nullopt);
  EXPECT_EQ(majority({"a", "a", "b", "b"}), std::nullopt);
  EXPECT_EQ(majority({}), std::nullopt);
}

}  // namespace
}  // namespace gpugauge::stack
