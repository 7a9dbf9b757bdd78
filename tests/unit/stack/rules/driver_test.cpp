// The driver: branch and patch level, copies, upkeep, modes.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

std::vector<std::string> driver(const Inventory& inventory, Policy policy = Policy::development) {
  return said(findings_of(check_driver, inventory, policy));
}

Inventory with_driver(const std::string& version) {
  Inventory inventory = h200_machine();
  set(inventory, "driver.version", version);
  return inventory;
}

TEST(DriverRules, HealthyMachinesAreLeftAlone) {
  EXPECT_THAT(driver(h100_server(), Policy::production), IsEmpty());
  EXPECT_THAT(driver(h200_machine(), Policy::production), IsEmpty());
  EXPECT_THAT(driver(geforce_desktop()), IsEmpty());
  EXPECT_THAT(driver(a100_container()), IsEmpty());
  EXPECT_THAT(driver(wsl_machine()), IsEmpty());
  EXPECT_THAT(driver(empty_machine(), Policy::production), IsEmpty());
}

TEST(DriverRules, ABranchThatHasEndedIsAWarning) {
  const Findings findings = findings_of(check_driver, with_driver("535.309.01"));
  EXPECT_THAT(said(findings), ElementsAre("warning driver_branch_ended"));
  EXPECT_EQ(findings[0].title, "Driver branch 535 gets no more fixes");
  EXPECT_THAT(findings[0].evidence, IsSupersetOf({"driver 535.309.01 (test)",
                                                  "branch 535 (long-term support): end of life 2026-06"}));
  EXPECT_THAT(findings[0].sources, ElementsAre("NVIDIA's table"));
}

TEST(DriverRules, AGuestsDriverIsItsHostsAffair) {
  Inventory inventory = with_driver("535.183.01");
  set(inventory, "vgpu.guest", "yes");
  const Findings findings = findings_of(check_driver, inventory, Policy::production);
  EXPECT_THAT(said(findings), ElementsAre("warning driver_branch_ended")) << "and no patch level to take";
  EXPECT_THAT(findings[0].next, ElementsAre(HasSubstr("Ask the administrator of this virtual machine's host"),
                                            HasSubstr("vgpu_host=")));
  set(inventory, "driver.version", "590.48.01");
  EXPECT_THAT(driver(inventory, Policy::production), Not(Contains(HasSubstr("driver_not_long_term"))));
  set(inventory, "vgpu.guest", "no");
  EXPECT_THAT(driver(inventory, Policy::production), Contains(HasSubstr("driver_not_long_term")));
}

TEST(DriverRules, AVgpuHostIsToldOfNoDriverThatWouldEndVgpu) {
  Inventory inventory = with_driver("535.183.01");
  set(inventory, "vgpu.host", "yes");
  const Findings findings = findings_of(check_driver, inventory, Policy::production);
  EXPECT_THAT(said(findings), ElementsAre("warning driver_branch_ended")) << "and no patch level to take";
  EXPECT_THAT(findings[0].next, ElementsAre(HasSubstr("vGPU manager"), HasSubstr("vgpu_host=")));
}

TEST(DriverRules, AKnownIssueOfAGuestsDriverIsMendedFromTheHost) {
  Inventory inventory = with_driver("575.51.03");
  EXPECT_THAT(the(findings_of(check_driver, inventory), "driver_known_issue").next,
              ElementsAre("Update to 575.64 or newer"));
  set(inventory, "vgpu.guest", "yes");
  EXPECT_THAT(the(findings_of(check_driver, inventory), "driver_known_issue").next,
              Contains(HasSubstr("Ask the administrator")));
  EXPECT_THAT(the(findings_of(check_driver, inventory), "driver_known_issue").next,
              Not(Contains(HasSubstr("Update to"))));
}

TEST(DriverRules, AnUnconfirmedRowOnlyGivesANote) {
  const Findings findings = findings_of(check_driver, with_driver("575.57.08"), Policy::production);
  EXPECT_EQ(the(findings, "driver_branch_ended").severity, Severity::note);
  EXPECT_EQ(the(findings, "driver_not_long_term").severity, Severity::note);
  EXPECT_THAT(the(findings, "driver_branch_ended").sources, ElementsAre("hearsay (not confirmed)"));
}

