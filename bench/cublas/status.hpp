// A cuBLAS call that went wrong, as an exception that a user can read.
#pragma once

#include <stdexcept>
#include <string>

#include <cublas_api.h>

namespace gpugauge::bench::cublas {

/// what(): the operation, the status's name and number, what it means here.
class CublasError : public std::runtime_error {
 public:
  CublasError(cublasStatus_t status, const std::string& doing);
  cublasStatus_t status() const { return status_; }

 private:
  cublasStatus_t status_;
};

/// Whether cuBLAS says that it does not do this, rather than that something went wrong.
constexpr bool is_refusal(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE;
}

/// "CUBLAS_STATUS_NOT_SUPPORTED (15): ...".
std::string explain(cublasStatus_t status);

/// Throws cuda::OutOfMemory for CUBLAS_STATUS_ALLOC_FAILED, cuda::CudaError where this program's own CUDA
/// runtime knows of an error, and CublasError for every other status but success: what cuBLAS's runtime,
/// which is another one, saw first is told by the status alone. `doing` says what was tried.
void check(cublasStatus_t status, const char* doing);

}  // namespace gpugauge::bench::cublas
