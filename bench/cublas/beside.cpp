#include "cublas/product.hpp"
#include "kernels/gemm/wgmma.hpp"

namespace gpugauge::bench::cublas {
namespace {

void wgmma(const Problem& problem, const Matrices& matrices, cudaStream_t stream) {
  using kernels::Bf16;
  const auto* const a = reinterpret_cast<const Bf16*>(matrices.a.get());
  const auto* const b = reinterpret_cast<const Bf16*>(matrices.b.get());
  auto* const c = reinterpret_cast<Bf16*>(matrices.c.get());
  cuda::check(kernels::gemm::wgmma(a, b, c, problem.m, problem.n, problem.k, stream),
              "launching the hand-written product");
}

void beside(Trial& trial) {
  trial.note("library", "cublaslt");
  const Problem problem = sized({.arithmetic = bf16, .layout = Layout::rows}, trial.parameter("shape"));
  measure_beside(
      trial, problem, offered_by_lt(trial, problem),
      {"the hand-written wgmma product",
       [problem](const Matrices& matrices, cudaStream_t stream) { wgmma(problem, matrices, stream); }},
      "wgmma");
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("bf16")
        .isolates(
            "The hand-written bf16 product (gemm/bf16/wgmma) beside cuBLASLt's best candidate, batch by "
            "batch in turns on the same matrices: at a GPU's power limit two windows of their own see "
            "different clocks, and their rates say less about the kernels")
        .bad_value(
            "the library got faster, or the hand-written kernel slower: the rates of gemm/bf16/wgmma and "
            "cublas/bf16/lt say which")
        .axis("shape", {"4096x4096x4096", "8192x8192x8192"})
        .custom_metrics({"gemm16"})
        .batch_seconds(5e-3)
        .requires_gpu_of(90)
        .deterministic()
        .from(Depth::deep)
        .body(beside)};

}  // namespace
}  // namespace gpugauge::bench::cublas
