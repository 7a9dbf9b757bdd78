// Checks toolkit and runtime against the driver and the GPUs.
#include <algorithm>

#include <fmt/format.h>

#include "stack/rules/cuda_parts.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::stack {
namespace {

/// What programs here are built or run with: the selected toolkit, and a runtime library that the loader
/// picks from elsewhere.
struct Cuda {
  std::string what;  ///< "the selected toolkit"
  Version version;
  std::string evidence;
};

std::vector<Cuda> cudas_of(const Inventory& inventory) {
  std::vector<Cuda> cudas;
  if (const auto toolkit = selected_toolkit(inventory)) {
    cudas.push_back({"The selected toolkit", toolkit->version,
                     seen(inventory, toolkit->key + ".version", "toolkit") + ", selected by " +
                         printable(inventory.value("toolkit.selected_by"), 40)});
  }
  // A wheel's runtime only concerns its framework.
  const auto copies = copies_of(inventory, "cudart");
  if (!copies.empty() && copies.front().reachable() && copies.front().version &&
      copies.front().version->size() >= 2) {
    const Version release = copies.front().version->first(2);
    if (cudas.empty() || cudas.front().version.first(2) != release)
      cudas.push_back({"The CUDA runtime that the loader picks", release, copies.front().shown()});
  }
  return cudas;
}

void check_against_driver(const RuleInput& input, Findings& findings) {
  for (const Cuda& cuda : cudas_of(input.inventory)) {
    const PairFit pair = fit_driver_here(input, cuda.version);
    const DriverView driver = driver_of(input.inventory);
    if (!driver.version && !driver.cuda_max) return;
    note_unknown(findings, pair);
    if (pair.fit != Fit::fails && pair.fit != Fit::limited) continue;
    const bool fails = pair.fit == Fit::fails;
    Finding finding =
        pair_finding(fails ? Cause("toolkit_newer_than_driver") : Cause("toolkit_minor_newer_than_driver"),
                     fails ? Severity::failure : Severity::note,
                     fmt::format("{} ({}) is {}", cuda.what, cuda.version.first(2).text(),
                                 fails ? "newer than the driver allows"
                                       : "of a newer minor version than the driver's CUDA"),
                     pair);
    if (!fails) finding.explanation = "NVIDIA supports this. " + finding.explanation;
    finding.evidence = {cuda.evidence, pair.first};
    finding.considered.emplace_back(
        "the figure that nvidia-smi calls CUDA Version: it is this limit of the driver, not an installed "
        "toolkit");
    if (!fails)
      finding.next.emplace_back("or build real code for every GPU here, so that no PTX has to be compiled");
    else
      finding.next.push_back(fmt::format("or select a toolkit that the driver supports{}",
                                         driver.cuda_max ? ", up to CUDA " + driver.cuda_max->text() : ""));
    finding.layers = {"cuda", "driver"};
    findings.push_back(std::move(finding));
  }
}

void check_against_gpus(const RuleInput& input, Findings& findings) {
  const auto toolkit = selected_toolkit(input.inventory);
  if (!toolkit) return;
  const auto capabilities = capabilities_of(input.inventory);
  const std::size_t all = gpus_of(input.inventory).size();
  for (const CapabilityView& capability : capabilities) {
    const PairFit pair = fit_cuda_gpu(input.tables, toolkit->version, capability.version);
    note_unknown(findings, pair);
    const bool related = related_code(input.tables, toolkit->version, capability.version).has_value();
    if (pair.fit != Fit::fails && pair.fit != Fit::limited && !related) continue;
    const bool dropped = pair.fit == Fit::fails;
    Finding finding = pair_finding(
        dropped ? Cause("gpu_dropped_by_toolkit") : Cause("old_toolkit_codegen"),
        dropped   ? Severity::failure
        : related ? Severity::note
                  : Severity::warning,
        fmt::format("Toolkit {} {} {}", toolkit->version.first(2).text(),
                    dropped ? "no longer supports" : "is older than", named(capability.gpus, all)),
        pair);
    if (related)
      finding.next = {"Select a toolkit that generates code for this GPU, for code that is tuned for it"};
    finding.evidence = {seen(input.inventory, toolkit->key + ".version", "toolkit"),
                        capability_text(capability, all)};
    finding.layers = {"cuda", "gpu"};
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_cuda(const RuleInput& input, Findings& findings) {
  check_against_driver(input, findings);
  check_against_gpus(input, findings);
  check_forward_compatibility(input, findings);
  check_toolkit_environment(input, findings);
  check_host_compiler(input, findings);
  check_extension_builds(input, findings);
  check_toolkit_system(input, findings);
}

}  // namespace gpugauge::stack
