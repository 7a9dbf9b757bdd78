// Explains the CUDA error codes that a user meets before the first kernel has run.
#pragma once

#include <optional>
#include <string_view>

namespace gpugauge::result {

/// One code of the CUDA runtime or driver API (they share numbers from 100 up).
struct CudaErrorInfo {
  int code;                  ///< cudaError_t or CUresult as a number
  std::string_view name;     ///< "cudaErrorInsufficientDriver"
  std::string_view meaning;  ///< what it means here, one sentence
  std::string_view next;     ///< what to do or to type next, one sentence
};

/// nullopt for a code that is not explained here.
std::optional<CudaErrorInfo> explain_cuda_error(int code);

}  // namespace gpugauge::result
