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

template <typename... Parameters, typename... Arguments>
cudaError_t map(void (*kernel)(Parameters...), std::initializer_list<const void*> pointers, std::size_t count,
                cudaStream_t stream, Arguments... arguments) {
  if (!aligned(pointers) || map_blocks(count) > 0x7fffffff) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  kernel<<<static_cast<unsigned>(map_blocks(count)), map_threads, 0, stream>>>(arguments...);
  return cudaGetLastError();
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
  return map(copy_kernel, {from, to}, count, stream, from, to, count);
}

cudaError_t copy_pair(const float* from, float* to, const float* other_from, float* other_to,
                      std::size_t count, cudaStream_t stream) {
  return map(copy_pair_kernel, {from, to, other_from, other_to}, count, stream, from, to, other_from,
             other_to, count);
}

cudaError_t write(float value, float* to, std::size_t count, cudaStream_t stream) {
  if (!aligned({to})) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  write_kernel<<<current_sm_count() * blocks_per_sm, threads, 0, stream>>>(value, to, count);
  return cudaGetLastError();
}

cudaError_t scale(const float* from, float factor, float* to, std::size_t count, cudaStream_t stream) {
  return map(scale_kernel, {from, to}, count, stream, from, factor, to, count);
}

cudaError_t add(const float* b, const float* c, float* a, std::size_t count, cudaStream_t stream) {
  return map(add_kernel, {a, b, c}, count, stream, b, c, a, count);
}

cudaError_t triad(const float* b, const float* c, float factor, float* a, std::size_t count,
                  cudaStream_t stream) {
  return map(triad_kernel, {a, b, c}, count, stream, b, c, factor, a, count);
}

}  // namespace gpugauge::kernels::memory
