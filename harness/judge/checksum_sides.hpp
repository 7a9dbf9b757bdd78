// Checksums of deterministic operations (family integrity) against those of earlier runs, and against those
// of the node's other GPUs. Within one run, and between nodes: judge/checksums.hpp.
#pragma once

#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// The same operations as they came out earlier, on a GPU of the same model from the same sources: failed
/// where what most processes had then is not what most have now.
std::vector<Verdict> judge_checksums_against(const std::vector<result::Run>& now,
                                             const std::vector<result::Run>& then);

/// A device and its rounds.
struct ChecksumSide {
  std::string label;                ///< how reports name the GPU
  std::vector<result::Run> rounds;  ///< first to last
};

/// GPUs of one model among each other: failed where they differ, naming those that are not like most, or all
/// where there is no most.
std::vector<Verdict> judge_checksums_between(const std::vector<ChecksumSide>& devices);

}  // namespace gpugauge::judge
