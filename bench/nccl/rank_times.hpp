// What ranks measured of one size, and what comes of it together. Pure: no NCCL, no CUDA.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gpugauge::bench::nccl {

/// Of one process.
struct RankTimes {
  std::string host;                       ///< its machine, without a blank
  std::map<std::string, double> medians;  ///< seconds, by the UUID of each of its GPUs
  std::vector<double> seconds;            ///< per iteration, of its slowest GPU
};

/// One size on all ranks.
struct Timed {
  std::vector<double> seconds;  ///< per iteration, of the slowest rank
  std::string slowest;          ///< the rank with the longest median, by UUID and machine
  std::string quickest;         ///< with the shortest: one that comes late makes the others wait
};

/// As ranks send it to each other: seven significant digits.
std::string to_text(const RankTimes& times);
std::string to_text(const Timed& timed);
/// Throws std::runtime_error for what is no such text.
Timed parse_timed(const std::string& text);

/// Everybody's to_text(RankTimes). Throws std::runtime_error where one is no such text, or two have not as
/// many iterations.
Timed slowest_of(const std::vector<std::string>& all);

}  // namespace gpugauge::bench::nccl
