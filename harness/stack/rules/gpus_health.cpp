// Faults of the GPU itself: loss, memory rows, pages, power and heat.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/gpu_health.hpp"
#include "stack/rules/gpus_parts.hpp"

namespace gpugauge::stack {
namespace {

/// The GPUs for which a predicate holds.
template <class Predicate>
GpuViews those(const GpuViews& gpus, Predicate predicate) {
  GpuViews some;
  for (const GpuView& gpu : gpus)
    if (predicate(gpu)) some.push_back(gpu);
  return some;
}

void report(Finding finding, const GpuViews& some, const std::vector<const char*>& facts,
            Findings& findings) {
  for (const GpuView& gpu : some) {
    std::string line = gpu.name() + ":";
    for (const char* const fact : facts) line += fmt::format(" {} {},", fact, gpu.shown(fact));
    line.pop_back();
    finding.evidence.push_back(std::move(line));
  }
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

void check_lost(const GpuViews& gpus, Findings& findings) {
  const GpuViews lost = those(gpus, [](const GpuView& gpu) { return gpu.is("lost", "yes"); });
  if (lost.empty()) return;
  Finding finding = make_finding(
      Cause("gpu_lost"), Severity::failure,
      fmt::format("{} has fallen off the bus", lost.size() == 1 ? lost[0].name() : named(lost, gpus.size())),
      "The driver knows the GPU and gets no answer from it any more. Heat, power, a riser or slot, or a "
      "defect "
      "are the usual causes.");
  if (lost.size() > 1) finding.title = fmt::format("{} have fallen off the bus", named(lost, gpus.size()));
  finding.next = {fmt::format("{}; a reboot is often not enough", result::power_cycle_step),
                  "If it comes back: have the slot, the power and the card checked"};
  report(std::move(finding), lost, {"lost"}, findings);
}

Finding of_memory(Cause cause, Severity severity, const result::MemoryFault& fault, const std::string& gpus) {
  return make_finding(cause, severity, fault.title(gpus), std::string(fault.why));
}

void check_rows(const Inventory& inventory, const GpuViews& gpus, Findings& findings) {
  const std::vector<const char*> facts{"remapped_correctable", "remapped_uncorrectable", "remap_pending",
                                       "remap_failed"};
  const GpuViews failed = those(gpus, [](const GpuView& gpu) { return gpu.is("remap_failed", "yes"); });
  const GpuViews healed = those(gpus, [](const GpuView& gpu) {
    return !gpu.is("remap_failed", "yes") && gpu.number("remapped_uncorrectable").value_or(0) > 0;
  });
  const GpuViews pending = those(gpus, [](const GpuView& gpu) { return gpu.is("remap_pending", "yes"); });
  if (!failed.empty()) {
    Finding finding = of_memory(Cause("hbm_row_remap"), Severity::failure, result::remap_failed,
                                named(failed, gpus.size()));
    finding.next = {std::string(result::replace_step)};
    finding.sources = {std::string(result::memory_errors_guide)};
    report(std::move(finding), failed, facts, findings);
  }
  if (!pending.empty()) {
    Finding finding = of_memory(Cause("row_remap_pending"), Severity::warning, result::remap_pending,
                                named(pending, gpus.size()));
    finding.next = {reset_advice(inventory, pending)};
    finding.sources = {std::string(result::memory_errors_guide)};
    report(std::move(finding), pending, facts, findings);
  }
  if (!healed.empty()) {
    Finding finding = make_finding(
        Cause("hbm_row_remap"), Severity::note,
        fmt::format("Memory rows of {} were remapped after uncorrectable errors", named(healed, gpus.size())),
        "The GPU has repaired itself with spare rows and works as before; a count that grows announces a "
        "defect.");
    finding.next = {"Watch the count: nvidia-smi -q -d ROW_REMAPPER"};
    report(std::move(finding), healed, facts, findings);
  }
}

void check_pages(const Inventory& inventory, const GpuViews& gpus, Findings& findings) {
  const GpuViews retired =
      those(gpus, [](const GpuView& gpu) { return gpu.is("retired_pages_pending", "yes"); });
  if (!retired.empty()) {
    Finding finding = of_memory(Cause("retired_pages_pending"), Severity::warning,
                                result::retired_pages_pending, named(retired, gpus.size()));
    finding.next = {reset_advice(inventory, retired)};
    finding.sources = {"NVIDIA dynamic page retirement"};
    report(std::move(finding), retired, {"retired_pages_pending"}, findings);
  }
  const GpuViews errors =
      those(gpus, [](const GpuView& gpu) { return gpu.number("ecc_uncorrected_volatile").value_or(0) > 0; });
  if (errors.empty()) return;
  Finding finding = of_memory(Cause("ecc_uncorrected_errors"), Severity::warning, result::ecc_uncorrected,
                              errors.size() == 1 ? errors[0].name() : named(errors, gpus.size()));
  finding.next = {reset_advice(inventory, errors), std::string(result::watch_step)};
  report(std::move(finding), errors, {"ecc_uncorrected_volatile"}, findings);
}

/// True if throttle_reasons contains the reason, in NVML's words or their short form.
bool slowed_by(const GpuView& gpu, std::string_view reason) {
  return gpu.value("throttle_reasons").find(reason) != std::string::npos;
}

/// "while idle" if all of them are; else "now", with the processes that use them, if known.
std::string when(const GpuViews& some) {
  if (std::all_of(some.begin(), some.end(),
                  [](const GpuView& gpu) { return activity_of(gpu) == Activity::idle; }))
    return "while idle";
  double processes = 0;
  for (const GpuView& gpu : some) processes += gpu.number("processes").value_or(0);
  if (processes < 1) return "now";
  return fmt::format("now ({:g} process{} on {})", processes, processes > 1 ? "es" : "",
                     some.size() == 1 ? "it" : "them");
}

void check_brake(const GpuViews& gpus, Findings& findings) {
  const GpuViews brake = those(gpus, [](const GpuView& gpu) { return slowed_by(gpu, "hw_power_brake"); });
  if (brake.empty()) return;
  Finding finding = make_finding(
      Cause("hw_power_brake"), Severity::warning,
      fmt::format("The power brake holds down {} {}", named(brake, gpus.size()), when(brake)),
      "The server's power supply asks the GPU to slow down: a supply failed, is overloaded, or its signal is "
      "stuck. Computing slows to a fraction; memory keeps its speed.");
  finding.considered = {"thermal_throttle: the reason named is the power brake"};
  finding.next = {"Look at the power supplies and their cables, and in the BMC's event log"};
  report(std::move(finding), brake, {"throttle_reasons", "temperature_c", "processes"}, findings);
}

/// Under load, software holds many healthy GPUs at their target temperature. Something is wrong if this
/// happens without work, or if the hardware itself intervenes.
void check_heat(const GpuViews& gpus, Findings& findings) {
  const auto by_hardware = [](const GpuView& gpu) {
    return slowed_by(gpu, "hw_thermal") ||
           (slowed_by(gpu, "hw_slowdown") && !slowed_by(gpu, "hw_power_brake"));
  };
  const auto resting = [](const GpuView& gpu) { return activity_of(gpu) == Activity::idle; };
  const std::vector<const char*> facts{"throttle_reasons", "temperature_c", "processes"};
  const char* const look = "Look at fans, airflow and temperature: nvidia-smi -q -d TEMPERATURE,PERFORMANCE";
  const GpuViews grave = those(gpus, [&](const GpuView& gpu) {
    return by_hardware(gpu) || (slowed_by(gpu, "sw_thermal") && resting(gpu));
  });
  const GpuViews warm = those(gpus, [&](const GpuView& gpu) {
    return slowed_by(gpu, "sw_thermal") && !by_hardware(gpu) && !resting(gpu);
  });
  if (!grave.empty()) {
    const bool idle = std::all_of(grave.begin(), grave.end(), resting);
    Finding finding = make_finding(
        Cause("thermal_throttle"), Severity::warning,
        fmt::format("Heat or a hardware slowdown holds down {} {}", named(grave, gpus.size()), when(grave)),
        idle ? "A GPU that is slowed without work will be slower with it."
             : "The work on such a GPU runs at a lower clock until it is cooler or the slowdown ends.");
    finding.next = {look};
    report(std::move(finding), grave, facts, findings);
  }
  if (!warm.empty()) {
    Finding finding = make_finding(
        Cause("thermal_throttle"), Severity::note,
        fmt::format("The driver holds down {} for heat {}", named(warm, gpus.size()), when(warm)),
        "Under load a GPU may be held at its target temperature, which is ordinary; it counts where the GPU "
        "is slowed without work, or is slower than its neighbours.");
    finding.next = {"Look again when nothing runs, or compare with the other GPUs under the same load", look};
    report(std::move(finding), warm, facts, findings);
  }
}

/// The GPUs' addresses on the PCI bus; the index of one that tells none.
std::vector<std::string> places_of(const GpuViews& some) {
  std::vector<std::string> out;
  for (const GpuView& gpu : some) {
    const std::string pci = gpu.value("pci");
    out.push_back(printable(pci.empty() ? gpu.index() : pci, 20));
  }
  return out;
}

}  // namespace

Activity activity_of(const GpuView& gpu) {
  const auto processes = gpu.number("processes");
  if (processes && *processes > 0) return Activity::used;
  return processes && slowed_by(gpu, "idle") ? Activity::idle : Activity::unknown;
}

std::string smi_for(const GpuViews& some, std::string_view options) {
  const std::vector<std::string> places = places_of(some);
  if (places.size() == 1) return fmt::format("`sudo nvidia-smi -i {} {}`", places.front(), options);
  return fmt::format("`for gpu in {}; do sudo nvidia-smi -i $gpu {}; done`", fmt::join(places, " "), options);
}

std::string reset_advice(const Inventory& inventory, const GpuViews& some) {
  if (is(inventory, "vgpu.guest", "yes")) return "The GPU is the host's to reset: ask its administrator";
  const std::vector<std::string> places = places_of(some);
  return result::reset_step(some.size(),
                            places.empty() ? "<its place>" : fmt::format("{}", fmt::join(places, ",")));
}

void check_health(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  check_lost(gpus, findings);
  check_rows(input.inventory, gpus, findings);
  check_pages(input.inventory, gpus, findings);
  check_brake(gpus, findings);
  check_heat(gpus, findings);
}

}  // namespace gpugauge::stack
