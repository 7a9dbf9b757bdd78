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
/// - ratio: the same product over the fastest fp32 product without Tensor Cores.
/// - kernels: those of the fastest product, where it recorded them (notes "kernel", "kernel_path",
///   "kernel_architecture"), and which benchmarks of the class ran kernels without Tensor Cores.
/// - numerics: how many of the results were verified.
/// Inconclusive and advisory where the GPU model is not listed, its Tensor Cores are cut so far that the rate
/// proves nothing (GeForce), or the clock was not recorded.
std::vector<Verdict> judge_tensor_cores(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
