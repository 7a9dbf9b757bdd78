// A product of cuBLAS as a benchmark: buffers, rotation, timing, verification, the kernels that ran.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "cublas/problem.hpp"
#include "kernels/gemm/any_product.hpp"
#include "support/cuda/candidates.hpp"
#include "support/cuda/resources.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cublas {

/// The matrices of one operation, filled, C poisoned.
struct Matrices {
  Matrices(const Problem& problem, std::uint64_t seed);
  cuda::DeviceBuffer<std::byte> a, b, c;
};

/// One way to compute all of a problem's products.
struct Algorithm {
  std::string description;
  std::function<void(const Matrices&, cudaStream_t)> run;
  /// Called once for every set of matrices before anything is timed; may be empty.
  std::function<void(const Matrices&)> prepare = {};
};

/// A, B, C of product `batch`, as the check reads them.
kernels::gemm::Matrix matrix_a(const Problem& problem, const Matrices& matrices, int batch);
kernels::gemm::Matrix matrix_b(const Problem& problem, const Matrices& matrices, int batch);
kernels::gemm::Matrix matrix_c(const Problem& problem, const Matrices& matrices, int batch);

/// The first, a middle and the last product of the batch over sampled rows, see kernels/gemm/any_product.hpp:
/// of the three the comparison with the largest error, or one that is not complete. Waits for `stream`.
kernels::Comparison compare(const Problem& problem, const Matrices& matrices, std::uint64_t seed,
                            cudaStream_t stream);

/// Measures the algorithms (see cuda::Candidates), verifies what the first and the fastest computed, each
/// within the arithmetic's tolerance and three times more bit for bit, and notes which kernels each ran.
/// Skips the trial by name when the matrices do not fit.
void measure_product(Trial& trial, const Problem& problem, const std::vector<Algorithm>& algorithms);

/// Times the fastest of the algorithms and `other`, which is not the library's, in turns on the same
/// matrices, verifies what each computes on one set of them, three times bit for bit, and adds the metric
/// NAME_over_best, which is not judged: how many times as fast as the fastest `other` is. The same skips.
void measure_beside(Trial& trial, const Problem& problem, const std::vector<Algorithm>& algorithms,
                    const Algorithm& other, const std::string& name);

/// Up to eight algorithms of cuBLASLt's heuristic, in its order. Throws CublasError where it has none.
std::vector<Algorithm> lt_algorithms(const Problem& problem);
/// The same. Where it has none: throws std::runtime_error for what every cuBLASLt offers (always_offered),
/// and ends the trial by name for the rest.
std::vector<Algorithm> offered_by_lt(Trial& trial, const Problem& problem);
/// The one way of cublasGemmEx, cublasGemmStridedBatchedEx where batch > 1.
std::vector<Algorithm> gemm_ex(const Problem& problem);
/// The same by cublasGemmBatchedEx: arrays of pointers in device memory.
std::vector<Algorithm> gemm_batched(const Problem& problem);
/// C[m,1] = A[m,k] B[k,1] by cuBLAS's matrix-vector product, for fp64, fp32 and bf16. Throws std::logic_error
/// for others.
std::vector<Algorithm> gemv(const Problem& problem);

/// 1024 to 16384, doubling: along them the library changes tiles, split of k and clusters. Deep measures a
/// small, a usual and the largest one of a type, exhaustive those between (and the largest of fp32 and fp64,
/// of which one operation takes more than a tenth of a second on an H100).
std::vector<std::string> squares();
/// Those that are not `measured`, for types and calls of which deep measures that one alone.
std::vector<std::string> squares_but(const std::string& measured);

/// A definition of this family with what its products have in common; of whole numbers a rate, as of
/// peak/int8.
Definition define_product(const char* op, const Arithmetic& arithmetic);

/// The bodies; the note library says whose calls are measured, cublas or cublaslt. The axis "shape" gives the
/// sizes, "batch" the number of products where it exists.
void measure_lt(Trial& trial, const Arithmetic& arithmetic, Layout layout);
void measure_gemm_ex(Trial& trial, const Arithmetic& arithmetic);
/// cublasSgemm, fp32, on a handle whose math mode allows TF32; the note math_mode says what the mode is when
/// all is measured: tf32, default, pedantic, or cuBLAS's number of another.
void measure_sgemm(Trial& trial, const Arithmetic& arithmetic);
void measure_batched(Trial& trial, const Arithmetic& arithmetic);
void measure_gemv(Trial& trial, const Arithmetic& arithmetic);
/// A linear layer through cuBLASLt: the axes "layer" and "tokens".
void measure_layer(Trial& trial, const Arithmetic& arithmetic);

}  // namespace gpugauge::bench::cublas
