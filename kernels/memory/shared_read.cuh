// The device code of shared_read.hpp.
#pragma once

#include <cstdint>

#include "kernels/memory/access.cuh"
#include "kernels/memory/shared_read.hpp"
#include "kernels/memory/sums.cuh"

namespace gpugauge::kernels::memory {

constexpr int shared_read_bytes_held = shared_read_threads * shared_read_slots * 16;
static_assert(shared_read_bytes_held <= 48 * 1024 - 1024, "static shared memory ends at 48 KiB");
static_assert(shared_read_unroll % shared_read_slots == 0, "every slot is read equally often");

static __global__ void __launch_bounds__(shared_read_threads)
    read_shared_kernel(int rounds, std::uint32_t* __restrict__ sums) {
  __shared__ uint4 words[shared_read_threads * shared_read_slots];
  for (int slot = 0; slot < shared_read_slots; ++slot) {
    const std::uint32_t vector = slot * shared_read_threads + threadIdx.x;
    words[vector] =
        make_uint4(shared_word(blockIdx.x, vector * 4), shared_word(blockIdx.x, vector * 4 + 1),
                   shared_word(blockIdx.x, vector * 4 + 2), shared_word(blockIdx.x, vector * 4 + 3));
  }
  __syncthreads();
  const access::SharedAddress mine = access::shared_address(words + threadIdx.x);
  std::uint32_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    uint4 values[shared_read_unroll];
#pragma unroll
    for (int u = 0; u < shared_read_unroll; ++u)
      values[u] = access::load_shared(mine + u % shared_read_slots * (shared_read_threads * 16));
#pragma unroll
    for (int u = 0; u < shared_read_unroll; ++u) sum += word_sum_32(values[u]);
  }
  sum = block_sum_32<shared_read_threads>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace gpugauge::kernels::memory
