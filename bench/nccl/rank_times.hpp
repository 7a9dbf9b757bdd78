// The times of one size on each rank, and their combination. Pure: no NCCL, no CUDA.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gpugauge::bench::nccl {

/// Times of one process.
struct RankTimes {
  std::string host;                       ///< its machine, without spaces
  std::map<std::string, double> medians;  ///< seconds, by the UUID of each of its GPUs
  std::vector<double> seconds;            ///< per iteration, of its slowest GPU
};

/// Times of one size over all ranks.
struct Timed {
  std::vector<double> seconds;  ///< per iteration, of the slowest rank
  std::string slowest;          ///< the rank with the longest median, by UUID and machine
  std::string quickest;         ///< the rank with the shortest: a late rank makes others wait
};

/// The text that ranks exchange: seven significant digits.
std::string to_text(const RankTimes& times);
std::string to_text(const Timed& timed);
/// Parses such a text. Throws std::runtime_error for a malformed one.
Timed parse_timed(const std::string& text);

/// Combines the to_text(RankTimes) of all ranks. Throws std::runtime_error where a text is malformed, or
/// iteration counts differ.
Timed slowest_of(const std::vector<std::string>& all);

}  // namespace gpugauge::bench::nccl
