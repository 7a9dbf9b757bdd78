// What telemetry and the fingerprint say of the run's own GPU while benchmarks ran.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "judge/collect.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Fewer samples than this show no highest value.
inline constexpr std::size_t least_load_samples = 3;

/// Benchmarks with a judged metric of one of these classes.
std::set<std::string> benchmarks_of(const Collected& collected, const std::vector<std::string>& classes);

/// Benchmarks with a judged metric that measured the SM clock.
std::set<std::string> benchmarks_with_clock(const Collected& collected);

/// Samples of a series of the run's GPU while the families of these benchmarks ran; empty where there is none.
std::vector<double> load_samples(const result::Run& run, const std::string& series,
                                 const std::set<std::string>& benchmarks);

/// The highest of them; 0 where there are fewer than least_load_samples.
double highest_under_load(const result::Run& run, const std::string& series,
                          const std::set<std::string>& benchmarks);

/// One of NVML's reasons, by how many of the samples it stood in: 1 to `of`.
struct ReasonSeen {
  std::string_view word;    ///< of result::throttle_reasons
  std::size_t samples = 0;  ///< samples that it stood in
  std::size_t of = 0;       ///< all samples that have reasons
};

/// NVML's reasons while the families of these benchmarks ran, each that stood in any sample; nullopt where
/// telemetry has none.
std::optional<std::vector<ReasonSeen>> reasons_seen(const result::Run& run,
                                                    const std::set<std::string>& benchmarks);

/// Of reasons_seen() those that stood in more than a tenth of the samples.
std::optional<std::vector<std::string_view>> reason_words(const result::Run& run,
                                                          const std::set<std::string>& benchmarks);

/// "gpu.0.": what the names of the fingerprint's facts about the run's GPU begin with; "" where the
/// fingerprint does not know it.
std::string gpu_prefix(const result::Run& run);

/// The power limits of the run's GPU in watts; 0 where they are not known.
struct PowerLimit {
  double watt = 0;                                         ///< the limit that is set
  double standard = 0;                                     ///< the board's default
  bool known() const { return watt > 0 && standard > 0; }  ///< Whether both are known.
  bool lowered() const;  ///< Whether it is below the default by more than half a watt.
};
PowerLimit power_limit(const result::Run& run);  ///< Of the fingerprint's settings.

}  // namespace gpugauge::judge
