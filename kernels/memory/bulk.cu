#include "kernels/memory/bulk.cuh"
#include "kernels/memory/bulk.hpp"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::memory {
namespace {

// Launches `kernel` when the GPU has bulk copies and the pointers (nullptr where unused) are aligned.
template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), std::size_t blocks, int threads, int shared_bytes,
                   const float* b, const float* c, const float* a, cudaStream_t stream,
                   Arguments... arguments) {
  for (const float* pointer : {b, c, a})
    if (reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0) return cudaErrorInvalidValue;
  if (blocks > 0x7fffffff) return cudaErrorInvalidValue;
  if (const cudaError_t status = supports(kernel, 90); status != cudaSuccess) return status;
  if (const cudaError_t status =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
      status != cudaSuccess)
    return status;
  kernel<<<static_cast<unsigned>(blocks), threads, shared_bytes, stream>>>(arguments...);
  return cudaGetLastError();
}

std::size_t blocks_that_stay(int per_sm) {
  return static_cast<std::size_t>(current_sm_count()) * static_cast<std::size_t>(per_sm);
}

template <typename Map>
cudaError_t map(const float* b, const float* c, float* a, std::size_t count, Map with, cudaStream_t stream) {
  return launch(bulk_map_kernel<Map>, bulk_map_blocks(count), bulk_map_block<Map>, bulk_map_shared_bytes<Map>,
                b, c, a, stream, b, c, a, count, with);
}

}  // namespace

int bulk_reading_blocks_here() {
  int device = 0;
  int bytes = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device) != cudaSuccess)
    bytes = 0;  // the following launch reports the error
  return bulk_reading_blocks(bytes);
}

cudaError_t bulk_read(const float* data, std::size_t count, unsigned long long* partial_sums,
                      cudaStream_t stream) {
  return launch(bulk_read_kernel, blocks_that_stay(bulk_reading_blocks_here()),
                bulk_mover_threads + bulk_workers, BulkRing::shared_bytes, data, nullptr, nullptr, stream,
                data, count, partial_sums);
}

cudaError_t bulk_write(float value, float* to, std::size_t count, cudaStream_t stream) {
  return launch(bulk_write_kernel, blocks_that_stay(bulk_blocks_per_sm), bulk_mover_threads,
                static_cast<int>(bulk_stage_bytes), nullptr, nullptr, to, stream, value, to, count);
}

cudaError_t bulk_copy(const float* from, float* to, std::size_t count, cudaStream_t stream) {
  return map(from, nullptr, to, count, Same{}, stream);
}

cudaError_t bulk_scale(const float* from, float factor, float* to, std::size_t count, cudaStream_t stream) {
  return map(from, nullptr, to, count, Scale{factor}, stream);
}

cudaError_t bulk_add(const float* b, const float* c, float* a, std::size_t count, cudaStream_t stream) {
  return map(b, c, a, count, Add{}, stream);
}

cudaError_t bulk_triad(const float* b, const float* c, float factor, float* a, std::size_t count,
                       cudaStream_t stream) {
  return map(b, c, a, count, Triad{factor}, stream);
}

}  // namespace gpugauge::kernels::memory
