// A cuBLAS product as a benchmark: buffers, rotation, timing, verification, and the kernels that ran.
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

/// The matrices of one operation: inputs filled, C poisoned.
struct Matrices {
  Matrices(const Problem& problem, std::uint64_t seed);
  cuda::DeviceBuffer<std::byte> a, b, c;
};

/// One way to compute all of a problem's products.
struct Algorithm {
  std::string description;
  std::function<void(const Matrices&, cudaStream_t)> run;
  /// Called once per set of matrices before anything is timed; may be empty.
  std::function<void(const Matrices&)> prepare = {};
};

/// A, B and C of product `batch`, as the check reads them.
kernels::gemm::Matrix matrix_a(const Problem& problem, const Matrices& matrices, int batch);
kernels::gemm::Matrix matrix_b(const Problem& problem, const Matrices& matrices, int batch);
kernels::gemm::Matrix matrix_c(const Problem& problem, const Matrices& matrices, int batch);

/// Checks the first, a middle and the last product of the batch over sampled rows
/// (kernels/gemm/any_product.hpp). Returns the comparison with the largest error, or one that is not
/// complete. Waits for `stream`.
kernels::Comparison compare(const Problem& problem, const Matrices& matrices, std::uint64_t seed,
                            cudaStream_t stream);

/// Measures the algorithms (see cuda::Candidates). Verifies the results of the first and the fastest, each
/// within the arithmetic's tolerance and with three more runs bit for bit. Notes which kernels each ran.
/// Skips the trial with a reason when the matrices do not fit.
void measure_product(Trial& trial, const Problem& problem, const std::vector<Algorithm>& algorithms);

/// Times the fastest of the algorithms and `other`, which is not the library's, in turns on the same
/// matrices. Verifies what each computes on one set, and three runs bit for bit. Adds the metric
/// NAME_over_best, which is not judged: the speed of `other` over that of the fastest. Skips as
/// measure_product() does.
void measure_beside(Trial& trial, const Problem& problem, const std::vector<Algorithm>& algorithms,
                    const Algorithm& other, const std::string& name);

/// Returns up to eight algorithms of cuBLASLt's heuristic, in its order. Throws CublasError where it has
/// none.
std::vector<Algorithm> lt_algorithms(const Problem& problem);
/// As lt_algorithms(), except where there is none. It then throws std::runtime_error if every cuBLASLt offers
/// such a product (always_offered), and otherwise skips the trial with a reason.
std::vector<Algorithm> offered_by_lt(Trial& trial, const Problem& problem);
/// The single algorithm of cublasGemmEx, or of cublasGemmStridedBatchedEx where batch > 1.
std::vector<Algorithm> gemm_ex(const Problem& problem);
/// The single algorithm of cublasGemmBatchedEx, with arrays of pointers in device memory.
std::vector<Algorithm> gemm_batched(const Problem& problem);
/// C[m,1] = A[m,k] B[k,1] by cuBLAS's matrix-vector product, for fp64, fp32 and bf16. Throws std::logic_error
/// for other types.
std::vector<Algorithm> gemv(const Problem& problem);

/// Square sizes 1024 to 16384, doubling. Along them the library changes tiles, split-k and clusters. The deep
/// profile measures a small, a usual and the largest size per type. The exhaustive profile adds those
/// between, and the largest of fp32 and fp64, where one operation takes over 0.1 s on an H100.
std::vector<std::string> squares();
/// All squares but `measured`, for types and calls where the deep profile measures only that size.
std::vector<std::string> squares_but(const std::string& measured);

/// Makes a definition with what this family's products share. Integer products are measured as a rate, as in
/// peak/int8.
Definition define_product(const char* op, const Arithmetic& arithmetic);

/// The bodies. The note "library" says whose calls are measured, cublas or cublaslt. The axis "shape" gives
/// the sizes, "batch" the number of products where it exists.
void measure_lt(Trial& trial, const Arithmetic& arithmetic, Layout layout);
void measure_gemm_ex(Trial& trial, const Arithmetic& arithmetic, Layout layout = Layout::rows);
/// Measures cublasSgemm (fp32) on a handle whose math mode allows TF32. The note math_mode is the mode after
/// the measurement: tf32, default, pedantic, or cuBLAS's number for another mode.
void measure_sgemm(Trial& trial, const Arithmetic& arithmetic);
void measure_batched(Trial& trial, const Arithmetic& arithmetic);
void measure_gemv(Trial& trial, const Arithmetic& arithmetic);
/// Measures a linear layer through cuBLASLt, with the axes "layer" and "tokens".
void measure_layer(Trial& trial, const Arithmetic& arithmetic);

}  // namespace gpugauge::bench::cublas