TEST(DriverRules, TheLastDayOfABranchStillCounts) {
  const auto on = [](const std::string& today, const std::string& end) {
    Tables tables = small_tables();
    for (DriverBranch& branch : tables.driver_branches)
      if (branch.branch == 580) branch.end_of_life = end;
    const Inventory inventory = h200_machine();
    Findings findings;
    check_driver(RuleInput{inventory, tables, Policy::development, today}, findings);
    return said(findings);
  };
  EXPECT_THAT(on("2026-06-30", "2026-06"), ElementsAre("note driver_branch_ends_soon"));
  EXPECT_THAT(on("2026-07-01", "2026-06"), ElementsAre("warning driver_branch_ended"));
  EXPECT_THAT(on("2026-06-05", "2026-06-05"), ElementsAre("note driver_branch_ends_soon"));
  EXPECT_THAT(on("2026-06-06", "2026-06-05"), ElementsAre("warning driver_branch_ended"));
  EXPECT_THAT(on("2026-03-07", "2026-06-05"), ElementsAre("note driver_branch_ends_soon")) << "90 days";
  EXPECT_THAT(on("2026-03-06", "2026-06-05"), IsEmpty()) << "91 days";
  for (const std::string damaged : {"", "soon", "2026", "2026-13", "2026-02-30", "2026-6-1", "2026/06/01"})
    EXPECT_THAT(on("2030-01-01", damaged), IsEmpty()) << damaged;
  EXPECT_THAT(on("", "2020-01-01"), IsEmpty());
}

TEST(DriverRules, ACountedEndIsNotNvidiasWord) {
  Tables tables = small_tables();
  for (DriverBranch& branch : tables.driver_branches) branch.counted = branch.branch == 590;
  const auto on = [&](const std::string& today) {
    Findings findings;
    const Inventory inventory = with_driver("590.48.01");
    check_driver(RuleInput{inventory, tables, Policy::development, today}, findings);
    return findings;
  };
  EXPECT_THAT(said(on("2026-12-01")), IsEmpty()) << "no countdown to a date that nobody stated";
  const Findings past = on("2027-01-01");
  EXPECT_THAT(said(past), ElementsAre("warning driver_branch_ended"));
  EXPECT_EQ(past[0].title, "Driver branch 590 is past the year for which such a branch gets fixes");
  EXPECT_THAT(past[0].evidence,
              Contains("branch 590 (new feature): NVIDIA states no end of life; a year from its "
                       "release ended 2026-12-22"));
}

TEST(DriverRules, StatedAsEndedNeedsNoDate) {
  Tables tables = small_tables();
  tables.driver_branches[1].ended = true;
  tables.driver_branches[1].end_of_life = "";
  const Inventory inventory = h200_machine();
  Findings findings;
  check_driver(RuleInput{inventory, tables, Policy::development, test_day}, findings);
  EXPECT_THAT(said(findings), ElementsAre("warning driver_branch_ended"));
}

TEST(DriverRules, BehindTheNewestPatchLevelAndUnknownBranches) {
  Inventory inventory = with_driver("595.10.01");
  const Findings findings = findings_of(check_driver, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note driver_patch_behind"));
  EXPECT_THAT(findings[0].evidence,
              Contains("newest of branch 595 known to the table: 595.91.07 of 2026-08-03"));
  EXPECT_THAT(driver(with_driver("595.91.07")), IsEmpty());
  EXPECT_THAT(driver(with_driver("595.99.01")), IsEmpty()) << "newer than the table knows";
  EXPECT_THAT(driver(with_driver("720.10.01")), ElementsAre("note driver_branch_unknown"));
  EXPECT_THAT(driver(with_driver("no version")), IsEmpty());
}

TEST(DriverRules, OnlyProductionAsksForALongTermBranch) {
  EXPECT_THAT(driver(with_driver("590.48.01")), ElementsAre("note driver_branch_ends_soon"));
  EXPECT_THAT(driver(with_driver("590.48.01"), Policy::production),
              ElementsAre("note driver_branch_ends_soon", "warning driver_not_long_term"));
  EXPECT_THAT(driver(with_driver("595.91.07"), Policy::production),
              ElementsAre("warning driver_not_long_term"));
}

TEST(DriverRules, KnownIssuesOfTheVersion) {
  const Finding finding = the(findings_of(check_driver, with_driver("575.57.08")), "driver_known_issue");
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("Copies hang after a peer was unmapped.")));
  EXPECT_THAT(finding.next, ElementsAre("Update to 575.64 or newer"));
}

