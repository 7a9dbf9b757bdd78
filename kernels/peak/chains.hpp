// Chains of dependent instructions on the CUDA cores, from registers to registers only.
//
// Floating-point chains compute x <- x x + c with c between -1.93 and -1.8. x stays within -2 and 2 and its
// bits look random. A step that is lost, doubled or rounded differently gives another result. Every step is
// one fused multiply-add, rounded once, so that the host computes the same bits. Integer chains are x <- x a
// + c modulo 2^32, and x <- x + dot(x, a) of four signed bytes.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/bf16.hpp"
#include "kernels/support/host_device.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::peak {

enum class Chain { fp64, fp32, fp16x2, int32, dp4a };

constexpr int chain_threads = 256;
/// Chains per thread. A dependent instruction begins at the earliest 4 clocks after its predecessor (fp32 and
/// integer on 7.0: Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", 2018).
/// This is assumed for later GPUs, with a few more clocks for fp64. A quarter of an SM begins at most one per
/// clock, so four chains per quarter suffice. Eight chains in each of four or more warps are 32.
constexpr int chains = 8;
/// Steps in the body of the loop: 256 instructions, plus two or three for the loop. `steps` must be a
/// multiple of it.
constexpr int chain_unroll = 32;

/// Multiplications and additions of one step of one thread's chain.
constexpr int operations_of(Chain chain) {
  return chain == Chain::fp16x2 ? 4 : chain == Chain::dp4a ? 8 : 2;
}
constexpr double chain_operations(Chain chain, int blocks, int steps) {
  return static_cast<double>(operations_of(chain)) * chains * steps * blocks * chain_threads;
}

/// Runs `steps` steps of every chain of every thread on `blocks` blocks. words[blocks * chain_threads] get
/// expected_chain_word (expected_chain.hpp) of the threads' lanes. cudaErrorInvalidValue unless steps is a
/// multiple of chain_unroll.
cudaError_t chain_peak(Chain chain, int blocks, int steps, std::uint32_t* words, cudaStream_t stream);

/// Blocks that fill the current device, at least 1; 0 when the query fails.
int chain_blocks(Chain chain);

/// Start value of chain `index` of a lane: a multiple of 2^-8 in [-1, 1), exact in fp16.
GPUGAUGE_HOST_DEVICE inline float chain_start(int lane, int index) {
  return static_cast<float>(
             static_cast<int>(random_bits(7, static_cast<std::uint64_t>(lane * 64 + index)) >> 55) - 256) *
         0x1p-8F;
}
/// The lane's c of the floating-point chains: a multiple of 2^-9 in [-1.93, -1.8], exact in fp16.
GPUGAUGE_HOST_DEVICE inline float chain_offset(int lane) {
  constexpr int least = 922;  // 1.8 and 1.93 in units of 2^-9, rounded inwards
  constexpr int most = 988;
  return -static_cast<float>(least + static_cast<int>(random_bits(8, static_cast<std::uint64_t>(lane)) %
                                                      (most - least + 1))) *
         0x1p-9F;
}
GPUGAUGE_HOST_DEVICE inline std::uint32_t chain_integer(int lane, int index) {
  return static_cast<std::uint32_t>(random_bits(9, static_cast<std::uint64_t>(lane * 64 + index)));
}
/// The lane's factor of the integer chains: 1 modulo 4.
GPUGAUGE_HOST_DEVICE inline std::uint32_t chain_factor(int lane) {
  return (static_cast<std::uint32_t>(random_bits(10, static_cast<std::uint64_t>(lane))) & ~3U) | 1U;
}

/// x + dot(x, a), both read as four signed bytes, modulo 2^32.
constexpr std::uint32_t dot_step(std::uint32_t x, std::uint32_t a) {
  std::uint32_t sum = x;
  for (int byte = 0; byte < 4; ++byte)
    sum += static_cast<std::uint32_t>(static_cast<std::int8_t>(x >> (8 * byte)) *
                                      static_cast<std::int8_t>(a >> (8 * byte)));
  return sum;
}

}  // namespace gpugauge::kernels::peak
