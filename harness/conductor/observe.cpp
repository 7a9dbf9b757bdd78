// Builds the observation of one device from its rounds, verdicts and baseline.
#include "conductor/observe.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "conductor/framework_notes.hpp"
#include "conductor/gpu_before.hpp"
#include "conductor/gpu_memory.hpp"
#include "conductor/host_load.hpp"
#include "conductor/jit_cache_notes.hpp"
#include "conductor/nvlinks.hpp"
#include "conductor/observe_changes.hpp"
#include "conductor/observe_failures.hpp"
#include "conductor/observe_figures.hpp"
#include "conductor/observe_nccl.hpp"
#include "conductor/observe_notes.hpp"
#include "conductor/observe_scopes.hpp"
#include "conductor/observe_spread.hpp"
#include "conductor/pair_ways.hpp"
#include "conductor/persisting_l2.hpp"
#include "conductor/product_notes.hpp"
#include "conductor/stack_facts.hpp"
#include "conductor/work_samples.hpp"
#include "diagnose/vocabulary.hpp"
#include "judge/load_seen.hpp"
#include "judge/products.hpp"
#include "result/build.hpp"
#include "result/device_kind.hpp"
#include "result/facts.hpp"
#include "result/metric_key.hpp"
#include "result/number.hpp"
#include "result/processor_list.hpp"
#include "result/throttle_reasons.hpp"

namespace gpugauge::conductor {
namespace {

using diagnose::Observation;
using judge::Verdict;
using judge::VerdictKind;
using Runs = std::vector<result::Run>;

/// Adds kernel names of products that should use Tensor Cores and are slower or wrong. Kernels of a healthy
/// benchmark would count in its favour, and fp32 products use no Tensor Cores. Where the Tensor Core proof of
/// a library's or the suite's products failed, it adds the kernels on CUDA cores. If there are none, it adds
/// all of their kernels.
void add_kernels(const Runs& runs, const std::vector<Verdict>& verdicts, Observation& out) {
  constexpr std::array tensor_classes{"gemmtf32", "gemm16", "gemm8"};
  std::set<std::string> bad;  // benchmarks, and "tensor_cores/PRODUCTS" with a failed proof
  for (const Verdict& verdict : verdicts)
    if (verdict.kind == VerdictKind::regressed || verdict.kind == VerdictKind::failed)
      bad.insert(result::benchmark_of(verdict.metric));
  std::set<std::string> slow, unproven, simt;
  const auto add = [&](const result::BenchmarkResult& benchmark, const std::string& kernel) {
    for (const result::Metric& metric : benchmark.metrics) {
      if (std::find(tensor_classes.begin(), tensor_classes.end(), metric.metric_class) ==
          tensor_classes.end())
        continue;
      const std::string proof =
          fmt::format("tensor_cores/{}{}", judge::products_of(metric.metric_class, benchmark.id),
                      judge::own_kernels(benchmark.id) ? "/hardware" : "");
      if (bad.contains(benchmark.id)) slow.insert(kernel);
      if (!bad.contains(proof)) continue;
      (result::fact(benchmark.notes, "kernel_path") == "simt" ? simt : unproven).insert(kernel);
    }
  };
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks)
        if (const auto names = benchmark.notes.find("kernel"); names != benchmark.notes.end())
          add(benchmark, names->second);
    }
  slow.merge(simt.empty() ? unproven : simt);
  out.kernels.assign(slow.begin(), slow.end());
}

const std::string* fact(const result::Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? nullptr : &found->second;
}

void add_throttling(const std::vector<double>& masks, Observation& out) {
  // The last reason concerns displays and is no word of an observation
  constexpr std::size_t observed_reasons = 8;
  if (masks.empty()) return;
  constexpr double often = .1;
  diagnose::Value::List reasons;
  for (std::size_t bit = 0; bit < observed_reasons; ++bit) {
    const auto count = std::count_if(masks.begin(), masks.end(),
                                     [bit](double mask) { return result::has_throttle_reason(mask, bit); });
    if (static_cast<double>(count) > often * static_cast<double>(masks.size()))
      reasons.emplace_back(std::string(result::throttle_reasons[bit]));
  }
  if (reasons.empty()) reasons.emplace_back("none");
  out.telemetry["throttle_reasons"] = std::move(reasons);
}

