#include "kernels/memory/chase.cuh"
#include "kernels/support/clock.cuh"

namespace gpugauge::kernels::memory {
namespace {

__global__ void chase_lines_kernel(std::uint64_t base, std::uint32_t elements, std::size_t stride, int rounds,
                                   std::uint32_t* cycles) {
  __shared__ volatile std::uint64_t arrived;
  std::uint64_t place = base;
  for (int round = 0; round < rounds; ++round) {
    for (std::uint32_t step = 0; step < elements; ++step) {
      const std::size_t line = (place - base) / stride;
      const std::uint64_t before = sm_cycles();
      // Adds 0, because the clock is below 2^63, but makes the load depend on the clock reading.
      place = access::load_past_l1(place + (before >> 63));
      arrived = place;  // instructions issue in order: this waits for the load
      const auto taken = static_cast<std::uint32_t>(sm_cycles() - before);
      if (round == 1 || (round > 1 && taken < cycles[line])) cycles[line] = taken;
    }
  }
}

}  // namespace

cudaError_t scatter_chain(const std::uint32_t* next, std::uint32_t elements, std::size_t stride, void* memory,
                          cudaStream_t stream) {
  if (elements == 0 || stride == 0 || stride % 8 != 0) return cudaErrorInvalidValue;
  scatter_chain_kernel<<<(elements + 255) / 256, 256, 0, stream>>>(next, elements, stride,
                                                                   reinterpret_cast<std::uint64_t>(memory));
  return cudaGetLastError();
}

cudaError_t chase(std::uint64_t* at, std::uint32_t steps, ChaseLevel level, cudaStream_t stream) {
  if (level == ChaseLevel::l1)
    chase_kernel<ChaseLevel::l1><<<1, 1, 0, stream>>>(at, steps);
  else
    chase_kernel<ChaseLevel::l2><<<1, 1, 0, stream>>>(at, steps);
  return cudaGetLastError();
}

cudaError_t chase_lines(const void* memory, std::uint32_t elements, std::size_t stride, int rounds,
                        std::uint32_t* cycles, cudaStream_t stream) {
  if (elements == 0 || stride == 0 || stride % 8 != 0 || rounds < 2) return cudaErrorInvalidValue;
  chase_lines_kernel<<<1, 1, 0, stream>>>(reinterpret_cast<std::uint64_t>(memory), elements, stride, rounds,
                                          cycles);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels::memory
