#include "kernels/support/clock.cuh"
#include "kernels/support/grid.hpp"
#include "kernels/support/sm_clock.hpp"

namespace gpugauge::kernels {
namespace {

__global__ void clock_stamp_kernel(ClockStamp* stamps, std::uint64_t generation) {
  // The counter moves in steps of up to a microsecond. Wait for its next step, so that both ends of an
  // interval are read right after one. The loop is bounded in case the counter stands still.
  const std::uint32_t sm = sm_id();
  if (sm >= stamp_slots) return;
  const std::uint64_t before = global_nanoseconds();
  std::uint64_t now = before;
  for (int attempt = 0; attempt < 4096 && now == before; ++attempt) now = global_nanoseconds();
  stamps[sm] = ClockStamp{now, sm_cycles(), generation};
}

__global__ void spin_kernel(std::uint64_t nanoseconds) {
  const std::uint64_t start = global_nanoseconds();
  while (global_nanoseconds() - start < nanoseconds) {
  }
}

}  // namespace

cudaError_t launch_clock_stamp(ClockStamp* stamps, std::uint64_t generation, cudaStream_t stream) {
  clock_stamp_kernel<<<current_sm_count(), 1, 0, stream>>>(stamps, generation);
  return cudaGetLastError();
}

cudaError_t launch_spin(std::uint64_t nanoseconds, cudaStream_t stream) {
  spin_kernel<<<1, 1, 0, stream>>>(nanoseconds);
  return cudaGetLastError();
}

}  // namespace gpugauge::kernels
