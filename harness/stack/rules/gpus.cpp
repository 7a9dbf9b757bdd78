// Checks which GPUs are present: unresponsive ones, ones hidden from CUDA, and generations against the
// driver.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "stack/rules/gpus_parts.hpp"
#include "stack/rules/start_up.hpp"

namespace gpugauge::stack {
namespace {

/// Reports that CUDA shows fewer GPUs than NVML.
void check_hidden(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  const Inventory& inventory = input.inventory;
  const double shown = number_of(inventory, "cuda.devices").value_or(0);
  const double there = number_of(inventory, "nvml.devices").value_or(0);
  const bool mig =
      std::any_of(gpus.begin(), gpus.end(), [](const GpuView& gpu) { return gpu.is("mig", "on"); });
  if (!cuda_works(inventory) || shown >= there || mig) return;
  const std::optional<VisibleDevices> visible = visible_devices(inventory, gpus);
  // If the variable names a GPU that CUDA does not show, the variable did not hide it.
  const bool asked = visible && (visible->unknown || visible->named <= shown);
  std::string why = "CUDA_VISIBLE_DEVICES hides the others from every program started in this environment.";
  const std::string_view kept_away =
      "away: a compute mode that prohibits them, device nodes that may not be opened, or a GPU that did not "
      "start.";
  if (!visible)
    why = fmt::format("CUDA_VISIBLE_DEVICES is not set, so something else keeps the others {}", kept_away);
  if (visible && !asked)
    why = fmt::format(
        "CUDA_VISIBLE_DEVICES names {} of them and CUDA shows {:g}, so something else keeps the rest of "
        "those {}",
        visible->named, shown, kept_away);
  Finding finding = make_finding(
      asked ? Cause("gpus_hidden") : Cause("gpu_count_differs"), asked ? Severity::note : Severity::warning,
      fmt::format("CUDA shows {:g} of the {:g} GPUs that NVML sees", shown, there), std::move(why));
  add_seen(finding, inventory,
           {{"cuda.devices", "devices that CUDA shows:"},
            {"nvml.devices", "GPUs that NVML sees:"},
            {"env.CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"},
            {"driver.device_nodes", "device nodes:"}});
  if (visible && visible->stop)
    finding.evidence.push_back(
        fmt::format("CUDA stops at \"{}\", which names no GPU here", printable(*visible->stop, 80)));
  finding.next = {asked ? "Nothing, if that is meant: a scheduler sets it for each job; else unset it"
                        : "Compare nvidia-smi -L with ls -l /dev/nvidia*, and look at the compute modes"};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

/// Checks these GPUs' architectures against the driver's branch.
void check_generations(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  const auto driver = version_of(input.inventory, "driver.version");
  if (!driver || in_wsl(input.inventory)) return;  // Windows drivers have numbers of another series
  std::map<std::string, GpuViews> by_capability;
  for (const GpuView& gpu : gpus) by_capability[gpu.value("compute_capability")].push_back(gpu);
  for (const auto& [text, some] : by_capability) {
    const auto capability = Version::parse(text);
    const Architecture* const row = capability ? input.tables.architecture(*capability) : nullptr;
    if (row == nullptr) continue;
    const bool ended = row->last_driver_branch && driver->major() > *row->last_driver_branch;
    const bool early = row->first_driver && *driver < *row->first_driver;
    const bool last = row->last_driver_branch && driver->major() == *row->last_driver_branch;
    if (!ended && !early && !last) continue;
    const std::string which = named(some, gpus.size());
    Finding finding =
        last
            ? make_finding(Cause("gpu_last_driver_branch"), weighed(Severity::note, row->source),
                           fmt::format("Branch {} is the last driver for {} GPUs ({})",
                                       *row->last_driver_branch, row->name, which),
                           "Later branches do not drive this generation: an upgrade of the driver would lose "
                           "these GPUs.")
        : ended ? make_finding(
                      Cause("gpu_generation_not_driven"), weighed(Severity::failure, row->source),
                      fmt::format("Driver branch {} no longer drives {} GPUs ({})", driver->major(),
                                  row->name, which),
                      fmt::format("NVIDIA drives this generation up to branch {}.", *row->last_driver_branch))
                : make_finding(
                      Cause("gpu_generation_not_driven"), weighed(Severity::failure, row->source),
                      fmt::format("Driver {} is older than {} GPUs ({})",
                                  printable(input.inventory.value("driver.version"), 24), row->name, which),
                      fmt::format("The first driver for this generation is {}.", row->first_driver->text()));
    if (!last && cuda_works(input.inventory)) {
      finding.severity = Severity::note;
      finding.explanation += " CUDA shows them all the same, so the table may be wrong here.";
    }
    add_seen(finding, input.inventory, {{"driver.version", "driver"}});
    for (const GpuView& gpu : some)
      finding.evidence.push_back(
          fmt::format("{}: {}, compute capability {}", gpu.name(), gpu.shown("name"), printable(text, 20)));
    finding.next = {last    ? fmt::format("Hold the driver at branch {}", *row->last_driver_branch)
                    : ended ? fmt::format("Install a driver of branch {}", *row->last_driver_branch)
                            : fmt::format("Install driver {} or newer", row->first_driver->text())};
    finding.sources = {cited(row->source)};
    finding.layers = {"gpu", "driver"};
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_presence(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  check_unanswered(input, gpus, findings);
  check_hidden(input, gpus, findings);
  check_generations(input, gpus, findings);
}

void check_gpus(const RuleInput& input, Findings& findings) {
  const GpuViews gpus = gpus_of(input.inventory);
  check_presence(input, gpus, findings);
  check_health(input, gpus, findings);
  check_xids(input, findings);
  check_switches(input, findings);
  check_siblings(input, gpus, findings);
  check_settings(input, gpus, findings);
}

}  // namespace gpugauge::stack
