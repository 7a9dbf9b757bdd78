#include "cublas/status.hpp"

#include <fmt/format.h>

#include "support/cuda/device.hpp"
#include "support/cuda/error.hpp"
#include "support/gpu_room.hpp"

namespace gpugauge::bench::cublas {

namespace {

struct Text {
  const char* name;
  const char* meaning;
};

Text text_of(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return {"CUBLAS_STATUS_SUCCESS", "no error."};
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return {
          "CUBLAS_STATUS_NOT_INITIALIZED",
          "cuBLAS could not set itself up: the driver is older than the library needs, its cuBLASLt is of "
          "another version, or GPU memory is short."};
    case CUBLAS_STATUS_ALLOC_FAILED:
      return {"CUBLAS_STATUS_ALLOC_FAILED", "cuBLAS got no GPU memory."};
    case CUBLAS_STATUS_INVALID_VALUE:
      return {"CUBLAS_STATUS_INVALID_VALUE", "a size or a parameter is not one that cuBLAS takes."};
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return {"CUBLAS_STATUS_ARCH_MISMATCH", "this GPU lacks what the operation needs."};
    case CUBLAS_STATUS_MAPPING_ERROR:
      return {"CUBLAS_STATUS_MAPPING_ERROR", "cuBLAS could not reach GPU memory."};
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return {"CUBLAS_STATUS_EXECUTION_FAILED", "a kernel of cuBLAS could not be launched or failed."};
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return {"CUBLAS_STATUS_INTERNAL_ERROR", "cuBLAS failed inside itself."};
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return {"CUBLAS_STATUS_NOT_SUPPORTED", "this cuBLAS has no kernel for the operation on this GPU."};
    case CUBLAS_STATUS_LICENSE_ERROR:
      return {"CUBLAS_STATUS_LICENSE_ERROR", "cuBLAS asks for a licence."};
  }
  return {"unknown status", "a cuBLAS newer than this build may know it."};
}

}  // namespace

std::string explain(cublasStatus_t status) {
  const Text text = text_of(status);
  return fmt::format("{} ({}): {}", text.name, static_cast<int>(status), text.meaning);
}

CublasError::CublasError(cublasStatus_t status, const std::string& doing)
    : std::runtime_error(fmt::format("{} failed: {}", doing, explain(status))), status_(status) {}

void check(cublasStatus_t status, const char* doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  // Reports a more exact error than "execution failed", where one is known. It does not wait, because a
  // kernel may hold the stream.
  if (status == CUBLAS_STATUS_EXECUTION_FAILED || status == CUBLAS_STATUS_INTERNAL_ERROR)
    cuda::check(cudaGetLastError(), doing);
  if (status == CUBLAS_STATUS_ALLOC_FAILED)
    throw cuda::OutOfMemory(fmt::format("{}: {}", doing, explain(status)));
  if (status == CUBLAS_STATUS_NOT_INITIALIZED)
    require_library_room(cuda::memory_now(), fmt::format("{}: {}", doing, explain(status)));
  throw CublasError(status, doing);
}

}  // namespace gpugauge::bench::cublas
