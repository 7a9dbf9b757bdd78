#include "kernels/memory/footprint.cuh"

namespace gpugauge::kernels::memory {

cudaError_t read_footprint(const float* data, const FootprintPlan& plan, int blocks, std::uint32_t* sums,
                           cudaStream_t stream) {
  // Both are multiples of the block's threads, so that all threads read equally often.
  const std::size_t steps = plan.slice_vectors / footprint_threads;
  if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0 || blocks < 1 || plan.vectors == 0 ||
      plan.vectors > most_footprint_vectors || plan.vectors % footprint_threads != 0 ||
      plan.slice_vectors % footprint_threads != 0 || steps > 0xffffffffU)
    return cudaErrorInvalidValue;
  read_footprint_kernel<<<static_cast<unsigned>(blocks), footprint_threads, 0, stream>>>(
      reinterpret_cast<const uint4*>(data), static_cast<std::uint32_t>(plan.vectors),
      static_cast<std::uint32_t>(steps), plan.start_stride, plan.turns, plan.hop, sums);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::memory
