#include "judge/throttled.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/device_limits.hpp"
#include "judge/load_seen.hpp"
#include "judge/physical_verdict.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::judge {
namespace {

constexpr std::string_view by_software = "sw_thermal";

/// A single sample may be momentary, and software briefly lowers a warm GPU's clock now and then.
bool is_fault(const ReasonSeen& reason) {
  if (reason.word == by_software) return 10 * reason.samples > reason.of;
  return heat_or_hardware(reason.word) && reason.samples > 1;
}

}  // namespace

bool heat_or_hardware(std::string_view word) {
  constexpr std::array<std::string_view, 4> known{"hw_slowdown", by_software, "hw_thermal", "hw_power_brake"};
  return std::find(known.begin(), known.end(), word) != known.end();
}

std::vector<Verdict> judge_throttled(const Collected& collected, const result::Run& run) {
  const std::set<std::string> benchmarks = benchmarks_with_clock(collected);
  if (benchmarks.empty()) return {};
  const DeviceFacts device(run, *benchmarks.begin());
  std::vector<Verdict> out;
  const auto add = [&](const char* name, bool advisory, std::string reason) {
    out.push_back(physical_verdict(name, VerdictKind::inconclusive, std::move(reason)));
    out.back().advisory = advisory;
  };
  const bool part = part_of_gpu(run, device);
  std::vector<std::string> words;
  if (const auto reasons = reasons_seen(run, benchmarks))
    for (const ReasonSeen& one : *reasons)
      if (is_fault(one))
        words.push_back(fmt::format("{} in {} of {} samples", one.word, one.samples, one.of));
  if (!words.empty())
    add("clocks/throttled", part,
        fmt::format("NVML named {} under load: heat or the hardware itself held the GPU back; look at its "
                    "cooling and its power supply",
                    fmt::join(words, ", ")));
  if (const PowerLimit limit = power_limit(run); limit.lowered()) {
    add("power/limit", part,
        fmt::format("a power limit of {0:g} W where {1:g} W is the default: products are slower than this "
                    "model's; {2} restores it, if it is not meant",
                    limit.watt, limit.standard,
                    smi_for_own_gpu(run, {fmt::format("-pl {:g}", limit.standard)})));
    out.back().may_be_meant = true;
  }
  if (!device.text("gpu.name").empty() && result::gpu_series(run, "throttle_reasons") == nullptr &&
      result::gpu_series(run, "memory_clock_hz") == nullptr)
    add("clocks/telemetry", true,
        "telemetry has neither clocks nor NVML's reasons of this GPU: whether heat, power or the hardware "
        "slowed it is not known");
  return out;
}

}  // namespace gpugauge::judge
