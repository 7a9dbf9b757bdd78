#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Tables with_kernels() {
  Tables tables = small_tables();
  const Source read{"a distribution", true};
  tables.kernels = {{version("535.309.01"), {std::nullopt, version("6.18")}, read},
                    {version("580.178.04"), {std::nullopt, version("7.2")}, read},
                    {version("595.91.07"), {std::nullopt, version("7.3")}, read}};
  return tables;
}

Findings kernels(const Inventory& inventory, const std::string& today = test_day) {
  const Tables tables = with_kernels();
  Findings findings;
  check_driver({inventory, tables, Policy::development, today}, findings);
  expect_well_formed(findings);
  return findings;
}

Inventory with_newest(const std::string& driver, const std::string& kernel, const std::string& module) {
  Inventory inventory = h200_machine();
  set_all(inventory, {{"driver.version", driver},
                      {"driver.newest_kernel", kernel},
                      {"driver.module_for_newest_kernel", module}});
  return inventory;
}

TEST(DriverKernel, ADriverThatAContainerBringsNeedsNoModuleOnTheHost) {
  Inventory inventory = with_newest("580.65.06", "7.3.1-200.fc45.x86_64", "no");
  inventory.absent("driver.libcuda_path", "loader search");
  EXPECT_THAT(said(kernels(inventory)), testing::Contains("warning module_missing_for_newest_kernel"));
  set(inventory, "driver.libcuda.0.path", "/run/nvidia/driver/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06");
  EXPECT_THAT(said(kernels(inventory)), testing::Not(testing::Contains(testing::HasSubstr("kernel"))));
}

TEST(DriverKernel, AKernelThatTheBranchWasNeverPackagedFor) {
  const Findings findings = kernels(with_newest("580.65.06", "7.3.1-200.fc45.x86_64", "no"));
  const Finding finding = the(findings, "kernel_newer_than_driver");
  EXPECT_EQ(finding.severity, Severity::note);
  EXPECT_EQ(finding.title, "Kernel 7.3 is newer than those that driver branch 580 was packaged for");
  EXPECT_THAT(finding.evidence,
              Contains("driver 580.178.04, the newest of its branch in the table: kernels up to 7.2"));
  EXPECT_EQ(finding.next.front(), "Update to driver 595.91.07 or newer, packaged for kernels up to 7.3");
}

TEST(DriverKernel, ASuseKernelGetsItsModuleByItsKmp) {
  Inventory inventory = with_newest("580.65.06", "6.4.0-150600.23.90-default", "no");
  set_all(inventory, {{"driver.dkms", "unknown"},
                      {"packages.database", "rpm"},
                      {"host.distribution_id", "sles 15.6"},
                      {"package.nvidia-open-driver-G06-signed-kmp-default.version", "580.65.06_k6.4.0-1"}});
  EXPECT_THAT(the(kernels(inventory), "module_missing_for_newest_kernel").next.at(0),
              HasSubstr("sudo zypper install --force nvidia-open-driver-G06-signed-kmp-default"));
}

TEST(DriverKernel, AModuleThatIsThereIsProofEnough) {
  EXPECT_THAT(said(kernels(with_newest("580.65.06", "7.3.1", "yes"))),
              Not(Contains("note kernel_newer_than_driver")));
  EXPECT_THAT(said(kernels(with_newest("580.65.06", "7.2.9", "no"))),
              Not(Contains("note kernel_newer_than_driver")))
      << "7.2 covers its patch levels";
  EXPECT_THAT(said(kernels(with_newest("550.54.15", "9.9.9", "no"))),
              Not(Contains("note kernel_newer_than_driver")))
      << "no row, nothing said";
  EXPECT_THAT(said(kernels(with_newest("580.65.06", "rolling", "no"))),
              Not(Contains("note kernel_newer_than_driver")));
}

TEST(DriverKernel, WithoutABranchThatKnowsItOnlyTheOldKernelHelps) {
  const Finding finding = the(kernels(with_newest("595.91.07", "7.9.0", "no")), "kernel_newer_than_driver");
  EXPECT_THAT(finding.next, ElementsAre("Start a kernel up to 7.3, and hold it"));
}

TEST(DriverKernel, NoDriverIsAdvisedThatDropsTheGpus) {
  Tables tables = with_kernels();
  tables.kernels.push_back({version("470.256.02"), {std::nullopt, version("6.9")}, {"a distribution", true}});
  Inventory inventory = with_newest("470.256.02", "6.14.0", "no");
  const auto next = [&](const std::string& capability) {
    if (capability.empty())
      inventory.absent("gpu.0.compute_capability", "nvml");
    else
      set(inventory, "gpu.0.compute_capability", capability, "nvml");
    Findings findings;
    check_driver({inventory, tables, Policy::development, test_day}, findings);
    return the(findings, "kernel_newer_than_driver").next;
  };
  EXPECT_THAT(next("7.5"), ElementsAre("Update to driver 580.178.04 or newer, packaged for kernels up to 7.2",
                                       "Or start a kernel up to 6.9, and hold it"));
  EXPECT_THAT(next("3.7"), ElementsAre("Start a kernel up to 6.9, and hold it")) << "470 is its last branch";
  EXPECT_THAT(next("").front(), HasSubstr("if it still drives these GPUs")) << "none answered";
}

