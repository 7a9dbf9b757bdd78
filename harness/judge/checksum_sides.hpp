// Compares checksums of deterministic operations (family integrity) with earlier runs and with the node's
// other GPUs. judge/checksums.hpp compares them within one run and between nodes.
#pragma once

#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Compares with earlier runs on a GPU of the same model, from the same sources. A benchmark has failed where
/// the checksum of most processes differs from that of most processes then.
std::vector<Verdict> judge_checksums_against(const std::vector<result::Run>& now,
                                             const std::vector<result::Run>& then);

/// A device and its rounds.
struct ChecksumSide {
  std::string label;                ///< how reports name the GPU
  std::vector<result::Run> rounds;  ///< first to last
};

/// Compares GPUs of one model. A benchmark has failed where their checksums differ; the verdict names the
/// GPUs outside the majority, or all where there is no majority.
std::vector<Verdict> judge_checksums_between(const std::vector<ChecksumSide>& devices);

}  // namespace gpugauge::judge
