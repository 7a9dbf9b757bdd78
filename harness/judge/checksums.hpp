// Checksums of deterministic operations (family integrity). The same operation on the same input must give
// the same bits in every process. It must also do so on every GPU of one model with one build and one set of
// libraries. A GPU that gives other bits corrupts data silently.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// The distinct checksums that the processes noted, sorted, by benchmark id; one where they agree.
using Checksums = std::map<std::string, std::vector<std::string>>;

/// Collects them from benchmarks that ended ok and noted one (note "checksum" of family integrity).
Checksums checksums_of(const result::Run& run);

/// Returns a failed verdict for each benchmark whose processes disagree: "integrity/gemm/long:checksum".
std::vector<Verdict> judge_checksums(const Checksums& checksums);

/// The runs of one GPU, oldest first. Only GPUs of one kind may be compared.
using RunChecksums = std::vector<const Checksums*>;

/// The result of comparing checksums between GPUs of one kind.
struct ChecksumComparison {
  std::vector<std::vector<Verdict>> verdicts;  ///< by GPU: checksums that differ from the others
  std::vector<bool> again;                     ///< by GPU: a further run would decide something
  std::size_t benchmarks = 0;                  ///< benchmarks compared on two or more GPUs
  std::size_t agreeing = 0;                    ///< of these, the ones that agree on all GPUs
  std::size_t gpus = 0;                        ///< GPUs that noted a checksum
  std::vector<std::string> remarks;            ///< splits without a majority
};

/// Compares GPUs of one kind, benchmark by benchmark. Failed: a GPU whose own runs disagree, or that is in
/// the minority in two or more runs. Inconclusive, to be measured again: a GPU outside the majority (more
/// than half of three or more GPUs), and every GPU where there is no majority. A correct second run does not
/// clear a GPU: its own runs then disagree.
ChecksumComparison compare_checksums(const std::vector<RunChecksums>& gpus);

}  // namespace gpugauge::judge