TEST(DriverRules, HeldPackagesAndUnattendedUpgrades) {
  Inventory inventory = h200_machine();
  set(inventory, "package.nvidia-driver-580-open.held", "no");
  EXPECT_THAT(driver(inventory), IsEmpty());
  const Findings production = findings_of(check_driver, inventory, Policy::production);
  EXPECT_THAT(said(production), ElementsAre("warning driver_not_held"));
  EXPECT_THAT(production[0].evidence,
              ElementsAre("package nvidia-driver-580-open 580.65.06-0ubuntu0.24.04.1: not held"));
  EXPECT_THAT(production[0].next[0], HasSubstr("apt-mark hold nvidia-driver-580-open"));
  set_all(inventory, {{"packages.unattended_upgrades", "on"}, {"packages.unattended_covers_driver", "yes"}});
  EXPECT_THAT(driver(inventory), ElementsAre("note unattended_driver_upgrade"));
  EXPECT_THAT(driver(inventory, Policy::production),
              ElementsAre("warning driver_not_held", "warning unattended_driver_upgrade"));
  set(inventory, "packages.unattended_covers_driver", "no");
  EXPECT_THAT(driver(inventory), IsEmpty());
  set(inventory, "packages.unattended_covers_driver", "unknown");
  EXPECT_THAT(driver(inventory), IsEmpty());
  EXPECT_THAT(driver(inventory, Policy::production),
              ElementsAre("warning driver_not_held", "note unattended_driver_upgrade"));
}

TEST(DriverRules, TheCommandThatHoldsNamesEveryPackageWhole) {
  Inventory inventory = h200_machine();
  set(inventory, "package.nvidia-driver-580-open.held", "no");
  std::vector<std::string> names{"linux-modules-nvidia-580-server-open-6_8_0-1024-nvidia-lowlatency"};
  for (int i = 0; i < 14; ++i) names.push_back(fmt::format("nvidia-headless-no-dkms-580-server-{:02}", i));
  for (const std::string& name : names)
    set_all(inventory,
            {{"package." + name + ".version", "580.65.06-1"}, {"package." + name + ".held", "no"}});
  const std::string next =
      the(findings_of(check_driver, inventory, Policy::production), "driver_not_held").next.at(0) + " ";
  for (std::string& name : names) {
    std::replace(name.begin(), name.end(), '_', '.');
    EXPECT_THAT(next, HasSubstr(" " + name + " "));
  }
  EXPECT_THAT(next, Not(HasSubstr("580-se...")));
}

TEST(DriverRules, PackagesAreHeldByTheMachinesOwnManager) {
  Inventory inventory = h200_machine();
  set_all(inventory,
          {{"packages.database", "rpm"},
           {"host.distribution_id", "fedora 41"},
           {"package.kmod-nvidia-6_11_4-301_fc41_x86_64.version", "3:580.65.06-1.fc41"},
           {"package.kmod-nvidia-6_11_4-301_fc41_x86_64.name", "kmod-nvidia-6.11.4-301.fc41.x86_64"},
           {"package.kmod-nvidia-6_11_4-301_fc41_x86_64.held", "no"},
           {"packages.unattended_upgrades", "on"},
           {"packages.unattended_covers_driver", "yes"}});
  const Findings findings = findings_of(check_driver, inventory, Policy::production);
  EXPECT_THAT(the(findings, "driver_not_held").next,
              ElementsAre("Hold them: sudo dnf versionlock add kmod-nvidia-6.11.4-301.fc41.x86_64"));
  EXPECT_THAT(the(findings, "unattended_driver_upgrade").next, ElementsAre(HasSubstr("dnf.conf")));
  set(inventory, "host.distribution_id", "sles 15.6");
  EXPECT_THAT(the(findings_of(check_driver, inventory, Policy::production), "driver_not_held").next,
              ElementsAre(HasSubstr("sudo zypper addlock kmod-nvidia-6.11.4")));
}

