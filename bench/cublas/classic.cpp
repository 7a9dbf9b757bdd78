// The classic cuBLAS API: the calls that most programs make. It chooses the algorithm itself.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include <cublas_v2.h>
#include <fmt/format.h>

#include "cublas/handle.hpp"
#include "cublas/product.hpp"
#include "cublas/types.hpp"

namespace gpugauge::bench::cublas {

namespace {

/// A row-major C[m,n] = A[m,k] B[k,n] is, in column-major order, C'[n,m] = B' A': B comes first.
struct Call {
  explicit Call(const Problem& of)
      : problem(of),
        compute(compute_type(of.arithmetic)),
        type_a(data_type(of.arithmetic.a)),
        type_b(data_type(of.arithmetic.b)),
        type_c(data_type(of.arithmetic.c)),
        one(of.arithmetic, 1),
        zero(of.arithmetic, 0) {
    if (of.layout != Layout::rows && (of.batch != 1 || of.n == 1))
      throw std::logic_error("only cublasGemmEx is called with weights as out x in here");
  }
  std::string description(const char* name) const {
    return fmt::format("{}, CUBLAS_GEMM_DEFAULT; workspace {} bytes; {}", name, workspace_bytes,
                       compute.name);
  }

  Problem problem;
  Compute compute;
  cudaDataType_t type_a, type_b, type_c;
  Scale one, zero;
  Handle handle;
};

void multiply(Call& call, const Matrices& matrices, cudaStream_t stream) {
  const Problem& of = call.problem;
  if (of.batch == 1) {
    const bool linear = of.layout == Layout::linear;
    check(cublasGemmEx(call.handle.on(stream), linear ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, of.n, of.m,
                       of.k, call.one.get(), matrices.b.get(), call.type_b, linear ? of.k : of.n,
                       matrices.a.get(), call.type_a, of.k, call.zero.get(), matrices.c.get(), call.type_c,
                       of.n, call.compute.type, CUBLAS_GEMM_DEFAULT),
          "multiplying by cublasGemmEx");
    return;
  }
  check(cublasGemmStridedBatchedEx(
            call.handle.on(stream), CUBLAS_OP_N, CUBLAS_OP_N, of.n, of.m, of.k, call.one.get(),
            matrices.b.get(), call.type_b, of.n, static_cast<long long>(of.elements_b()), matrices.a.get(),
            call.type_a, of.k, static_cast<long long>(of.elements_a()), call.zero.get(), matrices.c.get(),
            call.type_c, of.n, static_cast<long long>(of.elements_c()), of.batch, call.compute.type,
            CUBLAS_GEMM_DEFAULT),
        "multiplying by cublasGemmStridedBatchedEx");
}

/// Selects the arithmetic by the handle's math mode, not by a compute type, as programs do that set the mode
/// once.
void multiply_by_mode(Call& call, const Matrices& matrices, cudaStream_t stream) {
  const Problem& of = call.problem;
  const auto matrix = [](const auto& buffer) { return reinterpret_cast<const float*>(buffer.get()); };
  check(cublasSgemm(call.handle.on(stream, CUBLAS_TF32_TENSOR_OP_MATH), CUBLAS_OP_N, CUBLAS_OP_N, of.n, of.m,
                    of.k, static_cast<const float*>(call.one.get()), matrix(matrices.b), of.n,
                    matrix(matrices.a), of.k, static_cast<const float*>(call.zero.get()),
                    reinterpret_cast<float*>(matrices.c.get()), of.n),
        "multiplying by cublasSgemm");
}

/// The pointers of one set of matrices, in device memory.
class Pointers {
 public:
  Pointers(const Problem& problem, const Matrices& matrices)
      : of(&matrices), a(problem.batch), b(problem.batch), c(problem.batch) {
    std::vector<const void*> to_a, to_b;
    std::vector<void*> to_c;
    for (int i = 0; i < problem.batch; ++i) {
      to_a.push_back(matrix_a(problem, matrices, i).data);
      to_b.push_back(matrix_b(problem, matrices, i).data);
      to_c.push_back(matrices.c.get() + i * problem.elements_c() * size_of(problem.arithmetic.c));
    }
    cuda::check(cudaMemcpy(a.get(), to_a.data(), a.bytes(), cudaMemcpyHostToDevice), "copying pointers");
    cuda::check(cudaMemcpy(b.get(), to_b.data(), b.bytes(), cudaMemcpyHostToDevice), "copying pointers");
    cuda::check(cudaMemcpy(c.get(), to_c.data(), c.bytes(), cudaMemcpyHostToDevice), "copying pointers");
    cuda::check(cudaStreamSynchronize(nullptr),
                "copying pointers");  // the timer's stream does not wait for this copy
  }
  const Matrices* of;
  cuda::DeviceBuffer<const void*> a, b;
  cuda::DeviceBuffer<void*> c;
};

void multiply_vector(Call& call, const Matrices& matrices, cudaStream_t stream) {
  const Problem& of = call.problem;
  const cublasHandle_t handle = call.handle.on(stream);
  // A row-major [m,k] is, in column-major order, its transpose [k,m].
  const void* const a = matrices.a.get();
  const void* const x = matrices.b.get();
  void* const y = matrices.c.get();
  switch (of.arithmetic.a) {
    case Element::fp64:
      check(cublasDgemv(handle, CUBLAS_OP_T, of.k, of.m, static_cast<const double*>(call.one.get()),
                        static_cast<const double*>(a), of.k, static_cast<const double*>(x), 1,
                        static_cast<const double*>(call.zero.get()), static_cast<double*>(y), 1),
            "multiplying by cublasDgemv");
      return;
    case Element::fp32:
      check(cublasSgemv(handle, CUBLAS_OP_T, of.k, of.m, static_cast<const float*>(call.one.get()),
                        static_cast<const float*>(a), of.k, static_cast<const float*>(x), 1,
                        static_cast<const float*>(call.zero.get()), static_cast<float*>(y), 1),
            "multiplying by cublasSgemv");
      return;
    case Element::bf16:
      check(cublasTSTgemvStridedBatched(
                handle, CUBLAS_OP_T, of.k, of.m, static_cast<const float*>(call.one.get()),
                static_cast<const __nv_bfloat16*>(a), of.k, static_cast<long long>(of.elements_a()),
                static_cast<const __nv_bfloat16*>(x), 1, static_cast<long long>(of.elements_b()),
                static_cast<const float*>(call.zero.get()), static_cast<__nv_bfloat16*>(y), 1,
                static_cast<long long>(of.elements_c()), 1),
            "multiplying by cublasTSTgemvStridedBatched");
      return;
    default:
      throw std::logic_error("cuBLAS has no matrix-vector product of this type here");
  }
}

}  // namespace

std::vector<Algorithm> gemm_ex(const Problem& problem) {
  const auto call = std::make_shared<Call>(problem);
  const char* const name = problem.batch == 1 ? "cublasGemmEx" : "cublasGemmStridedBatchedEx";
  return {{call->description(name),
           [call](const Matrices& matrices, cudaStream_t stream) { multiply(*call, matrices, stream); }}};
}

std::vector<Algorithm> gemm_batched(const Problem& problem) {
  const auto call = std::make_shared<Call>(problem);
  const auto known = std::make_shared<std::vector<std::unique_ptr<Pointers>>>();
  return {{call->description("cublasGemmBatchedEx"),
           [call, known](const Matrices& matrices, cudaStream_t stream) {
             const Problem& of = call->problem;
             const auto pointers = std::find_if(known->begin(), known->end(),
                                                [&](const auto& one) { return one->of == &matrices; });
             if (pointers == known->end()) throw std::logic_error("matrices that were not prepared");
             check(cublasGemmBatchedEx(call->handle.on(stream), CUBLAS_OP_N, CUBLAS_OP_N, of.n, of.m, of.k,
                                       call->one.get(), (*pointers)->b.get(), call->type_b, of.n,
                                       (*pointers)->a.get(), call->type_a, of.k, call->zero.get(),
                                       (*pointers)->c.get(), call->type_c, of.n, of.batch, call->compute.type,
                                       CUBLAS_GEMM_DEFAULT),
                   "multiplying by cublasGemmBatchedEx");
           },
           // Allocated now: allocating at first use would wait for the kernel that holds the stream.
           [call, known](const Matrices& matrices) {
             known->push_back(std::make_unique<Pointers>(call->problem, matrices));
           }}};
}

std::vector<Algorithm> gemv(const Problem& problem) {
  const auto call = std::make_shared<Call>(problem);
  return {
      {fmt::format("cuBLAS gemv, {}", problem.arithmetic.name),
       [call](const Matrices& matrices, cudaStream_t stream) { multiply_vector(*call, matrices, stream); }}};
}

void measure_sgemm(Trial& trial, const Arithmetic& arithmetic) {
  if (arithmetic.a != Element::fp32) throw std::logic_error("cublasSgemm multiplies fp32 matrices");
  trial.note("library", "cublas");
  const Problem problem = sized({.arithmetic = arithmetic}, trial.parameter("shape"));
  const auto call = std::make_shared<Call>(problem);
  measure_product(
      trial, problem,
      {{fmt::format("cublasSgemm, CUBLAS_TF32_TENSOR_OP_MATH; workspace {} bytes", workspace_bytes),
        [call](const Matrices& matrices, cudaStream_t stream) {
          multiply_by_mode(*call, matrices, stream);
        }}});
  trial.note("math_mode", call->handle.math_mode());
}

}  // namespace gpugauge::bench::cublas
