// A kernel without a module: how to install one, and whether the driver is too old for it.
#include <algorithm>

#include <fmt/format.h>

#include "stack/hardware.hpp"
#include "stack/inventory/driver.hpp"
#include "stack/inventory/packages.hpp"
#include "stack/rules/driver_branch.hpp"
#include "stack/rules/driver_parts.hpp"

namespace gpugauge::stack {
namespace {

/// "6.18" from "6.18.3-generic"; nullopt for other text.
std::optional<Version> line_of(const std::string& release) {
  const auto version = Version::parse(first_version(release));
  if (!version || version->size() < 2) return std::nullopt;
  return version->first(2);
}

/// The lowest branch from this one on that supports these GPUs, still gets fixes and was packaged for the
/// kernel.
const KernelSupport* branch_for(const RuleInput& input, const std::vector<Version>& capabilities,
                                const Version& driver, const Version& kernel) {
  const KernelSupport* best = nullptr;
  for (const KernelSupport& row : input.tables.kernels) {
    const DriverBranch* const branch = input.tables.branch(row.driver);
    if (row.driver.major() < driver.major() || !row.kernel.contains(kernel)) continue;
    if (branch == nullptr || has_ended(*branch, input.today)) continue;
    if (!suits(input.tables, *branch, capabilities, input.policy)) continue;
    if (best == nullptr || row.driver < best->driver) best = &row;
  }
  return best;
}

bool any_package(const Inventory& inventory, std::string_view beginning, bool dkms) {
  return std::any_of(inventory.items().begin(), inventory.items().end(), [&](const Item& item) {
    return item.presence == Presence::present && item.key.starts_with(beginning) &&
           (item.key.find("dkms") != std::string::npos) == dkms;
  });
}

/// SUSE's package of kernel modules: "nvidia-open-driver-G06-signed-kmp-default"; "" if there is none.
std::string kmp_of(const Inventory& inventory) {
  for (const std::string& child : inventory.children("package")) {
    const std::string name = package_name(inventory, child);
    if (name.find("-kmp") != std::string::npos && driver_part(name) == DriverPart::module)
      return printable(name, 128);
  }
  return "";
}

}  // namespace

std::vector<std::string> module_steps(const Inventory& inventory, std::string_view kernel) {
  if (kernel.empty()) return {};
  const std::string builder = inventory.value("driver.dkms");
  const bool packaged = any_package(inventory, "package.linux-modules-nvidia", false) ||
                        any_package(inventory, "package.kmod-nvidia", false);
  if (builder == "yes")
    return {fmt::format("Install the headers of kernel {} and build: sudo dkms autoinstall -k {}", kernel,
                        kernel),
            "Read why the last build failed: /var/lib/dkms/nvidia/*/build/make.log"};
  if (any_package(inventory, "package.akmod-nvidia", false))
    return {fmt::format("Install kernel-devel of kernel {} and build: sudo akmods --force --kernels {}",
                        kernel, kernel),
            "Read why the last build failed: /var/cache/akmods/nvidia/*.failed.log"};
  if (const std::string kmp = kmp_of(inventory); builder != "installer" && !kmp.empty())
    return {
        fmt::format("Install {} again, in the driver's version and built for kernel {}: sudo zypper "
                    "install --force {}",
                    kmp, kernel, kmp),
        fmt::format("See whether it reached that kernel: find /lib/modules/{} -name 'nvidia*.ko*'", kernel)};
  if (builder == "precompiled" || (builder != "installer" && packaged))
    return {
        fmt::format("Install the module package of kernel {} in the driver's version, as other kernels "
                    "here have one; Ubuntu's linux-modules-nvidia-<branch>-<flavour> brings it to every "
                    "new kernel",
                    kernel)};
  if (builder == "installer")
    return {
        fmt::format("Run the installer of the driver that is there for it: sudo sh NVIDIA-Linux-*.run -K "
                    "-k {}",
                    kernel)};
  return {
      fmt::format("Give kernel {} its module in the way the driver was installed: by its module package "
                  "(linux-modules-nvidia-*, kmod-nvidia-*), or with DKMS by its headers and sudo dkms "
                  "autoinstall -k {}",
                  kernel, kernel)};
}

bool is_brought_by_container(const Inventory& inventory) {
  if (!missing(inventory, "driver.libcuda_path")) return false;
  const auto copies = inventory.children("driver.libcuda");
  return std::any_of(copies.begin(), copies.end(), [&](const std::string& copy) {
    return is_for_containers(inventory.value("driver.libcuda." + copy + ".path"));
  });
}

void check_kernel(const RuleInput& input, const Version& driver, Findings& findings) {
  const Inventory& inventory = input.inventory;
  if (is_brought_by_container(inventory)) return;
  const KernelSupport* const row = input.tables.kernel_support(driver);
  if (row == nullptr || !row->kernel.most || !container_of(inventory).empty()) return;
  struct Place {
    const char* module;
    const char* release;
    const char* label;
  };
  for (const Place& place :
       {Place{"driver.module_for_running_kernel", "kernel.version", "running kernel"},
        Place{"driver.module_for_newest_kernel", "driver.newest_kernel", "newest installed kernel"}}) {
    const auto kernel = line_of(inventory.value(place.release));
    // A kernel that has its module proves that it can be built.
    if (!is(inventory, place.module, "no") || !kernel || *kernel <= *row->kernel.most) continue;
    Finding finding =
        make_finding(Cause("kernel_newer_than_driver"), Severity::note,
                     fmt::format("Kernel {} is newer than those that driver branch {} was packaged for",
                                 kernel->text(), driver.major()),
                     "NVIDIA's module is compiled against the kernel, whose interfaces change from release "
                     "to release: an older "
                     "driver's module then cannot be built, or not without patches.");
    add_seen(finding, inventory,
             {{place.release, place.label}, {place.module, "module for it:"}, {"driver.version", "driver"}});
    finding.evidence.push_back(
        fmt::format("driver {}, the newest of its branch in the table: kernels up to {}", row->driver.text(),
                    row->kernel.most->text()));
    const std::vector<Version> capabilities = gpu_capabilities(inventory);
    const std::string most = row->kernel.most->text();
    if (const KernelSupport* const better = branch_for(input, capabilities, driver, *kernel)) {
      finding.next.push_back(fmt::format("Update to driver {} or newer, packaged for kernels up to {}{}",
                                         better->driver.text(), better->kernel.most->text(),
                                         capabilities.empty() ? ", if it still drives these GPUs" : ""));
      finding.next.push_back(fmt::format("Or start a kernel up to {}, and hold it", most));
    } else {
      finding.next.push_back(fmt::format("Start a kernel up to {}, and hold it", most));
    }
    finding.sources = {cited(row->source)};
    finding.layers = {"driver", "kernel"};
    findings.push_back(std::move(finding));
    return;
  }
}

}  // namespace gpugauge::stack
