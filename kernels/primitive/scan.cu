#include "kernels/primitive/scan.cuh"
#include "kernels/support/comparison_launch.cuh"

namespace gpugauge::kernels::primitive {
namespace {

// `shift` is 1 for an exclusive scan, which adds the preceding element, and 0 for an inclusive one.
struct PrefixSum {
  const std::uint32_t* from;
  const std::uint32_t* to;
  std::size_t shift;
  __device__ bool operator()(std::size_t i) const {
    const std::uint32_t before = i == 0 ? 0 : to[i - 1];
    const std::uint32_t added = i < shift ? 0 : from[i - shift];
    return to[i] == before + added;
  }
};

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
                                  Comparison* found, cudaStream_t stream) {
  return compare_exactly(count, PrefixSum{from, to, 1}, found, stream);
}

cudaError_t count_inclusive_scan_mismatches(const std::uint32_t* from, const std::uint32_t* to,
                                            std::size_t count, Comparison* found, cudaStream_t stream) {
  return compare_exactly(count, PrefixSum{from, to, 0}, found, stream);
}

}  // namespace gpugauge::kernels::primitive
