// Kernels with many arguments: what passing them costs.
#pragma once

#include <array>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::launch {

/// The numbers of arguments for which there is a kernel. Each argument is 8 bytes, the size of a pointer.
inline constexpr std::array argument_counts{0, 4, 16, 32};

/// One more value folded into a sum in which order counts: an argument in another's place is seen.
GPUGAUGE_HOST_DEVICE constexpr std::uint64_t fold_argument(std::uint64_t folded, std::uint64_t value) {
  return folded * 31 + value;
}

/// The kernel of `count` arguments that uses none of them, as cudaLaunchKernel takes it; nullptr for a count
/// that is not listed. One block of one warp is enough.
const void* ignoring_kernel(int count);

/// The kernel whose first argument is an address of std::uint64_t (device) and whose next `count` ones are
/// std::uint64_t: adds their fold, begun with 0, to the number at that address. nullptr for a count that is
/// not listed. One block of one thread.
const void* folding_kernel(int count);

}  // namespace gpugauge::kernels::launch
