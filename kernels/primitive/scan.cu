#include "kernels/primitive/scan.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::primitive {
namespace {

// `shift` is 1 for an exclusive scan, which adds the element before, and 0 for an inclusive one.
__global__ void scan_mismatch_kernel(const std::uint32_t* from, const std::uint32_t* to, std::size_t count,
                                     std::size_t shift, unsigned long long* mismatches) {
  unsigned long long wrong = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const std::uint32_t before = i == 0 ? 0 : to[i - 1];
    const std::uint32_t added = i < shift ? 0 : from[i - shift];
    if (to[i] != before + added) ++wrong;
  }
  if (wrong != 0) atomicAdd(mismatches, wrong);
}

cudaError_t count_mismatches(const std::uint32_t* from, const std::uint32_t* to, std::size_t count,
                             std::size_t shift, unsigned long long* mismatches, cudaStream_t stream) {
  if (const cudaError_t status = cudaMemsetAsync(mismatches, 0, sizeof *mismatches, stream);
      status != cudaSuccess)
    return status;
  scan_mismatch_kernel<<<current_sm_count() * 8, 256, 0, stream>>>(from, to, count, shift, mismatches);
  return cudaGetLastError();
}

}  // namespace

cudaError_t exclusive_scan(const std::uint32_t* from, std::uint32_t* to, std::size_t count,
                           unsigned long long* scratch, cudaStream_t stream) {
  if (reinterpret_cast<std::uintptr_t>(from) % 16 != 0 || reinterpret_cast<std::uintptr_t>(to) % 16 != 0)
    return cudaErrorInvalidValue;
  const std::size_t tiles = scan_scratch(count) - 1;
  if (tiles > 0x7fffffff) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  if (const cudaError_t status = cudaMemsetAsync(scratch, 0, (tiles + 1) * sizeof *scratch, stream);
      status != cudaSuccess)
    return status;
  scan_kernel<<<static_cast<unsigned>(tiles), scan_threads, 0, stream>>>(from, to, count, scratch);
  return cudaGetLastError();
}

cudaError_t count_scan_mismatches(const std::uint32_t* from, const std::uint32_t* to, std::size_t count,
                                  unsigned long long* mismatches, cudaStream_t stream) {
  return count_mismatches(from, to, count, 1, mismatches, stream);
}

cudaError_t count_inclusive_scan_mismatches(const std::uint32_t* from, const std::uint32_t* to,
                                            std::size_t count, unsigned long long* mismatches,
                                            cudaStream_t stream) {
  return count_mismatches(from, to, count, 0, mismatches, stream);
}

}  // namespace gpugauge::kernels::primitive
