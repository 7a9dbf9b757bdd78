#include <cstdint>
#include <initializer_list>

#include "kernels/memory/stream.cuh"
#include "kernels/memory/stream_maps.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::memory {
namespace {

bool aligned(std::initializer_list<const void*> pointers) {
  for (const void* pointer : pointers)
    if (reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0) return false;
  return true;
}

}  // namespace

cudaError_t read(const float* data, std::size_t count, unsigned long long* partial_sums,
                 cudaStream_t stream) {
  if (!aligned({data})) return cudaErrorInvalidValue;
  read_kernel<<<static_cast<unsigned>(read_blocks(current_sm_count())), threads, 0, stream>>>(data, count,
                                                                                              partial_sums);
  return cudaGetLastError();
}

cudaError_t copy(const float* from, float* to, std::size_t count, cudaStream_t stream) {
  if (!aligned({from, to})) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  copy_kernel<<<current_sm_count() * blocks_per_sm, threads, 0, stream>>>(from, to, count);
  return cudaGetLastError();
}

cudaError_t write(float value, float* to, std::size_t count, cudaStream_t stream) {
  if (!aligned({to})) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  write_kernel<<<current_sm_count() * blocks_per_sm, threads, 0, stream>>>(value, to, count);
  return cudaGetLastError();
}

cudaError_t scale(const float* from, float factor, float* to, std::size_t count, cudaStream_t stream) {
  if (!aligned({from, to})) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  scale_kernel<<<current_sm_count() * blocks_per_sm, threads, 0, stream>>>(from, factor, to, count);
  return cudaGetLastError();
}

cudaError_t add(const float* b, const float* c, float* a, std::size_t count, cudaStream_t stream) {
  if (!aligned({a, b, c})) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  add_kernel<<<current_sm_count() * blocks_per_sm, threads, 0, stream>>>(b, c, a, count);
  return cudaGetLastError();
}

cudaError_t triad(const float* b, const float* c, float factor, float* a, std::size_t count,
                  cudaStream_t stream) {
  if (!aligned({a, b, c})) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  triad_kernel<<<current_sm_count() * blocks_per_sm, threads, 0, stream>>>(b, c, factor, a, count);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::memory
