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

/// "CUBLAS_STATUS_NOT_SUPPORTED (15): ...".
std::string explain(cublasStatus_t status);

/// Throws cuda::OutOfMemory for CUBLAS_STATUS_ALLOC_FAILED, cuda::CudaError where the GPU itself reports an
/// error, and CublasError for every other status but success. `doing` says what was tried.
void check(cublasStatus_t status, const char* doing);

}  // namespace gpugauge::bench::cublas
