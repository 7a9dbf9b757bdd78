#include "kernels/gemm/tensor_map_encode.hpp"

namespace gpugauge::kernels::gemm {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

// Returns nullptr when the driver does not have it.
Encode find_encode() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t status =
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) return nullptr;
  return reinterpret_cast<Encode>(function);
}

}  // namespace

cudaError_t encode(const BoxedMatrix& matrix, CUtensorMap* map) {
  if (!can_be_boxed(matrix) || reinterpret_cast<std::uintptr_t>(matrix.data) % 16 != 0)
    return cudaErrorInvalidValue;
  static const Encode encode_tiled = find_encode();
  if (encode_tiled == nullptr) return cudaErrorSymbolNotFound;
  // Ordered from the innermost dimension outward. The innermost pitch is the element size and is not passed.
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(matrix.columns), static_cast<cuuint64_t>(matrix.rows)};
  const cuuint64_t pitches[1] = {static_cast<cuuint64_t>(matrix.pitch_bytes())};
  const cuuint32_t box[2] = {static_cast<cuuint32_t>(matrix.box_columns()),
                             static_cast<cuuint32_t>(matrix.box_rows)};
  const cuuint32_t every_element[2] = {1, 1};
  const CUtensorMapDataType type =
      matrix.element_bytes == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const CUresult status =
      encode_tiled(map, type, 2, const_cast<void*>(matrix.data), sizes, pitches, box, every_element,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return status == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace gpugauge::kernels::gemm
