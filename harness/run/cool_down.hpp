// Whether a GPU still cools down from what it did before a round. At its power limit a hotter chip holds a
// lower clock, because it leaks more: a round that begins beside the heat of other work measures that heat,
// too.
#pragma once

#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::run {

/// How a round waits for its GPUs. The wait is short: after matrix products at 60 degrees an H200 told 43 to
/// 50 within a second, and after some three the 41 to 42 at which it stayed (baselines/NVIDIA H200/run).
struct CoolDown {
  double watch_seconds = 1;  ///< a GPU is cool when its temperature has not fallen for this long; 0 = no wait
  double most_seconds = 5;   ///< then the round begins all the same, and says so
  double silence_seconds = 3;  ///< a sensor that has answered nothing for this long is not waited for
};

/// A GPU that still cools, and how hot it is.
struct Cooling {
  std::string uuid;    ///< "" = every GPU is cool
  double celsius = 0;  ///< its last temperature
};

/// The first GPU of `visible` (UUIDs with commas) whose temperature falls, or was not watched for long
/// enough. Looks at the series temperature_celsius of telemetry; `now` is a time of theirs. A GPU without
/// such a series is taken for cool; so is one that fell silent. An instance of a GPU has a UUID of its own:
/// where telemetry knows one GPU only it is taken for that one's, and else for cool.
Cooling cooling(const std::vector<result::Series>& telemetry, const std::string& visible, double now,
                const CoolDown& wait);

}  // namespace gpugauge::run
