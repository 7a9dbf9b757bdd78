#include "kernels/integrity/pattern.hpp"
#include "kernels/support/clock.cuh"
#include "kernels/support/grid.hpp"
#include "kernels/support/grid_stride.cuh"

namespace gpugauge::kernels::integrity {
namespace {

constexpr int threads = 256;
constexpr int blocks_per_sm = 8;

__global__ void __launch_bounds__(threads)
    write_kernel(std::uint64_t* words, std::size_t count, bool inverse) {
  auto* const pairs = reinterpret_cast<ulonglong2*>(words);
  for (std::size_t i = first_index(); i < count / 2; i += stride())
    pairs[i] = make_ulonglong2(pattern(2 * i, inverse), pattern(2 * i + 1, inverse));
  if (first_index() == 0 && count % 2 != 0) words[count - 1] = pattern(count - 1, inverse);
}

__device__ void note_fault(std::uint64_t index, std::uint64_t found, bool inverse, Faults* faults) {
  atomicAdd(&faults->count, 1ULL);
  atomicMin(&faults->first, static_cast<unsigned long long>(index));
  atomicMax(&faults->last, static_cast<unsigned long long>(index));
  atomicOr(&faults->bits, static_cast<unsigned long long>(found ^ pattern(index, inverse)));
  const std::uint32_t sm = sm_id();
  if (sm < most_sms) atomicOr(&faults->sms[sm / 32], 1U << sm % 32);
}

__global__ void __launch_bounds__(threads)
    check_kernel(const std::uint64_t* words, std::size_t count, bool inverse, Faults* faults) {
  const auto* const pairs = reinterpret_cast<const ulonglong2*>(words);
  unsigned long long compared = 0;
  for (std::size_t i = first_index(); i < count / 2; i += stride()) {
    const ulonglong2 pair = pairs[i];
    compared += 2;
    if (pair.x != pattern(2 * i, inverse)) note_fault(2 * i, pair.x, inverse, faults);
    if (pair.y != pattern(2 * i + 1, inverse)) note_fault(2 * i + 1, pair.y, inverse, faults);
  }
  if (first_index() == 0 && count % 2 != 0) {
    ++compared;
    if (words[count - 1] != pattern(count - 1, inverse))
      note_fault(count - 1, words[count - 1], inverse, faults);
  }
  if (compared != 0) atomicAdd(&faults->compared, compared);
}

}  // namespace

cudaError_t write_pattern(std::uint64_t* words, std::size_t count, bool inverse, cudaStream_t stream) {
  if (reinterpret_cast<std::uintptr_t>(words) % 16 != 0) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  write_kernel<<<current_sm_count() * blocks_per_sm, threads, 0, stream>>>(words, count, inverse);
  return cudaGetLastError();
}

cudaError_t check_pattern(const std::uint64_t* words, std::size_t count, bool inverse, Faults* faults,
                          cudaStream_t stream) {
  if (reinterpret_cast<std::uintptr_t>(words) % 16 != 0) return cudaErrorInvalidValue;
  if (count == 0) return cudaSuccess;
  check_kernel<<<current_sm_count() * blocks_per_sm, threads, 0, stream>>>(words, count, inverse, faults);
  return cudaGetLastError();
}

cudaError_t reset_faults(Faults* faults, cudaStream_t stream) {
  // A GPU that reads the host's pageable memory directly (GH200, HMM) may read it after the call.
  static const Faults none;
  return cudaMemcpyAsync(faults, &none, sizeof none, cudaMemcpyHostToDevice, stream);
}

}  // namespace gpugauge::kernels::integrity
