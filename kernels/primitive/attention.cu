#include <cmath>

#include "kernels/primitive/attention.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::primitive {
namespace {

template <int HeadDim, bool Causal>
cudaError_t launch(const Bf16* q, const Bf16* k, const Bf16* v, Bf16* o, const AttentionShape& shape,
                   cudaStream_t stream) {
  namespace tile = attention_tile;
  const auto kernel = tile::attention_kernel<HeadDim, Causal>;
  if (const cudaError_t status = supports(kernel, 80); status != cudaSuccess) return status;
  if (const cudaError_t status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                      tile::shared_bytes<HeadDim>);
      status != cudaSuccess)
    return status;
  const int tiles = (shape.length - 1) / tile::query_rows + 1;
  const std::int64_t blocks = static_cast<std::int64_t>(tiles) * shape.heads;
  if (blocks > 0x7fffffff) return cudaErrorInvalidValue;
  const auto scale = static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(HeadDim)));
  kernel<<<static_cast<unsigned>(blocks), tile::threads, tile::shared_bytes<HeadDim>, stream>>>(
      q, k, v, o, shape.length, tiles, scale);
  return cudaGetLastError();
}

}  // namespace

cudaError_t attention(const Bf16* q, const Bf16* k, const Bf16* v, Bf16* o, AttentionShape shape,
                      cudaStream_t stream) {
  for (const Bf16* pointer : {q, k, v, static_cast<const Bf16*>(o)})
    if (reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0) return cudaErrorInvalidValue;
  if (shape.heads < 1 || shape.heads > 65535 || shape.length < 1) return cudaErrorInvalidValue;
  if (shape.head_dim == 64)
    return shape.causal ? launch<64, true>(q, k, v, o, shape, stream)
                        : launch<64, false>(q, k, v, o, shape, stream);
  if (shape.head_dim == 128)
    return shape.causal ? launch<128, true>(q, k, v, o, shape, stream)
                        : launch<128, false>(q, k, v, o, shape, stream);
  return cudaErrorInvalidValue;
}

}  // namespace gpugauge::kernels::primitive
