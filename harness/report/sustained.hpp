// What became of a benchmark under a long load: its first second against its last, and what the GPU did
// meanwhile. Only what the run file holds: what it lacks is left out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::report {

/// One second of a course, or several neighbouring ones of a long course.
struct SustainedPoint {
  double seconds = 0;                        ///< its middle, since the first batch began
  double rate = 0;                           ///< mean, in Sustained::unit; 0: nothing ran
  std::optional<double> slowest_batch = {};  ///< rate of its slowest batch; absent if no batch is known
  std::optional<double> fastest_batch = {};  ///< likewise
  std::optional<double> sm_clock_hz = {};    ///< mean; absent if it is not known

  bool operator==(const SustainedPoint&) const = default;  ///< numbers exactly
};

/// Values at the beginning and the end.
struct FirstLast {
  double first = 0;  ///< at the beginning
  double last = 0;   ///< at the end

  bool operator==(const FirstLast&) const = default;  ///< numbers exactly
};

/// A benchmark that noted its rate second by second.
struct Sustained {
  std::string benchmark;  ///< its id
  std::string unit;       ///< of the rate, one of result::units
  std::size_t of =
      1;  ///< courses of this benchmark, of which this one has the lowest last second for its first
  double seconds = 0;    ///< how long it ran, > 0
  FirstLast rate;        ///< over the first and over the last second in which something ran, both > 0
  int idle_seconds = 0;  ///< whole seconds in which nothing ran
  std::optional<FirstLast> sm_clock_hz;          ///< over the first and the last second
  std::optional<FirstLast> temperature_celsius;  ///< of the samples below
  std::optional<double> power_watt;              ///< median of the samples below
  double power_limit_watt = 0;                   ///< 0 = not known
  std::string modes;                   ///< how far apart two modes are, one clause; "" where there is one
  std::vector<SustainedPoint> points;  ///< at most most_sustained_points
};

inline constexpr std::size_t most_sustained_points = 240;  ///< of a course

/// The part of the round, in seconds since its start, that surely lay within the window of the benchmark with
/// this index. Without its timeline only this is known: in what order the benchmarks of its process ran, and how
/// long each window was. nullopt if nothing is sure.
std::optional<FirstLast> surely_within(const result::Process& process, std::size_t index);

/// Each such benchmark of the rounds once, by id. Temperature and power are of the samples of telemetry that
/// surely lie within its window.
std::vector<Sustained> sustained(std::span<const result::Run> rounds);

/// "60 s, first second 640 TFLOP/s, last 612 (-4.4%); SM clock 1.41 to 1.29 GHz, 62 to 81 C, power 698 of 700 W".
std::string course_text(const Sustained& course);

/// "sustained/gemm: ", and course_text(). Of several courses it says so.
std::string sentence(const Sustained& course);

}  // namespace gpugauge::report
