// What is wrong with a GPU itself: lost, memory rows, pages, power and heat.
#include <array>

#include <fmt/format.h>

#include "stack/rules/gpus_parts.hpp"

namespace gpugauge::stack {
namespace {

/// The GPUs that a predicate picks.
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
  finding.next = {"Power the machine off and on; a reboot is often not enough",
                  "If it comes back: have the slot, the power and the card checked"};
  report(std::move(finding), lost, {"lost"}, findings);
}

void check_rows(const GpuViews& gpus, Findings& findings) {
  const std::vector<const char*> facts{"remapped_correctable", "remapped_uncorrectable", "remap_pending",
                                       "remap_failed"};
  const GpuViews failed = those(gpus, [](const GpuView& gpu) { return gpu.is("remap_failed", "yes"); });
  const GpuViews healed = those(gpus, [](const GpuView& gpu) {
    return !gpu.is("remap_failed", "yes") && gpu.number("remapped_uncorrectable").value_or(0) > 0;
  });
  const GpuViews pending = those(gpus, [](const GpuView& gpu) { return gpu.is("remap_pending", "yes"); });
  if (!failed.empty()) {
    Finding finding =
        make_finding(Cause("hbm_row_remap"), Severity::failure,
                     fmt::format("A memory row of {} could not be remapped", named(failed, gpus.size())),
                     "The spare rows of a memory bank are used up: the GPU can no longer repair itself "
                     "and is due for replacement.");
    finding.next = {"Take the GPU out of use and have it tested for replacement (NVIDIA's field diagnostic)"};
    finding.sources = {"NVIDIA GPU memory error management, row remapping"};
    report(std::move(finding), failed, facts, findings);
  }
  if (!pending.empty()) {
    Finding finding = make_finding(
        Cause("row_remap_pending"), Severity::warning,
        fmt::format("A memory row of {} waits to be remapped at the next reset", named(pending, gpus.size())),
        "A memory error was met, and the row is replaced by a spare one when the GPU is reset. Until then "
        "work "
        "that touches it may fail.");
    finding.next = {"Drain the GPU and reset it: sudo nvidia-smi --gpu-reset -i <index>, or reboot"};
    finding.sources = {"NVIDIA GPU memory error management, row remapping"};
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

void check_pages(const GpuViews& gpus, Findings& findings) {
  const GpuViews retired =
      those(gpus, [](const GpuView& gpu) { return gpu.is("retired_pages_pending", "yes"); });
  if (!retired.empty()) {
    Finding finding =
        make_finding(Cause("retired_pages_pending"), Severity::warning,
                     fmt::format("Memory pages of {} wait to be retired", named(retired, gpus.size())),
                     "A memory error was met, and the page is taken out of use when the driver is loaded "
                     "again. Until then "
                     "work that touches it may fail.");
    finding.next = {"Drain the GPU and reset it (sudo nvidia-smi --gpu-reset -i <index>), or reboot"};
    finding.sources = {"NVIDIA dynamic page retirement"};
    report(std::move(finding), retired, {"retired_pages_pending"}, findings);
  }
  const GpuViews errors =
      those(gpus, [](const GpuView& gpu) { return gpu.number("ecc_uncorrected_volatile").value_or(0) > 0; });
  if (errors.empty()) return;
  Finding finding =
      make_finding(Cause("ecc_uncorrected_errors"), Severity::warning,
                   fmt::format("{} met uncorrectable memory errors since the driver was loaded",
                               errors.size() == 1 ? errors[0].name() : named(errors, gpus.size())),
                   "Each of them ended a program or damaged its data.");
  finding.next = {
      "Reset the GPU, watch whether they come again (nvidia-smi -q -d ECC), and have it tested if so"};
  report(std::move(finding), errors, {"ecc_uncorrected_volatile"}, findings);
}

/// A reason among throttle_reasons, in NVML's words or their short form.
bool slowed_by(const GpuView& gpu, std::string_view reason) {
  return gpu.value("throttle_reasons").find(reason) != std::string::npos;
}

void check_slowdown(const GpuViews& gpus, Findings& findings) {
  const GpuViews brake = those(gpus, [](const GpuView& gpu) { return slowed_by(gpu, "hw_power_brake"); });
  const GpuViews heat = those(gpus, [](const GpuView& gpu) {
    return slowed_by(gpu, "hw_thermal") || slowed_by(gpu, "sw_thermal") ||
           (slowed_by(gpu, "hw_slowdown") && !slowed_by(gpu, "hw_power_brake"));
  });
  if (!brake.empty()) {
    Finding finding =
        make_finding(Cause("hw_power_brake"), Severity::warning,
                     fmt::format("The power brake holds down {} while idle", named(brake, gpus.size())),
                     "The server's power supply asks the GPU to slow down: a supply failed, is overloaded, "
                     "or its signal is "
                     "stuck. Computing slows to a fraction; memory keeps its speed.");
    finding.considered = {"thermal_throttle: the reason named is the power brake"};
    finding.next = {"Look at the power supplies and their cables, and in the BMC's event log"};
    report(std::move(finding), brake, {"throttle_reasons", "temperature_c"}, findings);
  }
  if (heat.empty()) return;
  Finding finding = make_finding(
      Cause("thermal_throttle"), Severity::warning,
      fmt::format("Heat or a hardware slowdown holds down {} while idle", named(heat, gpus.size())),
      "A GPU that is slowed without work will be slower with it.");
  finding.next = {"Look at fans, airflow and temperature: nvidia-smi -q -d TEMPERATURE,PERFORMANCE"};
  report(std::move(finding), heat, {"throttle_reasons", "temperature_c"}, findings);
}

}  // namespace

void check_health(const RuleInput& /*input*/, const GpuViews& gpus, Findings& findings) {
  check_lost(gpus, findings);
  check_rows(gpus, findings);
  check_pages(gpus, findings);
  check_slowdown(gpus, findings);
}

}  // namespace gpugauge::stack
