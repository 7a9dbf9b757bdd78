// A failed cuBLAS call as an exception that a user can read.
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

/// Whether the status means that cuBLAS does not support the call, rather than that something is broken. On a GPU that
/// every library knows (every_library_knows()) an architecture that does not match is a fault.
constexpr bool is_refusal(cublasStatus_t status, bool known_gpu) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
         (status == CUBLAS_STATUS_ARCH_MISMATCH && !known_gpu);
}

/// "CUBLAS_STATUS_NOT_SUPPORTED (15): ...".
std::string explain(cublasStatus_t status);

/// Throws cuda::OutOfMemory for CUBLAS_STATUS_ALLOC_FAILED. The same for CUBLAS_STATUS_NOT_INITIALIZED where
/// too little memory is free for cuBLAS itself (require_library_room): that is how making a handle then ends.
/// Throws cuda::CudaError where this program's own CUDA runtime knows of an error, and CublasError for every
/// other status but success. cuBLAS has its own runtime, so an error that it saw first shows only in the
/// status. `doing` names the action.
void check(cublasStatus_t status, const char* doing);

}  // namespace gpugauge::bench::cublas
