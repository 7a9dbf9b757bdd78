// GPU settings that somebody changed and may have forgotten.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "stack/plan/plan_gpu_models.hpp"
#include "stack/rules/gpus_parts.hpp"

namespace gpugauge::stack {
namespace {

void check_power(const GpuViews& gpus, Findings& findings) {
  GpuViews capped;
  std::map<double, GpuViews> by_default;  // in watts
  std::vector<std::string> evidence;
  for (const GpuView& gpu : gpus) {
    const auto limit = gpu.number("power_limit_watt");
    const auto standard = gpu.number("power_limit_default_watt");
    if (!limit || !standard || *limit > *standard - 0.5) continue;
    capped.push_back(gpu);
    by_default[*standard].push_back(gpu);
    evidence.push_back(fmt::format("{}: power limit {:g} W, default {:g} W", gpu.name(), *limit, *standard));
  }
  if (capped.empty()) return;
  Finding finding = make_finding(
      Cause("sw_power_cap"), Severity::warning,
      fmt::format("The power limit of {} is below its default", named(capped, gpus.size())),
      "Work that needs the power (large matrix products) runs at a lower clock; memory-bound work is hardly "
      "touched.");
  finding.evidence = std::move(evidence);
  finding.considered = {"A limit at its default that is reached under load is normal and is not meant here"};
  for (const auto& [watt, some] : by_default)
    finding.next.push_back("Back to the default: " + smi_for(some, fmt::format("-pl {:g}", watt)));
  finding.next.emplace_back("If it is meant, compare only with machines of the same limit");
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

void check_clocks(const GpuViews& gpus, Findings& findings) {
  GpuViews changed;
  std::vector<std::string> evidence;
  bool lower = false;
  for (const GpuView& gpu : gpus) {
    std::string line;
    for (const char* const clock : {"sm_clock_application", "memory_clock_application"}) {
      const auto now = gpu.number(fmt::format("{}_mhz", clock));
      const auto standard = gpu.number(fmt::format("{}_default_mhz", clock));
      if (!now || !standard || *now == *standard) continue;
      lower = lower || *now < *standard;
      line += fmt::format(
          "{} {} {:g} MHz, default {:g} MHz", line.empty() ? gpu.name() + ":" : ",",
          clock == std::string("sm_clock_application") ? "SM application clock" : "memory application clock",
          *now, *standard);
    }
    if (line.empty()) continue;
    changed.push_back(gpu);
    evidence.push_back(std::move(line));
  }
  if (changed.empty()) return;
  Finding finding = make_finding(
      Cause("locked_clocks_left"), lower ? Severity::warning : Severity::note,
      fmt::format("Application clocks of {} differ from their default", named(changed, gpus.size())),
      "Application clocks hold the GPU at a chosen clock until they are reset or the driver is unloaded; an "
      "earlier job or test may have left them.");
  finding.evidence = std::move(evidence);
  finding.considered = {"Clocks locked with nvidia-smi -lgc cannot be read; -rgc resets them as well"};
  finding.next = {fmt::format("Reset: {}, then {} and {}", smi_for(changed, "-rac"), smi_for(changed, "-rgc"),
                              smi_for(changed, "-rmc"))};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

void check_pending(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  std::vector<std::string> evidence;
  GpuViews waiting;
  std::map<std::string, GpuViews> back;  // by the options that take the change back
  for (const GpuView& gpu : gpus) {
    for (const std::string fact : {"ecc", "mig"}) {
      const std::string now = gpu.value(fact);
      const std::string later = gpu.value(fact + "_pending");
      if (now.empty() || later.empty() || now == later) continue;
      evidence.push_back(fmt::format("{}: {} {} now, {} after the next reset", gpu.name(),
                                     fact == "ecc" ? "ECC" : "MIG", printable(now, 20),
                                     printable(later, 20)));
      if (waiting.empty() || waiting.back().index() != gpu.index()) waiting.push_back(gpu);
      back[fmt::format("{} {}", fact == "ecc" ? "-e" : "-mig", now == "on" ? 1 : 0)].push_back(gpu);
    }
  }
  if (evidence.empty()) return;
  Finding finding = make_finding(
      Cause("pending_setting"), Severity::warning, "A changed GPU setting waits for the next reset or reboot",
      "The GPU will behave differently after it: what is measured now does not hold then.");
  finding.evidence = std::move(evidence);
  finding.next = {reset_advice(input.inventory, waiting)};
  for (const auto& [options, some] : back)
    finding.next.push_back("Or take the change back: " + smi_for(some, options));
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

void check_mig(const GpuViews& gpus, Findings& findings) {
  GpuViews on;
  for (const GpuView& gpu : gpus)
    if (gpu.is("mig", "on")) on.push_back(gpu);
  if (on.empty()) return;
  const bool some = on.size() < gpus.size();
  Finding finding = make_finding(
      Cause("mig_left_enabled"), some ? Severity::warning : Severity::note,
      fmt::format("MIG mode is on for {}{}", named(on, gpus.size()), some ? ", not for the others" : ""),
      "An instance has a part of the GPU's processors and memory, and no peer-to-peer access; on some GPUs "
      "the "
      "mode outlives a reboot.");
  for (const GpuView& gpu : on) {
    std::string line = gpu.name() + ": MIG on";
    if (!gpu.value("sm_count").empty()) line += fmt::format(", {} SMs", gpu.shown("sm_count"));
    if (!gpu.value("memory_mib").empty()) line += fmt::format(", {} MiB", gpu.shown("memory_mib"));
    finding.evidence.push_back(std::move(line));
  }
  finding.next = {"If it is not meant: " + smi_for(on, "-mig 0"),
                  "If it is, compare only with instances of the same profile"};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

void check_compute_mode(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  GpuViews restricted;
  bool prohibited = false;
  for (const GpuView& gpu : gpus) {
    const std::string mode = gpu.value("compute_mode");
    if (mode.empty() || mode == "default" || mode == "0") continue;
    restricted.push_back(gpu);
    prohibited = prohibited || mode == "prohibited" || mode == "2";
  }
  if (restricted.empty() || input.inventory.value("cuda.init.code") == "46") return;
  Finding finding = make_finding(
      Cause("compute_mode_restricts"), prohibited ? Severity::failure : Severity::note,
      fmt::format("The compute mode of {} restricts who may use it", named(restricted, gpus.size())),
      prohibited ? "A GPU in the mode prohibited takes no CUDA program."
                 : "An exclusive GPU takes one process at a time; a second one gets error 46.");
  for (const GpuView& gpu : restricted)
    finding.evidence.push_back(fmt::format("{}: compute mode {}", gpu.name(), gpu.shown("compute_mode")));
  finding.next = {"If it is not meant: " + smi_for(restricted, "-c DEFAULT")};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

/// True for data-centre cards only. Consumer and workstation cards have a display that keeps the driver
/// loaded; for models without a known market nothing is certain.
bool data_centre(const GpuView& gpu) {
  return market_of(gpu.value("name"), gpu.value("brand")) == Market::data_centre;
}

void check_persistence(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  GpuViews off;
  for (const GpuView& gpu : gpus)
    if (gpu.is("persistence", "off") && data_centre(gpu)) off.push_back(gpu);
  if (off.empty() || in_wsl(input.inventory) || is(input.inventory, "vgpu.guest", "yes")) return;
  Finding finding = make_finding(
      Cause("persistence_mode_off"), Severity::warning,
      fmt::format("Persistence mode is off on {}: every first start of CUDA is slow",
                  named(off, gpus.size())),
      "Without a client the driver takes the GPU down, and the next program waits until it is up again: "
      "seconds, more with many GPUs. Settings such as application clocks are lost each time.");
  for (const GpuView& gpu : off) finding.evidence.push_back(gpu.name() + ": persistence off");
  add_seen(
      finding, input.inventory,
      {{"driver.persistenced", "nvidia-persistenced:"}, {"cuda.init.seconds", "cuInit took, in seconds:"}});
  finding.considered = {
      "Compiling of PTX at the first start (ptx_jit_startup): it does not depend on this mode"};
  const bool runs = is(input.inventory, "driver.persistenced", "running");
  if (!container_of(input.inventory).empty())
    finding.next = {
        "On the host: sudo systemctl enable --now nvidia-persistenced; where it runs already with "
        "--no-persistence-mode (Ubuntu's unit), take that option out, or sudo nvidia-smi -pm 1 until reboot"};
  else if (runs)
    finding.next = {
        "nvidia-persistenced runs and leaves the mode off, as with --no-persistence-mode in Ubuntu's unit: sudo "
        "systemctl edit nvidia-persistenced, and write [Service], ExecStart= and ExecStart=/usr/bin/"
        "nvidia-persistenced --user nvidia-persistenced --verbose, a line each; then sudo systemctl restart "
        "nvidia-persistenced",
        "Or sudo nvidia-smi -pm 1, which lasts until reboot"};
  else
    finding.next = {
        "sudo systemctl enable --now nvidia-persistenced (or sudo nvidia-smi -pm 1 until reboot)"};
  finding.layers = {"gpu", "driver"};
  findings.push_back(std::move(finding));
}

void check_processes(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  GpuViews used;
  for (const GpuView& gpu : gpus)
    if (gpu.number("processes").value_or(0) > 0) used.push_back(gpu);
  if (used.empty()) return;
  Finding finding = make_finding(Cause("other_processes"), Severity::note,
                                 fmt::format("Other processes use {}", named(used, gpus.size())),
                                 "What is measured beside them is slower and varies.");
  for (const GpuView& gpu : used) {
    finding.evidence.push_back(fmt::format("{}: {} other processes", gpu.name(), gpu.shown("processes")));
    add_entries(finding, input.inventory, gpu.key("process"), "process");
  }
  finding.next = {"Measure when the GPUs are free"};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

/// What the GPU was doing when its link was read.
std::string sampled(const GpuView& gpu) {
  const std::string word = gpu.value("pcie_sampled");
  return word.empty() || word == "unknown" ? "not known whether it was idle"
                                           : "sampled " + printable(word, 20);
}

void check_link(const GpuViews& gpus, Findings& findings) {
  std::vector<std::string> narrow;
  for (const GpuView& gpu : gpus) {
    const auto width = gpu.number("pcie_width");
    const auto most = gpu.number("pcie_width_max");
    if (width && most && *width > 0 && *width < *most)
      narrow.push_back(
          fmt::format("{}: {:g} of {:g} PCIe lanes in use ({})", gpu.name(), *width, *most, sampled(gpu)));
  }
  if (narrow.empty()) return;
  Finding finding = make_finding(
      Cause("pcie_link_degraded"), Severity::note, "A PCIe link is narrower than GPU and slot allow",
      "Copies to and from the host are slower in proportion. A GPU at rest may narrow its link to save "
      "power, "
      "so a copy under load decides. The generation is not judged here: it drops when idle.");
  finding.evidence = std::move(narrow);
  finding.next = {
      "Look under load: nvidia-smi -q | grep -A8 'GPU Link Info' while a copy runs",
      "If it stays: reseat the card, and look at the slot's wiring and the firmware's bifurcation"};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_settings(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  check_power(gpus, findings);
  check_clocks(gpus, findings);
  check_pending(input, gpus, findings);
  check_mig(gpus, findings);
  check_compute_mode(input, gpus, findings);
  check_persistence(input, gpus, findings);
  check_link(gpus, findings);
  check_processes(input, gpus, findings);
}

}  // namespace gpugauge::stack