void add_gpu(const std::string& uuid, const Runs& runs, const baseline::Baseline* before, Observation& out) {
  const std::string source = "gpu:" + uuid;
  const auto add = [&](const char* name, const char* key, double scale, const char* expected = nullptr) {
    if (const auto value = value_under_load(samples_of(runs, source, name)))
      out.telemetry[key] = *value * scale;
    if (expected == nullptr || before == nullptr) return;
    if (const auto value = value_under_load(samples_of(before->runs, source, name)))
      out.telemetry[expected] = *value * scale;
  };
  add("sm_clock_hz", "sm_clock_mhz", 1e-6, "sm_clock_expected_mhz");
  add("memory_clock_hz", "memory_clock_mhz", 1e-6, "memory_clock_expected_mhz");
  add("power_watts", "power_w", 1, "power_expected_w");
  add("temperature_celsius", "temperature_c", 1);
  add("memory_temperature_celsius", "memory_temperature_c", 1);
  add("utilization", "utilization_percent", 100);
  add("memory_used_bytes", "memory_used_mib", 1. / (1 << 20));
  add("pcie_generation", "pcie_generation", 1, "pcie_generation_expected");
  add("pcie_width", "pcie_width", 1, "pcie_width_expected");
  // What GPU and slot support together, according to NVML; the baseline itself may have had a narrow link.
  add("pcie_generation_max", "pcie_generation_max", 1);
  add("pcie_width_max", "pcie_width_max", 1);
  if (out.telemetry.contains("pcie_generation")) out.telemetry["pcie_sampled"] = "load";
  // The lowest number is the highest state.
  if (const auto state = lowest_under_load(samples_of(runs, source, "performance_state")))
    out.telemetry["pstate"] = fmt::format("P{:.0f}", *state);
  add_throttling(samples_of(runs, source, "throttle_reasons"), out);
}

/// "gpu.<n>.", the prefix of the device's own facts; "" for the host.
std::string gpu_prefix(const result::Fingerprint& fingerprint, const std::string& uuid) {
  for (const auto& [name, value] : fingerprint.device)
    if (name.ends_with(".uuid") && value == uuid)
      return name.substr(0, name.size() - std::string("uuid").size());
  return "";
}

void add_inventory(const result::Run& run, const std::string& prefix, Observation& out) {
  for (const result::Facts* facts :
       {&run.fingerprint.stack, &run.fingerprint.settings, &run.fingerprint.topology})
    for (const auto& [name, value] : *facts) {
      if (name.starts_with("env.")) {
        out.environment[name.substr(4)] = value;
        continue;
      }
      const bool own = !prefix.empty() && name.starts_with(prefix);
      const std::string key = own ? name_of_own(name.substr(prefix.size())) : name;
      const bool limit = own && key.starts_with("gpu.power_limit");
      if (limit) {
        const double watt = result::number_in<double>(value).value_or(0);
        if (watt > 0)
          out.telemetry[key == "gpu.power_limit_watt" ? "power_limit_w" : "power_limit_default_w"] = watt;
        continue;
      }
      if (value == "unknown" || key == "host.cpus_allowed") continue;
      const auto known = std::find_if(diagnose::inventory_keys.begin(), diagnose::inventory_keys.end(),
                                      [&](const diagnose::Key& entry) { return entry.name == key; });
      if (known != diagnose::inventory_keys.end())
        out.inventory[key] =
            value == "absent" ? diagnose::Value() : diagnose::Value(own ? state_of(value) : value);
    }
  if (const std::string* allowed = fact(run.fingerprint.settings, "host.cpus_allowed"))
    if (const std::size_t count = result::parse_processors(*allowed).size(); count > 0)
      out.inventory["host.cpus_allowed"] = static_cast<double>(count);
  if (const double count = processors(run); count > 0) out.inventory["host.cpus"] = count;
}

/// What a driver library answered at its start. Code 0 is no error.
void add_answer(const stack::Inventory& node, const std::string& prefix, const char* api, Observation& out) {
  const std::optional<double> code = result::number_in<double>(node.value(prefix + ".code"));
  if (!code || *code == 0) return;
  out.errors.push_back({api, *code, node.value(prefix + ".name")});
}

}  // namespace

Observation observe(const report::DeviceReport& device, const baseline::Baseline* before,
                    const SeenNode& node) {
  Observation out;
  if (device.rounds.empty()) return out;
  const Runs* const earlier = before == nullptr ? nullptr : &before->runs;
  const result::Run& run = device.rounds.front();
  const result::Run set = judge::with_settings_of_all(device.rounds);
  const result::DeviceKind kind = result::device_kind(run.device);
  const bool links =
      kind == result::DeviceKind::links;  // links concern all GPUs; the model is that of the first
  const std::string uuid = kind == result::DeviceKind::gpu ? run.device : "";
  std::string prefix = uuid.empty() ? "" : gpu_prefix(run.fingerprint, uuid);
  if (links && fact(run.fingerprint.device, "gpu.0.name") != nullptr) prefix = "gpu.0.";
  out.about.source = fmt::format("gpugauge check of {}, {}", run.device, run.started);
  if (!prefix.empty()) {
    if (const std::string* name = fact(run.fingerprint.device, prefix + "name")) out.about.gpu = *name;
    if (const std::string* capability = fact(run.fingerprint.device, prefix + "compute_capability"))
      out.about.compute_capability = *capability;
  }
  out.about.compared_with = before != nullptr ? "earlier" : "expected";
  add_figures(device.verdicts, out);
  add_scopes(device.rounds, out);
  add_spreads(device, earlier, out);
  add_failures(device, out);
  add_benchmark_notes(device, out);
  add_kernels(device.rounds, device.verdicts, out);
  add_inventory(set, prefix, out);
  // A driver and its switches do not change what the processors do.
  const bool of_host = kind == result::DeviceKind::host;
  if (node.now != nullptr && !of_host) add_stack_facts(*node.now, uuid, out);
  add_host_load(device.rounds, earlier, out);
  add_processor_clock(device.rounds, earlier, out);
  if (before != nullptr) add_processor_pace(device.verdicts, device.rounds, before->runs, out);
  if (!uuid.empty()) add_gpu(uuid, device.rounds, before, out);
  if (links) {
    out.about.nodes = 1;
    add_nvlinks(device.rounds, out);
  }
  add_pair_ways(device.rounds, out);
  if (before != nullptr && !before->runs.empty()) {
    out.about.changed_is_all = true;
    out.changed = changes_between(set, before->runs.front(), prefix);
    if (node.now != nullptr && node.before != nullptr && !of_host)
      out.changed->merge(changed_stack_facts(*node.now, *node.before, uuid));
  }
  add_nccl(device.rounds, earlier, out);
  add_jit_cache(device.rounds, earlier, out);
  add_gpu_memory(device.rounds, out);
  add_gpu_before(device.rounds, earlier, out);
  add_persisting_l2(device.rounds, out);
  add_product_notes(device.rounds, earlier, out);
  add_framework_notes(device.rounds, earlier, out);
  return out;
}

