// What telemetry and the fingerprint report on the run's own GPU while benchmarks ran.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "judge/collect.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Least number of samples for a highest value.
inline constexpr std::size_t least_load_samples = 3;

/// Ids of the benchmarks with a judged metric of one of these classes.
std::set<std::string> benchmarks_of(const Collected& collected, const std::vector<std::string>& classes);

/// Ids of the benchmarks with a judged metric that measured the SM clock.
std::set<std::string> benchmarks_with_clock(const Collected& collected);

/// Samples of a series of the run's GPU while the families of these benchmarks ran; empty if there are none.
std::vector<double> load_samples(const result::Run& run, const std::string& series,
                                 const std::set<std::string>& benchmarks);

/// The highest of load_samples(); 0 if there are fewer than least_load_samples.
double highest_under_load(const result::Run& run, const std::string& series,
                          const std::set<std::string>& benchmarks);

/// One of NVML's throttle reasons: seen in `samples` of `of` samples, 1 or more.
struct ReasonSeen {
  std::string_view word;    ///< one of result::throttle_reasons
  std::size_t samples = 0;  ///< samples that it stood in
  std::size_t of = 0;       ///< all samples that have reasons
};

/// All throttle reasons of NVML seen while the families of these benchmarks ran; nullopt if telemetry has
/// none.
std::optional<std::vector<ReasonSeen>> reasons_seen(const result::Run& run,
                                                    const std::set<std::string>& benchmarks);

/// The words of reasons_seen() that occur in more than a tenth of the samples.
std::optional<std::vector<std::string_view>> reason_words(const result::Run& run,
                                                          const std::set<std::string>& benchmarks);

/// Prefix of the fingerprint's facts about the run's GPU, such as "gpu.0."; "" if the fingerprint lacks the
/// GPU.
std::string gpu_prefix(const result::Run& run);

/// The command that gives these options of nvidia-smi to the run's own GPU and to no other, in backticks: without -i it
/// sets every GPU of the node. "`sudo nvidia-smi -i GPU-1234 -pl 700`", a loop over several options, one a call.
/// ADDRESS stands for a GPU whose UUID is not known.
std::string smi_for_own_gpu(const result::Run& run, const std::vector<std::string>& options);

/// The power limit of the run's GPU and its default, in watts; 0 if not known.
struct PowerLimit {
  double watt = 0;                                         ///< the limit that is set
  double standard = 0;                                     ///< the board's default
  bool known() const { return watt > 0 && standard > 0; }  ///< Whether both are known.
  bool lowered() const;  ///< Whether it is below the default by more than half a watt.
};
PowerLimit power_limit(const result::Run& run);  ///< Reads the fingerprint's settings.

/// The application clock of the SMs of the run's GPU and its default, in hertz; 0 if not known. NVML keeps
/// locked clocks (nvidia-smi -lgc) apart from it and does not tell them.
struct ApplicationClock {
  double hertz = 0;                                         ///< the clock that is set
  double standard = 0;                                      ///< the board's default
  bool known() const { return hertz > 0 && standard > 0; }  ///< Whether both are known.
  bool is_default() const { return hertz == standard; }     ///< Whether it is the default; only if known().
};
ApplicationClock application_clock(const result::Run& run);  ///< Reads the fingerprint's settings.

/// Takes a lowered power limit and an application clock other than the default from the settings of `run` into those of
/// `together`, a run on the same GPU: what was set in any round stands for all.
void take_settings(const result::Run& run, result::Run& together);
/// The device and fingerprint of the first round, with what was set in any (take_settings); `rounds` is not empty.
result::Run with_settings_of_all(const std::vector<result::Run>& rounds);

}  // namespace gpugauge::judge
