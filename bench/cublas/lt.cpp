// cuBLASLt: the algorithms that its heuristic offers, in its order.
#include <array>
#include <cstdint>
#include <memory>

#include <cublasLt.h>
#include <fmt/format.h>

#include "cublas/handle.hpp"
#include "cublas/product.hpp"
#include "cublas/types.hpp"

namespace gpugauge::bench::cublas {

namespace {

constexpr int most_algorithms = 8;

template <typename Value>
void set(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute, Value value) {
  check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value),
        "describing a product to cuBLASLt");
}

template <typename Value>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
        "setting a cuBLASLt preference");
}

/// Shared by all algorithms of a problem. cuBLASLt is column-major: a row-major C[m,n] = A[m,k] B[k,n] is its
/// C'[n,m] = B' A', so that B comes first.
struct LtProblem {
  explicit LtProblem(const Problem& of)
      : problem(of),
        handle(new_lt_handle()),
        description(new_description(compute_type(of.arithmetic).type, scale_type(of.arithmetic))),
        b(of.layout == Layout::linear ? new_layout(data_type(of.arithmetic.b), of.k, of.n, of.k)
                                      : new_layout(data_type(of.arithmetic.b), of.n, of.k, of.n)),
        a(new_layout(data_type(of.arithmetic.a), of.k, of.m, of.k)),
        c(new_layout(data_type(of.arithmetic.c), of.n, of.m, of.n)),
        one(of.arithmetic, 1),
        zero(of.arithmetic, 0),
        workspace(workspace_bytes) {
    set(description.get(), CUBLASLT_MATMUL_DESC_TRANSA,
        static_cast<std::int32_t>(of.layout == Layout::linear ? CUBLAS_OP_T : CUBLAS_OP_N));
    set(description.get(), CUBLASLT_MATMUL_DESC_TRANSB, static_cast<std::int32_t>(CUBLAS_OP_N));
    if (of.arithmetic.fast_accumulation)
      set(description.get(), CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<std::int8_t>(1));
  }

  Problem problem;
  LtOwned<cublasLtHandle_t> handle;
  LtOwned<cublasLtMatmulDesc_t> description;
  LtOwned<cublasLtMatrixLayout_t> b, a, c;
  Scale one, zero;
  cuda::DeviceBuffer<std::byte> workspace;
};

template <typename Value>
std::int64_t config(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute) {
  Value value{};
  std::size_t written = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof value, &written);
  return status == CUBLAS_STATUS_SUCCESS ? static_cast<std::int64_t>(value) : -1;
}

std::string described(const Problem& problem, const cublasLtMatmulHeuristicResult_t& found) {
  return fmt::format(
      "cuBLASLt algorithm {}, tile {}, stages {}, split-k {}, cluster {}; workspace {} bytes; {}{}",
      config<std::int32_t>(found.algo, CUBLASLT_ALGO_CONFIG_ID),
      config<std::uint32_t>(found.algo, CUBLASLT_ALGO_CONFIG_TILE_ID),
      config<std::uint32_t>(found.algo, CUBLASLT_ALGO_CONFIG_STAGES_ID),
      config<std::int32_t>(found.algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
      config<std::uint16_t>(found.algo, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID), found.workspaceSize,
      compute_type(problem.arithmetic).name,
      problem.arithmetic.fast_accumulation ? ", fast accumulation" : "");
}

}  // namespace

std::vector<Algorithm> lt_algorithms(const Problem& problem) {
  if (problem.batch != 1) throw std::logic_error("lt_algorithms: one product only");
  const auto shared = std::make_shared<LtProblem>(problem);
  const auto preference = new_preference();
  set(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
      static_cast<std::uint64_t>(workspace_bytes));
  set(preference.get(), CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<std::uint32_t>(reductions(problem.arithmetic)));
  std::array<cublasLtMatmulHeuristicResult_t, most_algorithms> found{};
  int count = 0;
  check(cublasLtMatmulAlgoGetHeuristic(shared->handle.get(), shared->description.get(), shared->b.get(),
                                       shared->a.get(), shared->c.get(), shared->c.get(), preference.get(),
                                       most_algorithms, found.data(), &count),
        "asking cuBLASLt for algorithms");
  std::vector<Algorithm> algorithms;
  for (int i = 0; i < count; ++i) {
    const cublasLtMatmulHeuristicResult_t& one = found[static_cast<std::size_t>(i)];
    if (one.state != CUBLAS_STATUS_SUCCESS) continue;
    algorithms.push_back({described(problem, one),
                          [shared, algorithm = one.algo](const Matrices& matrices, cudaStream_t stream) {
                            check(cublasLtMatmul(shared->handle.get(), shared->description.get(),
                                                 shared->one.get(), matrices.b.get(), shared->b.get(),
                                                 matrices.a.get(), shared->a.get(), shared->zero.get(),
                                                 matrices.c.get(), shared->c.get(), matrices.c.get(),
                                                 shared->c.get(), &algorithm, shared->workspace.get(),
                                                 shared->workspace.bytes(), stream),
                                  "multiplying by cuBLASLt");
                          }});
  }
  if (algorithms.empty()) throw CublasError(CUBLAS_STATUS_NOT_SUPPORTED, "asking cuBLASLt for algorithms");
  return algorithms;
}

}  // namespace gpugauge::bench::cublas
