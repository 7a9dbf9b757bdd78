// What telemetry saw of a device's GPU during its rounds, and which family ran when: the numbers behind the
// charts of a page.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::report {

/// A value, and when it was read.
struct Moment {
  double seconds = 0;  ///< since the time that its list begins at
  double value = 0;    ///< in the list's unit

  bool operator==(const Moment&) const = default;  ///< numbers exactly
};

/// At most `most` of the moments, in their order; `most` is 2 or more. Of more than these it is the lowest and
/// the highest of each of most / 2 groups of neighbours: what was short is not smoothed away.
std::vector<Moment> thinned(const std::vector<Moment>& moments, std::size_t most);

/// A part of the time, in seconds.
struct Span {
  double from = 0;  ///< its beginning
  double to = 0;    ///< its end, not before `from`

  bool operator==(const Span&) const = default;  ///< numbers exactly
};

/// A round on the axis of all rounds, which stand one behind another without the time between them.
struct RoundSpan {
  Span span;                    ///< on that axis
  double power_limit_watt = 0;  ///< of the GPU; 0 = not known
};

/// When the processes of a family ran, and its benchmarks in them.
struct FamilySpans {
  std::string family;       ///< its name
  std::vector<Span> spans;  ///< one a process
  /// When each of its benchmarks ran, by id: from warming up to the end of its window (all of its time where it timed in a
  /// way of its own), once a process. Without
  /// those that have no timeline.
  std::map<std::string, std::vector<Span>> benchmarks;
};

/// One quantity of the GPU.
struct Quantity {
  std::string_view title;                   ///< for people: "SM clock"
  std::string unit;                         ///< one of result::units
  double lowest = 0;                        ///< of all samples
  double median = 0;                        ///< of all samples
  double highest = 0;                       ///< of all samples
  std::size_t samples = 0;                  ///< how many there are
  std::vector<std::vector<Moment>> rounds;  ///< thinned; one list a round that has samples
};

/// When NVML named a reason for a lower clock.
struct ReasonSpans {
  std::string_view word;    ///< one of result::throttle_reasons, never "idle"
  bool fault = false;       ///< heat or the hardware itself, judge::heat_or_hardware()
  std::size_t samples = 0;  ///< samples that it stood in, 1 or more
  std::size_t of = 0;       ///< all samples that have reasons
  std::vector<Span> spans;  ///< from its sample to the next, at most a second; neighbours are one
};

/// The course of a device's rounds.
struct OverTime {
  std::vector<RoundSpan> rounds;      ///< in the order in which they were measured
  std::size_t left_out = 0;           ///< rounds behind these
  std::vector<FamilySpans> families;  ///< in the order in which they first ran
  std::vector<Quantity> quantities;   ///< those with a sample; empty without telemetry of the GPU
  std::vector<ReasonSpans> reasons;   ///< those that were named; empty if none was, or none can be known
};

inline constexpr std::size_t most_rounds_over_time = 12;  ///< of an OverTime
inline constexpr std::size_t most_moments = 720;          ///< of a quantity, over all of its rounds

/// The course of these rounds of one device. What a run cut short holds is shown as far as it goes. The
/// device's GPU is that of result::gpu_series().
OverTime over_time(std::span<const result::Run> rounds);

}  // namespace gpugauge::report
