// All rules together: order, each cause once, healthy machines, hostile values.
#include <algorithm>

#include <gmock/gmock.h>

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

TEST(Rules, HealthyMachinesHaveNothingAboveANote) {
  for (const Inventory& inventory :
       {h100_server(), h200_machine(), geforce_desktop(), a100_container(), wsl_machine()}) {
    for (const Finding& finding : diagnosed(inventory))
      EXPECT_EQ(finding.severity, Severity::note) << finding.cause << ": " << finding.title;
  }
}

TEST(Rules, EveryKnownIssueOfTheTablesIsReadByARule) {
  for (const KnownIssue& issue : tables().known_issues) {
    const std::string version = (issue.versions.least ? issue.versions.least : issue.versions.most)->text();
    const VersionRange& capability = issue.compute_capability;
    Inventory inventory = linux_with_driver();
    add_gpus(inventory, 8, "NVIDIA " + (issue.gpus.empty() ? "H100 80GB HBM3" : issue.gpus.front()),
             capability.least  ? capability.least->text()
             : capability.most ? capability.most->text()
                               : "9.0",
             "700");
    set(inventory, "host.cpu_model", issue.processor + " of some kind");
    if (issue.layer == "driver") set(inventory, "driver.version", version);
    set(inventory, "framework." + issue.layer + ".version", version);
    const std::string library = "library." + issue.layer + ".0.";
    set_all(inventory, {{library + "path", "/usr/lib/lib" + issue.layer + ".so.1"},
                        {library + "version", version},
                        {library + "soname", "lib" + issue.layer + ".so.1"},
                        {library + "origin", "loader cache"}});
    const Findings findings = diagnose_stack({inventory, tables(), Policy::development, test_day});
    EXPECT_TRUE(std::any_of(
        findings.begin(), findings.end(),
        [&](const Finding& finding) {
          return std::any_of(finding.evidence.begin(), finding.evidence.end(), [&](const std::string& line) {
            return line.find(issue.issue.substr(0, 40)) != std::string::npos;
          });
        }))
        << issue.layer << " " << version << ": " << issue.issue;
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

TEST(Rules, TheGraverOfTwoSpeaksAndKeepsTheOthersEvidence) {
  Inventory inventory = h100_server();
  set_gpu(inventory, 1, {{"pcie_width", "8"}});
  const Findings findings = diagnosed(inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning pcie_link_degraded"));
  EXPECT_THAT(findings[0].evidence,
              ElementsAre("GPU 1 (0000:1a:00.0): PCIe lanes in use 8, 16 on most others",
                          "GPU 1 (0000:1a:00.0): 8 of 16 PCIe lanes in use (sampled idle)"));
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

}  // namespace
}  // namespace gpugauge::stack
