// Forward compatibility: a newer libcuda on an older kernel driver.
#include <fmt/format.h>

#include "stack/plan/plan_gpu_models.hpp"
#include "stack/rules/cuda_parts.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::stack {
namespace {

const char* const stated = "NVIDIA CUDA Compatibility, \"Forward Compatibility\"";

/// GPUs of one kind.
GpuViews of_market(const GpuViews& gpus, Market market) {
  GpuViews found;
  for (const GpuView& gpu : gpus) {
    if (market_of(gpu.value("name"), gpu.value("brand")) == market) found.push_back(gpu);
  }
  return found;
}

void check_geforce(const RuleInput& input, Findings& findings) {
  const GpuViews gpus = gpus_of(input.inventory);
  const GpuViews geforce = of_market(gpus, Market::geforce);
  // A package with exactly the kernel module's version is no forward compatibility, and works.
  if (geforce.empty() || cuda_works(input.inventory)) return;
  Finding finding = make_finding(Cause("forward_compat_on_geforce"), Severity::failure,
                                 "A forward-compatibility package is in use on a GeForce card",
                                 "The libcuda that programs get is that of a cuda-compat package. NVIDIA "
                                 "supports it on data-centre GPUs and "
                                 "few others; on this card CUDA ends with error 804.");
  add_seen(finding, input.inventory,
           {{"driver.libcuda_path", "libcuda"}, {"driver.kernel_module_version", "kernel module"}});
  finding.evidence.push_back(
      fmt::format("{}: {}", named(geforce, gpus.size()), geforce.front().shown("name")));
  finding.considered = {
      "mixed driver versions: that is error 803, and the copy in a compat folder explains itself"};
  finding.next = {
      "take the compat folder out of LD_LIBRARY_PATH and /etc/ld.so.conf.d, or remove the package "
      "cuda-compat",
      "upgrade the driver to one that supports the CUDA that is wanted"};
  finding.sources = {stated};
  finding.layers = {"driver", "cuda"};
  findings.push_back(std::move(finding));
}

void check_workstation(const RuleInput& input, Findings& findings) {
  const GpuViews gpus = gpus_of(input.inventory);
  const GpuViews cards = of_market(gpus, Market::workstation);
  if (cards.empty() || !of_market(gpus, Market::geforce).empty()) return;
  // CUDA has started, so the card is a supported one.
  if (cuda_works(input.inventory)) return;
  Finding finding = make_finding(
      Cause("forward_compat_unsupported"), Severity::note, "Forward compatibility on a workstation card",
      "The libcuda that programs get is that of a cuda-compat package. Of workstation cards NVIDIA supports "
      "it on "
      "selected ones only, which the tables do not name; on the others CUDA ends with error 804.");
  add_seen(finding, input.inventory, {{"driver.libcuda_path", "libcuda"}});
  finding.evidence.push_back(fmt::format("{}: {}", named(cards, gpus.size()), cards.front().shown("name")));
  finding.sources = {stated};
  finding.layers = {"driver", "cuda"};
  findings.push_back(std::move(finding));
}

void check_older(const RuleInput& input, Findings& findings) {
  const auto compat = version_of(input.inventory, "driver.libcuda_version");
  const auto module = version_of(input.inventory, "driver.kernel_module_version");
  if (!compat || !module || *compat >= *module) return;
  Finding finding =
      make_finding(Cause("forward_compat_older_than_driver"), Severity::warning,
                   "The forward-compatibility package in use is older than the driver",
                   "The package is meant to bring a newer libcuda than the driver's. This one is older: it "
                   "takes CUDA back "
                   "to its own version, or ends with error 803 because it does not match the kernel module.");
  add_seen(finding, input.inventory,
           {{"driver.libcuda_path", "libcuda"},
            {"driver.libcuda_version", "libcuda"},
            {"driver.kernel_module_version", "kernel module"}});
  finding.next = {
      "take the compat folder out of LD_LIBRARY_PATH and /etc/ld.so.conf.d, so that the driver's own "
      "libcuda is picked",
      "remove the package cuda-compat, or upgrade it"};
  finding.sources = {stated};
  finding.layers = {"driver", "cuda"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_forward_compatibility(const RuleInput& input, Findings& findings) {
  if (!is(input.inventory, "forward_compat.in_use", "yes")) return;
  check_geforce(input, findings);
  check_workstation(input, findings);
  check_older(input, findings);
}

}  // namespace gpugauge::stack