TEST(DriverRules, WhatIsToBeHeldIsKnownOnFedoraAndSuseToo) {
  const auto hold = [](const char* system, const std::vector<std::string>& names) {
    Inventory inventory = h200_machine();
    set_all(inventory, {{"packages.database", "rpm"}, {"host.distribution_id", system}});
    for (const std::string& name : names)
      set_all(inventory,
              {{"package." + name + ".version", "580.95.05-1"}, {"package." + name + ".held", "no"}});
    const std::string command =
        the(findings_of(check_driver, inventory, Policy::production), "driver_not_held").next.at(0) + " ";
    for (const std::string& name : names) EXPECT_THAT(command, HasSubstr(" " + name + " ")) << system;
  };
  hold("fedora 44", {"akmod-nvidia", "xorg-x11-drv-nvidia", "xorg-x11-drv-nvidia-cuda-libs"});
  hold("sles 15.6",
       {"nvidia-open-driver-G06-signed-kmp-default", "nvidia-compute-G06", "nvidia-compute-utils-G06"});
  hold("rhel 9.4", {"nvidia-driver-cuda-libs", "kmod-nvidia-open-dkms", "nvidia-kmod-common"});
}

TEST(DriverRules, HeldPackagesAreSafeFromUnattendedUpgrades) {
  Inventory inventory = h200_machine();
  set_all(inventory, {{"packages.unattended_upgrades", "on"}, {"packages.unattended_covers_driver", "yes"}});
  EXPECT_THAT(driver(inventory, Policy::production), IsEmpty());
}

TEST(DriverRules, DotsInAPackagesNameAreWrittenAsThePackageManagerTakesThem) {
  Inventory inventory = h200_machine();
  set_all(inventory, {{"package.linux-modules-nvidia-580-5_15_0-100-generic.version", "5.15.0-100.110"},
                      {"package.linux-modules-nvidia-580-5_15_0-100-generic.held", "no"}});
  EXPECT_THAT(the(findings_of(check_driver, inventory, Policy::production), "driver_not_held").evidence,
              Contains("package linux-modules-nvidia-580-5.15.0-100-generic 5.15.0-100.110: not held"));
}