Observation observe_among(const report::DeviceReport& device, const Runs& peers) {
  if (device.rounds.empty() || peers.empty()) return observe(device, nullptr);
  const result::Run& run = device.rounds.front();
  baseline::Baseline others;
  others.runs = peers;
  // A GPU's telemetry is looked for by its UUID.
  for (result::Run& peer : others.runs)
    for (result::Series& series : peer.telemetry)
      if (series.source == "gpu:" + peer.device) series.source = "gpu:" + run.device;
  Observation out = observe(device, &others);
  out.about.compared_with = "peers";
  const bool card = result::device_kind(run.device) == result::DeviceKind::gpu;
  out.changed = changes_from_peers(judge::with_settings_of_all(device.rounds), peers,
                                   card ? gpu_prefix(run.fingerprint, run.device) : "");
  return out;
}

namespace {

/// "2026-11-20T10:11:12 0000:01:00.0 79 GPU has fallen off the bus" as the kernel wrote it, behind its time:
/// "kernel log: 2026-11-20T10:11:12 Xid (PCI:0000:01:00.0): 79, GPU has ...".
std::string kernel_line(const char* word, const std::string& told) {
  const std::size_t device = told.find(' ');
  const std::size_t number = told.find(' ', std::min(told.size(), device + 1));
  const std::size_t rest = told.find(' ', std::min(told.size(), number + 1));
  if (device == std::string::npos || number == std::string::npos) return "kernel log: " + told;
  return fmt::format("kernel log: {} {} (PCI:{}): {},{}", told.substr(0, device), word,
                     told.substr(device + 1, number - device - 1), told.substr(number + 1, rest - number - 1),
                     rest == std::string::npos ? "" : told.substr(rest));
}

}  // namespace

void add_machine(const result::Fingerprint& fingerprint, const stack::Inventory& node, Observation& out) {
  Observation machine;
  result::Run nothing_measured;
  nothing_measured.fingerprint = fingerprint;
  add_inventory(nothing_measured, "", machine);
  add_stack_facts(node, "", machine);
  // A check has them of its telemetry; without one the kernel's log is all there is.
  for (const auto& [key, word] : {std::pair{"kernel_log.xid", "Xid"}, std::pair{"kernel_log.sxid", "SXid"}})
    for (const std::string& number : node.children(key))
      machine.log.push_back(kernel_line(word, node.value(fmt::format("{}.{}", key, number))));
  out.inventory.merge(machine.inventory);
  out.environment.merge(machine.environment);
  out.settings.merge(machine.settings);
  out.telemetry.merge(machine.telemetry);
  for (std::string& line : machine.log)
    if (std::find(out.log.begin(), out.log.end(), line) == out.log.end()) out.log.push_back(std::move(line));
}

Observation observe_unusable(const stack::GpuReport& gpus, const result::Fingerprint& fingerprint,
                             const stack::Inventory& node, const std::string& when) {
  Observation out;
  out.about.source = fmt::format("gpugauge check without a usable GPU, {}", when);
  out.about.compared_with = "expected";
  if (gpus.state != stack::GpuState::no_hardware) {
    diagnose::Metric start;
    start.metric_class = "init";
    start.fails = true;
    out.metrics.push_back(std::move(start));
  }
  add_machine(fingerprint, node, out);
  // What starts here is this build's own runtime.
  if (gpus.state == stack::GpuState::driver_too_old) out.inventory["cuda.runtime"] = result::build().cuda;
  add_answer(node, "cuda.init", "driver", out);
  add_answer(node, "nvml.init", "nvml", out);
  if (const auto code = result::number_in<double>(node.value("nvml.init.code")))
    out.probes.push_back({"nvml_query", *code == 0 ? "succeeds" : "fails", ""});
  return out;
}

}  // namespace gpugauge::conductor
