// Checks the driver itself: branch and patch level, known defects, the fabric manager, copies of its library.
#include <algorithm>

#include <fmt/format.h>

#include "stack/rules/driver_branch.hpp"
#include "stack/rules/driver_parts.hpp"
#include "stack/rules/fabric.hpp"

namespace gpugauge::stack {
namespace {

void check_patch(const RuleInput& input, const DriverBranch& branch, const Version& driver,
                 Findings& findings) {
  if (!branch.latest || !(driver < *branch.latest)) return;
  Finding finding =
      make_finding(Cause("driver_patch_behind"), Severity::note,
                   fmt::format("Driver {} is behind {}, the newest known of its branch",
                               printable(input.inventory.value("driver.version"), 24), branch.latest->text()),
                   "Later patch levels of a branch bring fixes, security fixes among them, and change no "
                   "feature.");
  add_seen(finding, input.inventory, {{"driver.version", "driver"}});
  finding.evidence.push_back(fmt::format("newest of branch {} known to the table: {}{}", branch.branch,
                                         branch.latest->text(),
                                         branch.latest_date.empty() ? "" : " of " + branch.latest_date));
  finding.next = {"Plan the update within the branch, with a measurement before and after it"};
  finding.sources = {cited(branch.source)};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

/// What to install instead of a branch, for this machine's GPUs.
std::vector<std::string> steps_from(const RuleInput& input, const DriverBranch& branch) {
  if (std::vector<std::string> steps = vgpu_steps(input.inventory); !steps.empty()) return steps;
  const std::vector<Version> capabilities = gpu_capabilities(input.inventory);
  const auto from = [&](int number) {
    return advised_branch(input.tables, Version({number}), capabilities, input.policy, input.today);
  };
  const DriverBranch* better = from(branch.branch);
  if (better == &branch) better = from(branch.branch + 1);  // this is the branch to leave
  std::vector<std::string> steps;
  if (better == nullptr) {
    const std::string wanted =
        fmt::format("{}branch{} that still gets fixes",
                    input.policy == Policy::production ? "long-term or production " : "",
                    capabilities.empty() ? "" : " for these GPUs");
    better = from(0);
    if (better == nullptr || better == &branch)
      return {fmt::format("The tables know no {}{}.", better == nullptr ? "" : "newer ", wanted),
              "docs/compatibility.md lists the branches and what they drive"};
    steps.push_back(fmt::format("The tables know no newer {}; an older one is {} ({}).", wanted,
                                better->branch, branch_text(*better)));
  } else {
    steps.push_back(branch_advice(better, capabilities, input.policy));
  }
  if (capabilities.empty())
    steps.emplace_back("See first that it drives the GPUs here, which did not answer: docs/compatibility.md");
  if (better->latest)
    steps.push_back(
        fmt::format("See what the step takes: gpugauge doctor --plan driver={}", better->latest->text()));
  return steps;
}

void check_branch(const RuleInput& input, const Version& driver, Findings& findings) {
  const DriverBranch* const branch = input.tables.branch(driver);
  if (branch != nullptr) {
    const auto add = [&](std::optional<Finding> finding) {
      if (!finding) return;
      finding->next = steps_from(input, *branch);
      Finding shown = std::move(*finding);
      std::vector<std::string> of_branch = std::move(shown.evidence);
      shown.evidence.clear();
      add_seen(shown, input.inventory, {{"driver.version", "driver"}});
      shown.evidence.insert(shown.evidence.end(), of_branch.begin(), of_branch.end());
      findings.push_back(std::move(shown));
    };
    add(branch_end_finding(*branch, input.today));
    // Patch level and kind of branch follow from the vGPU release.
    if (!vgpu_steps(input.inventory).empty()) return;
    check_patch(input, *branch, driver, findings);
    add(branch_kind_finding(*branch, input.policy));
    return;
  }
  if (input.tables.driver_branches.empty()) return;
  Finding finding =
      make_finding(Cause("driver_branch_unknown"), Severity::note,
                   fmt::format("Driver branch {} is unknown to the tables of this build", driver.major()),
                   "Nothing can be said of its end of life, its newest patch level or what it supports.");
  add_seen(finding, input.inventory, {{"driver.version", "driver"}});
  finding.next = {"Look the branch up in NVIDIA's list of driver branches, or update GPUGauge"};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

void check_known_issues(const RuleInput& input, const Version& driver, Findings& findings) {
  const std::string version = printable(input.inventory.value("driver.version"), 24);
  Finding finding = make_finding(
      Cause("driver_known_issue"), Severity::note, fmt::format("Driver {} has known issues", version),
      "The table names what was reported of this version; whether it is met here depends on the GPU "
      "and on the work.");
  add_seen(finding, input.inventory, {{"driver.version", "driver"}});
  bool found = false;
  for (const KnownIssue& issue : input.tables.known_issues) {
    if (issue.layer != "driver" || !issue.versions.contains(driver)) continue;
    if (!concerns(input.inventory, issue)) continue;
    found = true;
    finding.severity = std::min(finding.severity, weighed(Severity::warning, issue.source));
    finding.evidence.push_back(fmt::format("drivers {}: {}", issue.versions.text(), sentence(issue.issue)));
    if (issue.fixed) finding.next.push_back(fmt::format("Update to {} or newer", issue.fixed->text()));
    finding.sources.push_back(cited(issue.source));
  }
  if (!found) return;
  if (std::vector<std::string> steps = vgpu_steps(input.inventory); !steps.empty())
    finding.next = std::move(steps);
  if (finding.next.empty())
    finding.next = {"See whether it concerns this machine; no fixed version is known"};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

/// Checks the fabric manager without error 802, which check_start_up explains: 802 will come at the next
/// boot.
void check_fabric(const RuleInput& input, Findings& findings) {
  if (code_of(input.inventory, "cuda.init.code") == 802) return;
  const Fabric fabric = look_at_fabric(input.inventory);
  if (std::optional<Finding> finding = fabric_manager_finding(input.inventory, fabric)) {
    findings.push_back(std::move(*finding));
  } else if (!fabric.waiting.empty()) {
    findings.push_back(fabric_waiting_finding(input.inventory, fabric));
  }
  if (!fabric.unhealthy.empty()) findings.push_back(fabric_unhealthy_finding(input.inventory, fabric));
}

/// Reports two different versions of the driver's own libcuda: two installation methods were mixed.
void check_driver_copies(const RuleInput& input, Findings& findings) {
  const Inventory& inventory = input.inventory;
  std::optional<Version> first;
  std::vector<std::string> copies;
  bool differ = false;
  for (const std::string& child : inventory.children("driver.libcuda")) {
    const std::string prefix = "driver.libcuda." + child;
    const auto version = version_of(inventory, prefix + ".version");
    if (!is(inventory, prefix + ".kind", "driver") || !version) continue;
    differ = differ || (first && *first != *version);
    if (!first) first = version;
    copies.push_back(fmt::format("libcuda {} ({})", printable(inventory.value(prefix + ".version"), 24),
                                 printable(inventory.value(prefix + ".path"))));
  }
  if (!differ) return;
  Finding finding = make_finding(
      Cause("driver_library_duplicate"), Severity::warning,
      "The driver's library is installed more than once, in different versions",
      "Which copy a program gets depends on its search path, and only the one of the kernel "
      "module's version works. Usually a distribution's package and NVIDIA's installer were mixed.");
  finding.evidence = std::move(copies);
  add_seen(finding, inventory,
           {{"driver.kernel_module_version", "kernel module"}, {"driver.source", "installed by:"}});
  finding.next = {
      "Remove the one that does not belong to the loaded module: the package, or sudo nvidia-uninstall "
      "for NVIDIA's installer"};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

void check_nouveau_beside(const RuleInput& input, Findings& findings) {
  const Inventory& inventory = input.inventory;
  if (!inventory.has("driver.kernel_module_version")) return;  // check_start_up reports this
  Finding finding =
      make_finding(Cause("nouveau_loaded"), Severity::warning, "nouveau holds a GPU beside NVIDIA's driver",
                   "A GPU that the kernel's own driver nouveau has taken is not there for CUDA.");
  for (const std::string& child : inventory.children("pci")) {
    const std::string prefix = "pci." + child;
    if (is(inventory, prefix + ".driver", "nouveau"))
      finding.evidence.push_back(
          fmt::format("{}: bound to nouveau", printable(inventory.value(prefix + ".address"), 40)));
  }
  if (finding.evidence.empty()) return;
  finding.next = {
      "Switch nouveau off (\"blacklist nouveau\" in /etc/modprobe.d), rebuild the initramfs, reboot"};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

void check_wsl(const RuleInput& input, Findings& findings) {
  if (!is(input.inventory, "host.os", "wsl2") || !is(input.inventory, "driver.libcuda_kind", "driver"))
    return;
  Finding finding =
      make_finding(Cause("wsl_linux_driver_installed"), Severity::failure,
                   "A Linux driver is installed inside WSL and hides the one that Windows provides",
                   "In WSL libcuda.so.1 comes from the Windows driver (/usr/lib/wsl/lib). A Linux driver "
                   "package inside WSL "
                   "puts its own in front of it, and that one finds no kernel module.");
  add_seen(finding, input.inventory,
           {{"driver.libcuda_path", "libcuda.so.1"}, {"driver.libcuda_version", "libcuda"}});
  finding.next = {
      "Remove the Linux driver's packages inside WSL (keep the toolkit: cuda-toolkit-*, not cuda)",
      "Have /usr/lib/wsl/lib in /etc/ld.so.conf.d/ld.wsl.conf, then sudo ldconfig"};
  finding.sources = {"NVIDIA CUDA on WSL user guide"};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<Version> gpu_capabilities(const Inventory& inventory) {
  std::vector<Version> capabilities;
  for (const GpuView& gpu : gpus_of(inventory))
    if (const auto capability = Version::parse(gpu.value("compute_capability")))
      capabilities.push_back(*capability);
  return capabilities;
}

void check_driver(const RuleInput& input, Findings& findings) {
  check_wsl(input, findings);
  check_driver_copies(input, findings);
  check_nouveau_beside(input, findings);
  check_fabric(input, findings);
  const auto driver = version_of(input.inventory, "driver.version");
  if (driver && !in_wsl(input.inventory)) {  // in WSL the number is that of the Windows driver
    check_branch(input, *driver, findings);
    check_known_issues(input, *driver, findings);
    check_kernel(input, *driver, findings);
  }
  check_next_boot(input, findings);
  check_upkeep(input, findings);
  check_modes(input, findings);
}

}  // namespace gpugauge::stack
