// Checks a container or guest against its host: the image's CUDA, the C library, WSL.
#include <fmt/format.h>

#include "stack/plan/plan_fit.hpp"
#include "stack/rules/host_parts.hpp"

namespace gpugauge::stack {
namespace {

/// Reports an image that needs a newer CUDA major version than the host's driver runs.
void check_image(const RuleInput& input, Findings& findings) {
  const Inventory& inventory = input.inventory;
  if (container_of(inventory).empty()) return;
  const auto wanted = version_of(inventory, "container.image_cuda");
  const auto most = version_of(inventory, "driver.cuda_max");
  const auto driver = version_of(inventory, "driver.kernel_module_version");
  if (!wanted) return;
  const MinimumDriver* const minimum = input.tables.minimum_driver(wanted->major());
  const bool by_cuda = most && most->major() < wanted->major();
  const bool by_driver = !most && minimum != nullptr && driver && *driver < minimum->driver;
  const bool minor = !by_cuda && most && most->major() == wanted->major() && *most < wanted->first(2);
  if (!by_cuda && !by_driver && !minor) return;
  const std::string image = printable(inventory.value("container.image_cuda"), 20);
  const Severity severity =
      minor || (by_driver && !minimum->source.read) ? Severity::note : Severity::failure;
  Finding finding =
      make_finding(Cause("container_newer_than_host"), severity,
                   minor ? fmt::format("The image's CUDA {} is a newer minor version than the driver's {}",
                                       image, printable(inventory.value("driver.cuda_max"), 20))
                         : fmt::format("The image's CUDA {} is too new for the host's driver", image),
                   minor ? "Programs run within one major version; only PTX that must be compiled at start "
                           "(error 222) needs "
                           "the newer driver."
                         : "An image brings its own CUDA, the driver is always the host's. A driver runs "
                           "every minor version of "
                           "its own CUDA major version and older ones, but no newer major version.");
  add_seen(finding, inventory,
           {{"container.image_cuda", "the image's CUDA"},
            {"driver.cuda_max", "newest CUDA of the driver:"},
            {"driver.kernel_module_version", "the host's kernel module"},
            {"container.require", "the image requires"}});
  if (minimum != nullptr) {
    finding.evidence.push_back(
        fmt::format("oldest driver for CUDA {}: {}", wanted->major(), minimum->driver.text()));
    finding.sources = {cited(minimum->source)};
  }
  finding.next =
      minor ? std::vector<std::string>{"Nothing, unless error 222 is met; then update the host's driver"}
            : std::vector<std::string>{"Update the driver on the host",
                                       "Or take the image for an older "
                                       "CUDA major version"};
  finding.layers = {"container", "driver", "cuda"};
  findings.push_back(std::move(finding));
}

void check_libc(const RuleInput& input, Findings& findings) {
  // Current binary releases need it: manylinux_2_28 wheels, and RHEL 8, the oldest system of CUDA 13.
  constexpr std::string_view prefix = "glibc ";
  const std::string text = input.inventory.value("host.libc");
  if (!text.starts_with(prefix)) return;
  const auto libc = Version::parse(std::string_view(text).substr(prefix.size()));
  if (!libc || !(*libc < current_libc())) return;
  const bool in_container = !container_of(input.inventory).empty();
  Finding finding = make_finding(
      in_container ? Cause("container_old_libc") : Cause("old_libc"), Severity::warning,
      fmt::format("The C library is too old ({}) for current builds of CUDA and of frameworks",
                  printable(text, 30)),
      "Wheels marked manylinux_2_28, as PyTorch's since 2.6, and CUDA 13 need glibc 2.28 or newer; pip then "
      "installs an older release, or a program ends with \"GLIBC_2.28 not found\".");
  add_seen(finding, input.inventory, {{"host.libc", "C library:"}, {"host.distribution", "system:"}});
  finding.next = {in_container ? "Take an image of a newer distribution (the host may stay as it is)"
                               : "Upgrade the distribution, or work in a container of a newer one"};
  finding.sources = {libc_source()};
  finding.layers = {"host"};
  findings.push_back(std::move(finding));
}

void check_wsl_limits(const RuleInput& input, Findings& findings) {
  if (!in_wsl(input.inventory)) return;
  Finding finding = make_finding(Cause("wsl_limits"), Severity::note,
                                 "This is WSL: the GPU is driven by Windows, with some limits",
                                 "NVML answers only a part of the questions here, pinned memory is limited, "
                                 "managed memory cannot be used by "
                                 "processor and GPU at the same time, and an allocation above the GPU's "
                                 "memory may silently go to system "
                                 "memory.");
  add_seen(finding, input.inventory, {{"host.os", "system:"}, {"driver.version", "driver"}});
  finding.next = {"For comparable numbers measure on Linux itself"};
  finding.sources = {"NVIDIA CUDA on WSL user guide"};
  finding.layers = {"host"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_container(const RuleInput& input, Findings& findings) {
  check_image(input, findings);
  check_libc(input, findings);
  check_wsl_limits(input, findings);
}

}  // namespace gpugauge::stack
