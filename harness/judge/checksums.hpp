// Checksums of deterministic operations (family integrity): the same operation on the same input must give
// the same bits in every process, on every GPU of one model with one build and one set of libraries. Whoever
// does not corrupts data in silence.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// By benchmark id, the different checksums that its processes noted, sorted: one where they agree.
using Checksums = std::map<std::string, std::vector<std::string>>;

/// Of the benchmarks that ended ok and noted a checksum (note "checksum" of family integrity).
Checksums checksums_of(const result::Run& run);

/// One failed verdict for each benchmark whose processes disagree; "integrity/gemm/long:checksum".
std::vector<Verdict> judge_checksums(const Checksums& checksums);

/// The runs of one GPU, oldest first; those of one kind alone may be compared.
using RunChecksums = std::vector<const Checksums*>;

/// What the checksums of GPUs of one kind tell.
struct ChecksumComparison {
  std::vector<std::vector<Verdict>> verdicts;  ///< by GPU: what is not like the others
  std::vector<bool> again;                     ///< by GPU: a further run would decide something
  std::size_t benchmarks = 0;                  ///< compared on two GPUs or more
  std::size_t agreeing = 0;                    ///< of these, the same on all
  std::size_t gpus = 0;                        ///< that noted a checksum
  std::vector<std::string> remarks;            ///< splits without a majority
};

/// GPUs of one kind against each other, benchmark by benchmark. Inconclusive, to be measured again: a GPU
/// whose checksum is not that of the majority (more than half of three GPUs or more), and every GPU where
/// there is no majority. Failed: a GPU whose own runs disagree, or that is in the minority in two runs or
/// more. A second run that is right again clears nobody: then its own runs disagree.
ChecksumComparison compare_checksums(const std::vector<RunChecksums>& gpus);

}  // namespace gpugauge::judge
