#include "judge/device_limits.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "judge/load_seen.hpp"
#include "judge/peaks.hpp"
#include "result/facts.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::judge {
namespace {

/// The highest value of a series of the run's GPU; 0 if there is none.
double highest(const result::Run& run, std::string_view name) {
  const result::Series* const series = result::gpu_series(run, name);
  if (series == nullptr || series->values.empty()) return 0;
  return *std::max_element(series->values.begin(), series->values.end());
}

}  // namespace

std::optional<result::Limit> memory_limit(const result::Run& run, const std::string& benchmark,
                                          std::optional<double> floor) {
  const DeviceFacts device(run, benchmark);
  const double clock = device.number("gpu.memory_clock_max_hz");
  const double bits = device.number("gpu.memory_bus_bits");
  if (clock <= 0 || bits <= 0 || integrated_gpu(device)) return std::nullopt;
  constexpr double transfers_a_clock = 2;
  constexpr double noticed = .98;
  std::string source = fmt::format("memory clock {:.0f} MHz x 2 x {:.0f} bits", clock / 1e6, bits);
  const double loaded = highest(run, "memory_clock_hz");
  const bool low = loaded > 0 && loaded < noticed * clock;
  if (low) source += fmt::format("; under load the clock was {:.0f} MHz at most", loaded / 1e6);
  return result::Limit{transfers_a_clock * clock * bits / 8, source, floor.has_value(),
                       floor && low ? *floor * loaded / clock : floor};
}

bool integrated_gpu(const DeviceFacts& device) {
  if (const std::string known = device.text("gpu.integrated"); !known.empty()) return known == "true";
  // Jetson TX1, TX2, Xavier, Orin, Thor (10.1 before CUDA 13); GB10 of the DGX Spark.
  constexpr std::array<std::string_view, 7> integrated{"5.3", "6.2", "7.2", "8.7", "10.1", "11.0", "12.1"};
  return std::find(integrated.begin(), integrated.end(), device.text("gpu.compute_capability")) !=
         integrated.end();
}

bool part_of_gpu(const result::Run& run, const DeviceFacts& device) {
  if (shared_card(device.text("gpu.name"))) return true;
  const result::Facts& settings = run.fingerprint.settings;
  // Another GPU of the node may be cut up while this one is whole.
  if (const std::string own = gpu_prefix(run); !own.empty())
    return result::fact(settings, own + "mig") == "on";
  return std::any_of(settings.begin(), settings.end(), [](const auto& fact) {
    return fact.first.rfind("gpu.", 0) == 0 && fact.first.ends_with(".mig") && fact.second == "on";
  });
}

std::optional<result::Limit> link_limit(const result::Run& run, int directions) {
  return link_limit(highest(run, "pcie_generation"), highest(run, "pcie_width"), directions);
}

std::optional<result::Limit> link_limit(double generation, double width, int directions) {
  struct Generation {
    double transfers;  ///< transfers per second and lane
    double encoding;
  };
  // From generation 6 on: flits with 242 data bytes in 256.
  constexpr std::array generations{Generation{2.5e9, .8},         Generation{5e9, .8},
                                   Generation{8e9, 128.0 / 130},  Generation{16e9, 128.0 / 130},
                                   Generation{32e9, 128.0 / 130}, Generation{64e9, 242.0 / 256}};
  const auto index = static_cast<std::size_t>(std::max(0.0, generation)) - 1;
  if (generation < 1 || index >= generations.size() || width < 1) return std::nullopt;
  const double bytes = generations[index].transfers * generations[index].encoding / 8 * width * directions;
  return result::Limit{bytes,
                       fmt::format("PCI Express generation {:.0f} x{:.0f}{}, as seen under load", generation,
                                   width, directions == 2 ? " in both directions" : ""),
                       false, std::nullopt};
}

}  // namespace gpugauge::judge
