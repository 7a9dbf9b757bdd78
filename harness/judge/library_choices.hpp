// Compares what the libraries chose for each benchmark on two sides. Another kernel is often the only effect
// of another library version, lost Tensor Cores or a lost link.
#pragma once

#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// If every process on one side chose a different library kernel than every process on the other, appends ";
/// kernel B, before A" to that benchmark's verdicts. Compares numerics, accumulation, math mode, and NCCL
/// transport, network, algorithm and protocol in the same way. Processes without the note are ignored.
/// Metrics called *_best use the notes *_best; where the kernel is the same, candidate_first or
/// candidate_best is compared. Only baseline verdicts with a change are extended (regressed, improved,
/// unstable, inconclusive). Returns one remark that lists the changed benchmarks without such a verdict;
/// empty if there are none.
std::vector<std::string> tell_library_choices(const std::vector<result::Run>& before,
                                              const std::vector<result::Run>& now,
                                              std::vector<Verdict>& verdicts);

}  // namespace gpugauge::judge
