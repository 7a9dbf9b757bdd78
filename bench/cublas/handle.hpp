// Ownership of cuBLAS objects.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include <cublasLt.h>
#include <cublas_v2.h>

#include "cublas/status.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::bench::cublas {

/// Workspace that cuBLAS may use: its own default for compute capability 9.0, given on every GPU.
inline constexpr std::size_t workspace_bytes = 32U << 20;

/// A cuBLAS handle with its own workspace, on one stream at a time.
class Handle {
 public:
  Handle() : workspace_(workspace_bytes) {
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "creating a cuBLAS handle");
    handle_.reset(handle);
  }
  /// Returns the handle, set to `stream`. Sums of split products are not rounded to the result's type.
  cublasHandle_t on(cudaStream_t stream, cublasMath_t math = CUBLAS_DEFAULT_MATH) {
    if (!set_ || stream != stream_) {
      check(cublasSetStream(handle_.get(), stream), "setting cuBLAS's stream");
      check(cublasSetWorkspace(handle_.get(), workspace_.get(), workspace_.bytes()),
            "setting cuBLAS's workspace");
      const auto mode = static_cast<cublasMath_t>(static_cast<int>(math) |
                                                  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
      check(cublasSetMathMode(handle_.get(), mode), "setting cuBLAS's math mode");
      stream_ = stream;
      set_ = true;
    }
    return handle_.get();
  }
  /// The current math mode, whoever set it: tf32, default, pedantic, or cuBLAS's number for another mode.
  std::string math_mode() const {
    cublasMath_t mode = CUBLAS_DEFAULT_MATH;
    check(cublasGetMathMode(handle_.get(), &mode), "reading cuBLAS's math mode");
    const int without_flags = static_cast<int>(mode) & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    if (without_flags == CUBLAS_TF32_TENSOR_OP_MATH) return "tf32";
    if (without_flags == CUBLAS_DEFAULT_MATH) return "default";
    return without_flags == CUBLAS_PEDANTIC_MATH ? "pedantic" : std::to_string(without_flags);
  }

 private:
  struct Destroy {
    void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
  };
  cuda::DeviceBuffer<std::byte> workspace_;
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy> handle_;
  cudaStream_t stream_ = nullptr;
  bool set_ = false;
};

struct LtDelete {
  void operator()(cublasLtHandle_t handle) const { cublasLtDestroy(handle); }
  void operator()(cublasLtMatmulDesc_t description) const { cublasLtMatmulDescDestroy(description); }
  void operator()(cublasLtMatrixLayout_t layout) const { cublasLtMatrixLayoutDestroy(layout); }
  void operator()(cublasLtMatmulPreference_t preference) const {
    cublasLtMatmulPreferenceDestroy(preference);
  }
};

template <typename LtHandle>
using LtOwned = std::unique_ptr<std::remove_pointer_t<LtHandle>, LtDelete>;

inline LtOwned<cublasLtHandle_t> new_lt_handle() {
  cublasLtHandle_t handle = nullptr;
  check(cublasLtCreate(&handle), "creating a cuBLASLt handle");
  return LtOwned<cublasLtHandle_t>(handle);
}

inline LtOwned<cublasLtMatmulDesc_t> new_description(cublasComputeType_t compute, cudaDataType_t scale) {
  cublasLtMatmulDesc_t description = nullptr;
  check(cublasLtMatmulDescCreate(&description, compute, scale), "describing a product to cuBLASLt");
  return LtOwned<cublasLtMatmulDesc_t>(description);
}

inline LtOwned<cublasLtMatrixLayout_t> new_layout(cudaDataType_t type, std::uint64_t rows,
                                                  std::uint64_t columns, std::int64_t leading) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, leading), "describing a matrix to cuBLASLt");
  return LtOwned<cublasLtMatrixLayout_t>(layout);
}

inline LtOwned<cublasLtMatmulPreference_t> new_preference() {
  cublasLtMatmulPreference_t preference = nullptr;
  check(cublasLtMatmulPreferenceCreate(&preference), "making a cuBLASLt preference");
  return LtOwned<cublasLtMatmulPreference_t>(preference);
}

}  // namespace gpugauge::bench::cublas
