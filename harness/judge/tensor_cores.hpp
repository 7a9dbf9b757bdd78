// Judges whether Tensor Cores did the work, from four pieces of evidence shown together. None needs an
// earlier run.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Returns verdicts on products for Tensor Cores (gemmtf32, gemm16, and fp8 and int8 of gemm8 separately), if
/// the run measured one of a usable size (10 GFLOP or more; any size in the family peak).
/// "tensor_cores/<products>" covers library products, "tensor_cores/<products>/hardware" the suite's own
/// kernels. Separate verdicts keep own kernels that use Tensor Cores from hiding a library that lost them.
/// Layers from libraries have "tensor_cores/conv/<products>" (channels last, not the first layer) and
/// "tensor_cores/attention/gemm16". The evidence:
/// - rate: operations per clock per SM of the fastest product at the measured clock, against the maximum of
///   the CUDA cores (layers: with fp32 sums). Only Tensor Cores are faster. Failed at or below that rate; for
///   tf32 inconclusive if that is half of the Tensor Cores' rate or more.
/// - ratio: the same product over the fastest of fp32 without Tensor Cores, or of gemm16 for fp8 and int8,
///   both from libraries or both own. Per clock, and against the ratio of the peaks. Not for layers, or
///   models with reduced Tensor Cores.
/// - kernels and numerics: each large library product (on_cuda_cores()) whose kernel or error is typical of
///   CUDA cores. Failed if its rate is too, however fast others are.
/// - how many of the results were verified.
/// Inconclusive and counted if the evidence conflicts: the rate shows Tensor Cores but the ratio does not, or
/// a kernel shows CUDA cores whatever the rate. Inconclusive and advisory if:
/// - the compute capability is not listed, or the clock was not recorded;
/// - the model's Tensor Cores are absent, or reduced to the CUDA cores' rate for these products
///   (tensor_core_share());
/// - own kernels do not reach the Tensor Cores' rate there (own_kernels_tell());
/// - int8 or layers run near the CUDA cores' rate.
std::vector<Verdict> judge_tensor_cores(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
