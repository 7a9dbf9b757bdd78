// Maps this family's types to cuBLAS's enumerators.
#pragma once

#include <cstring>
#include <stdexcept>

#include <cublasLt.h>
#include <cublas_api.h>
#include <library_types.h>

#include "cublas/problem.hpp"

namespace gpugauge::bench::cublas {

inline cudaDataType_t data_type(Element type) {
  switch (type) {
    case Element::fp64:
      return CUDA_R_64F;
    case Element::fp32:
      return CUDA_R_32F;
    case Element::fp16:
      return CUDA_R_16F;
    case Element::bf16:
      return CUDA_R_16BF;
    case Element::e4m3:
      return CUDA_R_8F_E4M3;
    case Element::e5m2:
      return CUDA_R_8F_E5M2;
    case Element::int8:
      return CUDA_R_8I;
    case Element::int32:
      return CUDA_R_32I;
  }
  throw std::logic_error("no such element type");
}

struct Compute {
  cublasComputeType_t type;
  const char* name;  ///< kept in the notes
};

/// All narrow floats sum in fp32. fp32 takes no shortcut, and tf32 is requested explicitly.
inline Compute compute_type(const Arithmetic& arithmetic) {
  if (arithmetic.a == Element::fp64) return {CUBLAS_COMPUTE_64F, "CUBLAS_COMPUTE_64F"};
  if (arithmetic.a == Element::int8) return {CUBLAS_COMPUTE_32I, "CUBLAS_COMPUTE_32I"};
  if (std::strcmp(arithmetic.name, tf32.name) == 0)
    return {CUBLAS_COMPUTE_32F_FAST_TF32, "CUBLAS_COMPUTE_32F_FAST_TF32"};
  if (arithmetic.a == Element::fp32) return {CUBLAS_COMPUTE_32F_PEDANTIC, "CUBLAS_COMPUTE_32F_PEDANTIC"};
  return {CUBLAS_COMPUTE_32F, "CUBLAS_COMPUTE_32F"};
}

/// The allowed cublasLtReductionScheme_t for a split product. Partial sums are never rounded to the type of C
/// before they are added; the tolerances rely on this. In-place reduction uses C's type.
inline int reductions(const Arithmetic& arithmetic) {
  return CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE |
         (sums_have_type_of_c(arithmetic) ? CUBLASLT_REDUCTION_SCHEME_INPLACE : 0);
}

/// The type of alpha and beta.
inline cudaDataType_t scale_type(const Arithmetic& arithmetic) {
  if (arithmetic.a == Element::fp64) return CUDA_R_64F;
  if (arithmetic.a == Element::int8) return CUDA_R_32I;
  return CUDA_R_32F;
}

/// alpha or beta in that type. The pointer is valid while this object lives.
class Scale {
 public:
  Scale(const Arithmetic& arithmetic, int value) {
    const auto as_double = static_cast<double>(value);
    const auto as_float = static_cast<float>(value);
    switch (scale_type(arithmetic)) {
      case CUDA_R_64F:
        std::memcpy(bytes_, &as_double, sizeof as_double);
        return;
      case CUDA_R_32I:
        std::memcpy(bytes_, &value, sizeof value);
        return;
      default:
        std::memcpy(bytes_, &as_float, sizeof as_float);
    }
  }
  const void* get() const { return bytes_; }

 private:
  alignas(8) unsigned char bytes_[8] = {};
};

}  // namespace gpugauge::bench::cublas
