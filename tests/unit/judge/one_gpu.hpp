// One GPU made by hand for the judges' tests, with telemetry and settings.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {

struct GpuProduct {
  const char* id;
  const char* metric_class;
  double flops;           ///< a second
  const char* path = "";  ///< note kernel_path
};

/// One H200 as it was publicly measured, its large benchmarks declared saturating.
struct OneGpu {
  double sm_clock = 1.755e9, memory_clock = 3.201e9, hbm = 4.4e12, h2d = 5.5e10;
  double light_clock = 1.98e9;  ///< in copies, while sm_clock, that of the other work, is not set
  double generation = 5, width = 16;
  double reasons = 0;
  double work = 1.1e12;
  bool saturating = true;
  std::string name = "NVIDIA H200", mig = "off";
  std::vector<GpuProduct> products{{"gpu/bf16", "gemm16", 6.4e14},
                                   {"gpu/tf32", "gemmtf32", 3.6e14},
                                   {"gpu/fp8", "gemm8", 1.1e15},
                                   {"gpu/fp32", "gemm32", 4.6e13}};

  result::Run run() const {
    using result::Direction;
    result::Run out = make_run(1);
    out.device = "GPU-0";
    out.fingerprint.settings["gpu.0.mig"] = mig;
    const auto series = [&](const char* series_name, double value) {
      out.telemetry.push_back({"gpu:GPU-0", series_name, "1", {1, 2, 3, 4}, {value, value, value, value}});
    };
    series("memory_clock_hz", memory_clock);
    series("pcie_generation", generation);
    series("pcie_width", width);
    series("pcie_generation_max", 5);
    series("pcie_width_max", 16);
    series("throttle_reasons", reasons);
    for (result::Process& process : out.processes) {
      process.family = process.samples->family = "gpu";
      process.wall_seconds = 5;
      process.samples->context = {{"gpu.name", name},
                                  {"gpu.compute_capability", "9.0"},
                                  {"gpu.sm_count", "132"},
                                  {"gpu.sm_clock_max_hz", "1980000000"},
                                  {"gpu.memory_clock_max_hz", "3201000000"},
                                  {"gpu.memory_bus_bits", "6144"}};
      process.samples->benchmarks.clear();
      const auto add = [&](const char* id, const result::Metric& metric) -> result::BenchmarkResult& {
        result::BenchmarkResult made = benchmark(id, metric);
        made.batches.sm_clock_hz = {sm_clock};
        if (saturating) made.notes["saturating"] = "true";
        process.samples->benchmarks.push_back(made);
        return process.samples->benchmarks.back();
      };
      for (const GpuProduct& product : products) {
        auto& made = add(product.id, metric("throughput", "flop/second", Direction::higher,
                                            product.metric_class, product.flops * sm_clock / 1.755e9));
        made.work.flops = work;
        if (*product.path != '\0') made.notes["kernel_path"] = product.path;
      }
      if (hbm > 0) add("gpu/read", metric("bandwidth", "byte/second", Direction::higher, "hbm", hbm));
      if (h2d > 0) {
        auto& made = add("gpu/h2d", metric("bandwidth", "byte/second", Direction::higher, "h2d", h2d));
        made.work.bytes = 6.7e7;
        if (sm_clock == OneGpu{}.sm_clock) made.batches.sm_clock_hz = {light_clock};
      }
    }
    return out;
  }
};

inline std::map<std::string, Verdict> judged_gpu(const OneGpu& gpu) {
  std::map<std::string, Verdict> out;
  for (Verdict& verdict : judge_physical(gpu.run())) out.emplace(verdict.metric, verdict);
  return out;
}

/// One verdict on a GPU with these settings in its fingerprint; throws where there is none.
inline Verdict verdict_on_gpu(const OneGpu& gpu, const char* name, const result::Facts& settings = {}) {
  result::Run run = gpu.run();
  run.fingerprint.device["gpu.0.uuid"] = "GPU-0";
  for (const auto& [key, value] : settings) run.fingerprint.settings[key] = value;
  for (Verdict& verdict : judge_physical(run))
    if (verdict.metric == name) return verdict;
  throw std::runtime_error(std::string("no verdict ") + name);
}

}  // namespace gpugauge::judge
