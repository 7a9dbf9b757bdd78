// Did Tensor Cores do the work? Four witnesses, shown together; none needs an earlier run.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Verdicts on products that Tensor Cores do (gemmtf32, gemm16, and of gemm8 fp8 and int8 apart), each where
/// the run measured one at a size worth judging (10 GFLOP or more, any size of the family peak):
/// "tensor_cores/<products>" on those of libraries, and "tensor_cores/<products>/hardware" on those of the
/// suite's own kernels. Neither hides the other: a library that lost Tensor Cores fails beside own kernels
/// that use them. A library's layers have "tensor_cores/conv/<products>" (channels last, not the first layer)
/// and "tensor_cores/attention/gemm16". Witnesses:
/// - rate: the fastest product in operations per clock per SM, at the measured clock, against what the CUDA
///   cores alone could do at most (layers: with fp32 sums). Only Tensor Cores are faster. Failed at or below
///   that rate; of tf32 inconclusive where that is half of the Tensor Cores' rate or more.
/// - ratio: the same product over the fastest one of fp32 without Tensor Cores, or of gemm16 for fp8 and
///   int8, both of libraries or both own; a clock and against the ratio of the peaks. Not of layers and models
///   whose Tensor Cores are cut.
/// - kernels and numerics: each of a library's large products (on_cuda_cores()) whose kernel or error is that
///   of CUDA cores. Failed where its rate is that of CUDA cores, too, however fast others are.
/// - how many of the results were verified.
/// Inconclusive and counted where the witnesses disagree: the rate is that of Tensor Cores and the ratio says
/// otherwise, or a kernel does, whatever the rate tells. Inconclusive and advisory where the compute
/// capability is not listed, the model's Tensor Cores are absent or cut to the CUDA cores' rate for these
/// products (tensor_core_share()), own kernels do not reach their rate there (own_kernels_tell()), int8 or
/// layers at a rate that is near to that of CUDA cores, or the clock was not recorded.
std::vector<Verdict> judge_tensor_cores(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge
