// Runs a kernel's own source on the host, a thread a lane, so that its arithmetic can be tested without a
// GPU. Include this before the kernel's .cuh; this folder comes first among the include folders, so that the
// kernels find the emulated kernels/support/ptx.cuh.
//
// Emulated: blocks one after another, barriers, shared memory, warp shuffles and the instructions of ptx.cuh.
// Not emulated: the memory model, timing, divergence within a warp at a collective.
#pragma once

#include <array>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <vector_functions.h>
#include <vector_types.h>

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's own names
#undef __shared__
#undef __global__
#undef __device__
#undef __launch_bounds__
#undef __forceinline__
#undef __restrict__
#define __shared__ static
#define __global__
#define __device__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __restrict__
// NOLINTEND(bugprone-reserved-identifier)

namespace emulator {

/// What the lanes of a warp hand each other in a collective.
struct Warp {
  std::barrier<> barrier{32};
  std::array<std::uint64_t, 32> words{};
  std::array<std::array<std::uint32_t, 16>, 32> registers{};
};

struct Block {
  explicit Block(int threads) : barrier(threads), warps(static_cast<std::size_t>(threads) / 32) {}
  std::barrier<> barrier;
  std::vector<Warp> warps;
};

inline thread_local Block* block = nullptr;
inline thread_local int lane = 0;
inline thread_local Warp* warp = nullptr;

/// This thread used Tensor Memory and has not fenced it for others; or it passed a barrier and has not fenced
/// what others did there.
inline thread_local bool tensor_unfenced = false;
inline thread_local bool barrier_unfenced = false;

/// Every lane gives a value and gets all 32.
inline std::array<std::uint64_t, 32> exchange(std::uint64_t value) {
  warp->words[static_cast<std::size_t>(lane)] = value;
  warp->barrier.arrive_and_wait();
  const std::array<std::uint64_t, 32> all = warp->words;
  warp->barrier.arrive_and_wait();
  return all;
}

}  // namespace emulator

inline thread_local uint3 threadIdx{};
inline thread_local uint3 blockIdx{};
inline dim3 blockDim;
inline dim3 gridDim;

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's own names
inline void __syncthreads() {
  EXPECT_FALSE(emulator::tensor_unfenced) << "tcgen05 instructions before a barrier without a fence";
  emulator::block->barrier.arrive_and_wait();
  emulator::barrier_unfenced = true;
}

inline void __syncwarp() {
  emulator::warp->barrier.arrive_and_wait();
}

template <typename T>
T __ldg(const T* from) {
  return *from;
}

template <typename T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return static_cast<T>(emulator::exchange(value)[static_cast<std::size_t>(emulator::lane ^ mask)]);
}

template <typename T>
T __shfl_down_sync(unsigned, T value, int offset) {
  const int from = emulator::lane + offset;
  return static_cast<T>(
      emulator::exchange(value)[static_cast<std::size_t>(from < 32 ? from : emulator::lane)]);
}

inline float __fadd_rn(float a, float b) {
  return a + b;
}

inline unsigned __float_as_uint(float value) {
  unsigned bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
// NOLINTEND(bugprone-reserved-identifier)

namespace emulator {

/// Runs kernel() for every thread of every block. `threads` is a multiple of 32.
inline void launch(unsigned blocks, unsigned threads, const std::function<void()>& kernel) {
  gridDim = dim3(blocks);
  blockDim = dim3(threads);
  for (unsigned index = 0; index < blocks; ++index) {
    Block here(static_cast<int>(threads));
    std::vector<std::jthread> running;
    for (unsigned thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] {
        threadIdx = make_uint3(thread, 0, 0);
        blockIdx = make_uint3(index, 0, 0);
        block = &here;
        lane = static_cast<int>(thread % 32);
        warp = &here.warps[thread / 32];
        kernel();
      });
  }
}

}  // namespace emulator
