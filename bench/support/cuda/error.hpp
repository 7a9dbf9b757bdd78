// A CUDA call that went wrong, as an exception that a user can read.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

namespace gpugauge::bench::cuda {

/// what(): the operation, the error's name and code, what it means here and what to do.
class CudaError : public std::runtime_error {
 public:
  /// `what`: the sentences for the user.
  CudaError(cudaError_t code, const std::string& what);
  /// As the runtime returned it; never cudaSuccess.
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Too little memory, on the device or pinned: a bad_alloc, so that the runner makes it a skip with what() as
/// reason.
class OutOfMemory : public std::bad_alloc {
 public:
  /// `what`: one sentence.
  explicit OutOfMemory(std::string what) : what_(std::move(what)) {}
  /// The sentence.
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// "cudaErrorNoDevice (100)".
std::string name_of(cudaError_t code);
/// "cudaErrorNoDevice (100): meaning and next step", with the runtime's own text for a code that is not
/// explained.
std::string explain(cudaError_t code);

/// Throws OutOfMemory for cudaErrorMemoryAllocation, LacksCode for cudaErrorNoKernelImageForDevice, and
/// CudaError for every other code but cudaSuccess. `doing` says what was tried: "launching the copy kernel".
void check(cudaError_t code, const char* doing);

}  // namespace gpugauge::bench::cuda
