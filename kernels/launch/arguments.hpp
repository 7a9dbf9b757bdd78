// Kernels with many arguments, to measure the cost of passing them.
#pragma once

#include <array>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::launch {

/// The argument counts for which there is a kernel. Each argument is 8 bytes, the size of a pointer.
inline constexpr std::array argument_counts{0, 4, 16, 32};

/// Folds one more value into an order-dependent sum, so that swapped arguments are detected.
GPUGAUGE_HOST_DEVICE constexpr std::uint64_t fold_argument(std::uint64_t folded, std::uint64_t value) {
  return folded * 31 + value;
}

/// The kernel of `count` arguments that uses none of them, as cudaLaunchKernel takes it; nullptr for a count
/// that is not listed. One block of one warp is enough.
const void* ignoring_kernel(int count);

/// The kernel whose first argument is the address of a std::uint64_t (device), followed by `count`
/// std::uint64_t. It adds their fold, starting from 0, to the number at that address. nullptr for a count
/// that is not listed. Launch one block of one thread.
const void* folding_kernel(int count);

}  // namespace gpugauge::kernels::launch
