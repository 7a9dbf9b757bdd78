// What will change about the driver unasked, at the next boot or upgrade; and the modes it runs in.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/inventory/packages.hpp"
#include "stack/plan/pins.hpp"
#include "stack/rules/cuda_support.hpp"
#include "stack/rules/driver_parts.hpp"

namespace gpugauge::stack {
namespace {

struct DriverPackage {
  std::string name;
  std::string version;
  std::string held;  ///< "yes", "no", or "" if unknown
};

/// The packages through which a driver change arrives; these should be held.
std::vector<DriverPackage> driver_packages(const Inventory& inventory) {
  constexpr std::string_view prefix = "package.";
  constexpr std::string_view suffix = ".version";
  std::vector<DriverPackage> packages;
  for (const Item& item : inventory.items()) {
    const std::string_view key = item.key;
    if (item.presence != Presence::present || !key.starts_with(prefix) || !key.ends_with(suffix) ||
        key.size() <= prefix.size() + suffix.size())
      continue;
    const std::string_view name = key.substr(prefix.size(), key.size() - prefix.size() - suffix.size());
    const std::string whole = package_name(inventory, std::string(name));
    if (driver_part(whole) == DriverPart::none) continue;
    // The name goes into a command, so it must not be cut.
    packages.push_back({printable(whole, 128), printable(item.value, 40),
                        inventory.value(fmt::format("package.{}.held", name))});
  }
  return packages;
}

std::vector<std::string> evidence_of(const std::vector<DriverPackage>& packages) {
  constexpr std::size_t most = 6;
  std::vector<std::string> lines;
  for (const DriverPackage& package : packages) {
    if (lines.size() == most) {
      lines.push_back(fmt::format("and {} more packages", packages.size() - most));
      break;
    }
    lines.push_back(fmt::format("package {} {}: {}", package.name, package.version,
                                package.held == "yes"  ? "held"
                                : package.held == "no" ? "not held"
                                                       : "held or not is unknown"));
  }
  return lines;
}

void check_module_options(const RuleInput& input, Findings& findings) {
  // Options that affect computing; others (display, power saving) are ignored.
  constexpr std::array telling{"EnableGpuFirmware",           "RegistryDwords",
                               "OpenRmEnableUnsupportedGpus", "RmMsg",
                               "EnableResizableBar",          "EnablePCIERelaxedOrderingMode"};
  std::vector<std::string> set;
  for (const char* const name : telling) {
    const std::string text =
        seen(input.inventory, fmt::format("driver.module_parameters.{}", name), std::string(name) + " =");
    if (!text.empty() && input.inventory.has(fmt::format("driver.module_parameters.{}", name)))
      set.push_back(text);
  }
  if (set.empty()) return;
  Finding finding = make_finding(Cause("module_parameters_set"), Severity::note,
                                 "Options of the NVIDIA kernel module differ from their defaults",
                                 "Somebody set them; they outlive driver updates and are easily forgotten.");
  finding.evidence = std::move(set);
  finding.next = {"Find where they are set: grep -r nvidia /etc/modprobe.d, and the kernel command line"};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

void check_vgpu(const RuleInput& input, Findings& findings) {
  const Inventory& inventory = input.inventory;
  if (!is(inventory, "vgpu.guest", "yes") || !is(inventory, "vgpu.licence", "unlicensed")) return;
  Finding finding = make_finding(Cause("vgpu_unlicensed"), Severity::warning,
                                 "This vGPU has no licence: it is slowed down after a while",
                                 "A vGPU guest without a licence works at full speed for a grace period "
                                 "only; then NVIDIA's driver limits "
                                 "it.");
  add_seen(finding, inventory,
           {{"vgpu.licence", "licence:"}, {"vgpu.version", "vGPU release"}, {"driver.version", "driver"}});
  finding.considered = {"Power and clocks: they would be low, which is not needed to explain a slow vGPU"};
  finding.next = {
      "See the state: nvidia-smi -q | grep -i license",
      "Put the client configuration token into /etc/nvidia/ClientConfigToken, then sudo systemctl "
      "restart nvidia-gridd; read its log for the server it cannot reach"};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

/// A host knows its guests' drivers; a guest does not know its host's.
void check_vgpu_guests(const RuleInput& input, Findings& findings) {
  const Inventory& inventory = input.inventory;
  const auto host = version_of(inventory, "driver.version");
  if (!host) return;
  Finding finding = make_finding(Cause("vgpu_driver_mismatch"), Severity::failure,
                                 "A guest's driver does not go with this host's vGPU manager", "");
  for (const std::string& id : inventory.children("vgpu.instance")) {
    const std::string key = fmt::format("vgpu.instance.{}.guest_driver", id);
    const auto guest = version_of(inventory, key);
    if (!guest) continue;
    const PairFit pair = fit_vgpu(input.tables, *guest, *host);
    note_unknown(findings, pair);
    if (pair.fit != Fit::fails) continue;
    finding.explanation = pair.reason;
    finding.evidence.push_back(seen(inventory, key, fmt::format("vGPU {}: guest driver", id)));
    finding.next = {pair.remedy};
    finding.sources = pair.sources;
  }
  if (finding.evidence.empty()) return;
  add_seen(finding, inventory, {{"driver.version", "host driver"}, {"vgpu.version", "vGPU release"}});
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

void check_confidential(const RuleInput& input, Findings& findings) {
  const std::string mode = input.inventory.value("driver.confidential_computing");
  if (mode != "on" && mode != "devtools") return;
  const bool tools = mode == "devtools";
  Finding finding =
      make_finding(Cause("confidential_computing"), tools ? Severity::warning : Severity::note,
                   tools ? "Confidential computing is in its developer mode, which protects nothing"
                         : "Confidential computing is on: copies are encrypted and launches take longer",
                   "Copies between host and GPU pass through encrypted buffers and each launch costs more; "
                   "work that stays "
                   "on the GPU keeps its speed. Compare only with machines in the same mode.");
  add_seen(finding, input.inventory, {{"driver.confidential_computing", "confidential computing"}});
  finding.next = {"See the mode: nvidia-smi conf-compute -f"};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_next_boot(const RuleInput& input, Findings& findings) {
  const Inventory& inventory = input.inventory;
  const std::string newest = inventory.value("driver.newest_kernel");
  if (!is(inventory, "driver.module_for_newest_kernel", "no") || newest.empty() ||
      newest == inventory.value("kernel.version") || !container_of(inventory).empty() ||
      is_brought_by_container(inventory))
    return;
  const bool works_now = inventory.has("driver.kernel_module_version") ||
                         is(inventory, "driver.module_for_running_kernel", "yes");
  if (!works_now) return;  // check_start_up already reports this
  const std::string kernel = printable(newest, 60);
  Finding finding =
      make_finding(Cause("module_missing_for_newest_kernel"), Severity::warning,
                   "The newest installed kernel has no NVIDIA module",
                   fmt::format("If kernel {} is started next, as boot loaders usually do, the GPUs are gone: "
                               "NVIDIA's module was not built for it.",
                               kernel));
  add_seen(finding, inventory,
           {{"kernel.version", "running kernel"},
            {"driver.newest_kernel", "newest installed kernel"},
            {"driver.module_for_newest_kernel", "module for it:"},
            {"driver.dkms", "built by DKMS:"}});
  finding.next = module_steps(inventory, kernel);
  finding.layers = {"driver", "kernel"};
  findings.push_back(std::move(finding));
}

void check_upkeep(const RuleInput& input, Findings& findings) {
  const Inventory& inventory = input.inventory;
  const std::vector<DriverPackage> packages = driver_packages(inventory);
  if (packages.empty() || !container_of(inventory).empty()) return;
  const bool production = input.policy == Policy::production;
  const auto loose = [](const DriverPackage& package) { return package.held == "no"; };
  const bool any_loose = std::any_of(packages.begin(), packages.end(), loose);
  if (production && any_loose) {
    Finding finding = make_finding(
        Cause("driver_not_held"), Severity::warning, "The driver's packages are not held at their version",
        "The next upgrade of the system may change the driver: the libraries at once, the module at the next "
        "boot, and in between CUDA does not start.");
    finding.evidence = evidence_of(packages);
    std::vector<std::string> names;
    for (const DriverPackage& package : packages)
      if (loose(package)) names.push_back(package.name);
    finding.next = {"Hold them: " + hold_command(system_manager(inventory), names)};
    finding.layers = {"driver"};
    findings.push_back(std::move(finding));
  }
  if (!any_loose || !is(inventory, "packages.unattended_upgrades", "on")) return;
  const std::string covers = inventory.value("packages.unattended_covers_driver");
  if (covers != "yes" && !(covers == "unknown" && production)) return;
  Finding finding = make_finding(
      Cause("unattended_driver_upgrade"), production && covers == "yes" ? Severity::warning : Severity::note,
      covers == "yes" ? "Unattended upgrades may replace the driver at any time"
                      : "Unattended upgrades are on, and may or may not cover the driver",
      "An unattended upgrade replaces the driver's libraries under the loaded module; until the next boot "
      "every new program then fails with a version mismatch (803, NVML 18).");
  add_seen(finding, inventory,
           {{"packages.unattended_upgrades", "unattended upgrades:"},
            {"packages.unattended_covers_driver", "cover the driver:"}});
  finding.next = {is(inventory, "packages.database", "rpm")
                      ? "Hold the driver's packages, or name them in excludepkgs in /etc/dnf/dnf.conf"
                      : "Hold the driver's packages, or put them into Unattended-Upgrade::Package-Blacklist"};
  finding.layers = {"driver"};
  findings.push_back(std::move(finding));
}

void check_modes(const RuleInput& input, Findings& findings) {
  check_module_options(input, findings);
  check_vgpu(input, findings);
  check_vgpu_guests(input, findings);
  check_confidential(input, findings);
}

}  // namespace gpugauge::stack
