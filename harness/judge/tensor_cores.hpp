// Did Tensor Cores do the work? Four witnesses, shown together; none needs an earlier run.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// One verdict for each class of products that Tensor Cores do (gemmtf32, gemm16, gemm8) and that the run
/// measured at a size worth judging (10 GFLOP or more), as "tensor_cores/<class>":
/// - rate: the fastest product in operations per clock per SM, at the measured clock, against what the CUDA
///   cores alone could do at most. Only Tensor Cores are faster. Failed at or below that rate.
/// - ratio: the same product over the fastest fp32 product without Tensor Cores; a clock and against the
/// ratio of
///   the peaks for bf16/fp32, tf32/fp32 and fp8 or int8/bf16.
/// - kernels: those of the fastest product, where it recorded them (notes "kernel", "kernel_path",
///   "kernel_architecture"), and which benchmarks of the class ran kernels without Tensor Cores.
/// - numerics: how many of the results were verified.
/// Inconclusive and counted where the rate is that of Tensor Cores and the ratio or the fastest product's
/// kernel says otherwise: the witnesses disagree. Inconclusive and advisory where the GPU model is not
/// listed, its Tensor Cores are cut so far that the rate proves nothing (GeForce), or the clock was not
/// recorded.
std::vector<Verdict> judge_tensor_cores(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
