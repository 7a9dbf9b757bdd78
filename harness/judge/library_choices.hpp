// What the libraries chose for a benchmark, of two sides: another kernel is often all that another version
// of a library, a lost Tensor Core path or a lost link changed.
#pragma once

#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Where every process of one side that tells what a library chose for a benchmark tells something else than
/// every process of the other (the notes kernel, numerics, accumulation, math_mode, nccl.*; of metrics called
/// *_best kernel_best; candidate_first or candidate_best where the kernel is the same), adds it to the
/// reasons of the benchmark's verdicts against the other side that say that it changed, may have, or spreads:
/// "; kernel B, before A". Returns one remark on the benchmarks that chose otherwise and of which no verdict
/// says so, none where there is none.
std::vector<std::string> tell_library_choices(const std::vector<result::Run>& before,
                                              const std::vector<result::Run>& now,
                                              std::vector<Verdict>& verdicts);

}  // namespace gpugauge::judge