/// The first step that gives the newest kernel its module; each of the rules that advise it says the same.
std::string first_step(const std::string& builder, const std::string& package) {
  Inventory later = with_newest("580.65.06", "6.8.0-90-generic", "no");
  if (builder.empty())
    later.absent("driver.dkms", "/lib/modules");
  else
    set(later, "driver.dkms", builder);
  if (!package.empty()) set(later, "package." + package + ".version", "580.65.06-1");
  Inventory mismatch = later;
  set(mismatch, "cuda.init.code", "803");
  Inventory now = linux_with_driver();
  for (const char* const key : {"driver.kernel_module_version", "driver.uvm", "cuda.init.code",
                                "nvml.init.code", "driver.device_nodes"})
    now.absent(key, "");
  for (const Item& item : later.items())
    if (item.key.starts_with("package.") || item.key == "driver.dkms") now.add(item);
  set_all(now, {{"pci.0.address", "0000:01:00.0"},
                {"kernel.version", "6.8.0-90-generic"},
                {"driver.module_for_running_kernel", "no"}});
  std::string step = the(kernels(later), "module_missing_for_newest_kernel").next.front();
  EXPECT_EQ(the(findings_of(check_start_up, mismatch), "umd_kmd_mismatch").next.front(), step);
  EXPECT_EQ(the(findings_of(check_start_up, now), "kernel_module_missing").next.front(), step);
  return step;
}

TEST(DriverKernel, AKernelGetsItsModuleAsModulesComeHere) {
  EXPECT_THAT(first_step("yes", ""), HasSubstr("dkms autoinstall -k 6.8.0-90-generic"));
  for (const std::string& packaged :
       {first_step("precompiled", ""), first_step("", "linux-modules-nvidia-580-open-6_8_0-60-generic"),
        first_step("unknown", "kmod-nvidia-580_65_06-5_14_0")}) {
    EXPECT_THAT(packaged, HasSubstr("module package of kernel 6.8.0-90-generic"));
    EXPECT_THAT(packaged, Not(HasSubstr("dkms")));
  }
  EXPECT_THAT(first_step("precompiled", "akmod-nvidia"), HasSubstr("akmods --force --kernels 6.8.0-90"));
  EXPECT_THAT(first_step("installer", ""), HasSubstr(".run -K -k 6.8.0-90-generic"));
  EXPECT_THAT(first_step("", "kmod-nvidia-open-dkms"), HasSubstr("or with DKMS"));
}

TEST(DriverBranchAdvice, NamesTheBranchToTake) {
  Inventory inventory = h200_machine();
  set(inventory, "driver.version", "535.183.01");
  const Finding ended = the(kernels(inventory), "driver_branch_ended");
  EXPECT_THAT(ended.next,
              Contains("Take branch 580 (long-term support, end of life 2028-08-04); its newest release "
                       "known to the tables is 580.65.06."));
  EXPECT_THAT(ended.next, Contains("See what the step takes: gpugauge doctor --plan driver=580.65.06"));
}

TEST(DriverBranchAdvice, OfGpusThatNoLivingBranchDrives) {
  Inventory inventory = h200_machine();
  set(inventory, "driver.version", "535.183.01");
  set(inventory, "gpu.0.compute_capability", "3.7", "nvml");
  EXPECT_THAT(the(kernels(inventory), "driver_branch_ended").next,
              Contains("The tables know no branch for these GPUs that still gets fixes."));
  inventory.absent("gpu.0.compute_capability", "nvml");
  EXPECT_THAT(the(kernels(inventory), "driver_branch_ended").next,
              Contains(HasSubstr("See first that it drives the GPUs here")));
}

TEST(DriverBranchAdvice, ABranchThatLivesIsNeverDenied) {
  Inventory inventory = h200_machine();
  set(inventory, "driver.version", "595.91.07");
  Tables tables = with_kernels();
  const auto next = [&] {
    Findings findings;
    check_driver({inventory, tables, Policy::production, test_day}, findings);
    return the(findings, "driver_not_long_term").next;
  };
  ASSERT_NE(tables.branch(version("595.91.07")), nullptr);
  EXPECT_THAT(
      next().front(),
      HasSubstr("no newer long-term or production branch for these GPUs that still gets fixes; an older "
                "one is 580 (long-term support"));
  std::erase_if(tables.driver_branches, [](const DriverBranch& branch) { return branch.branch != 595; });
  EXPECT_THAT(next().front(),
              HasSubstr("no newer long-term or production branch for these GPUs that still gets fixes"));
}

}  // namespace
}  // namespace gpugauge::stack