TEST(DriverRules, AKernelWithoutAModuleWaitsForTheNextBoot) {
  Inventory inventory = h200_machine();
  set_all(inventory,
          {{"driver.newest_kernel", "6.8.0-90-generic"}, {"driver.module_for_newest_kernel", "no"}});
  const Findings findings = findings_of(check_driver, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning module_missing_for_newest_kernel"));
  EXPECT_THAT(findings[0].evidence, IsSupersetOf({"running kernel 6.8.0-79-generic (test)",
                                                  "newest installed kernel 6.8.0-90-generic (test)"}));
  EXPECT_THAT(findings[0].next[0], HasSubstr("dkms autoinstall -k 6.8.0-90-generic"));
  set(inventory, "container.kind", "docker");
  EXPECT_THAT(driver(inventory), IsEmpty());
  Inventory running = silent_gpu("");
  set_all(running, {{"driver.module_for_running_kernel", "no"},
                    {"driver.module_for_newest_kernel", "no"},
                    {"driver.newest_kernel", "6.8.0-90-generic"}});
  EXPECT_THAT(driver(running), IsEmpty()) << "no module at all is kernel_module_missing";
}

TEST(DriverRules, TwoDriverLibrariesOfDifferentVersions) {
  Inventory inventory = h200_machine();
  set_all(inventory, {{"driver.libcuda.0.path", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06"},
                      {"driver.libcuda.0.version", "580.65.06"},
                      {"driver.libcuda.0.kind", "driver"},
                      {"driver.libcuda.1.path", "/usr/lib64/libcuda.so.570.86.15"},
                      {"driver.libcuda.1.version", "570.86.15"},
                      {"driver.libcuda.1.kind", "compat"}});
  EXPECT_THAT(driver(inventory), IsEmpty()) << "a forward-compatibility copy beside the driver is normal";
  set(inventory, "driver.libcuda.1.kind", "driver");
  const Findings findings = findings_of(check_driver, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning driver_library_duplicate"));
  EXPECT_THAT(findings[0].evidence, IsSupersetOf({"libcuda 570.86.15 (/usr/lib64/libcuda.so.570.86.15)"}));
  set(inventory, "driver.libcuda.1.version", "580.65.06");
  EXPECT_THAT(driver(inventory), IsEmpty());
}

TEST(DriverRules, NouveauBesideTheDriverAndALinuxDriverInWsl) {
  Inventory inventory = h200_machine();
  set_all(inventory,
          {{"pci.0.address", "0000:65:00.0"}, {"pci.0.class", "gpu"}, {"pci.0.driver", "nouveau"}});
  const Findings findings = findings_of(check_driver, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning nouveau_loaded"));
  EXPECT_THAT(findings[0].evidence, ElementsAre("0000:65:00.0: bound to nouveau"));
  Inventory wsl = wsl_machine();
  set_all(wsl, {{"driver.libcuda_kind", "driver"}, {"driver.libcuda_path", "/usr/lib/libcuda.so.580.65.06"}});
  EXPECT_THAT(driver(wsl), ElementsAre("failure wsl_linux_driver_installed"));
}

TEST(DriverRules, ModesOfTheDriver) {
  Inventory inventory = h200_machine();
  set_all(inventory, {{"vgpu.guest", "yes"}, {"vgpu.licence", "unlicensed"}});
  EXPECT_THAT(driver(inventory), ElementsAre("warning vgpu_unlicensed"));
  set(inventory, "vgpu.licence", "licensed");
  set(inventory, "driver.confidential_computing", "on");
  EXPECT_THAT(driver(inventory), ElementsAre("note confidential_computing"));
  set(inventory, "driver.confidential_computing", "devtools");
  EXPECT_THAT(driver(inventory), ElementsAre("warning confidential_computing"));
  set(inventory, "driver.confidential_computing", "off");
  set(inventory, "driver.module_parameters.EnableGpuFirmware", "0", "/proc/driver/nvidia/params");
  set(inventory, "driver.module_parameters.ModifyDeviceFiles", "0", "/proc/driver/nvidia/params");
  const Findings findings = findings_of(check_driver, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note module_parameters_set"));
  EXPECT_THAT(findings[0].evidence, ElementsAre("EnableGpuFirmware = 0 (/proc/driver/nvidia/params)"));
}

TEST(DriverRules, InWslTheNumberIsWindowsAndNotJudged) {
  for (const std::string number : {"575.51", "566.36", "999.1"}) {
    Inventory inventory = wsl_machine();
    set(inventory, "driver.version", number);
    EXPECT_THAT(said(findings_of(check_driver, inventory, Policy::production)), testing::IsEmpty()) << number;
    set_gpu(inventory, 0, {{"compute_capability", "7.0"}});
    EXPECT_THAT(said(findings_of(check_gpus, inventory)), testing::IsEmpty()) << number;
  }
}

TEST(DriverRules, AKernelWithoutAModuleIsNotSaidToBeTheNextOne) {
  Inventory inventory = h200_machine();
  set_all(inventory,
          {{"driver.newest_kernel", "6.8.0-99-generic"}, {"driver.module_for_newest_kernel", "no"}});
  const Finding finding = the(findings_of(check_driver, inventory), "module_missing_for_newest_kernel");
  EXPECT_EQ(finding.title, "The newest installed kernel has no NVIDIA module");
  EXPECT_THAT(finding.explanation, testing::HasSubstr("If kernel 6.8.0-99-generic is started next"));
}

}  // namespace
}  // namespace gpugauge::stack
