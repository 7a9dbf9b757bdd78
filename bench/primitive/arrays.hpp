// Sizes and checks shared by the primitives over one long array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "support/cuda/device.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/cuda/room.hpp"

namespace gpugauge::bench::primitive {

/// 32-bit elements of each array: 1 GiB or four times the L2 cache, whichever is more. Ends the trial
/// (require_room) when `arrays` of them and `more` bytes leave less than a tenth of the GPU's memory free.
inline std::size_t array_elements(Trial& trial, std::size_t arrays, std::size_t more = 0) {
  const std::size_t bytes = std::max<std::size_t>(std::size_t{1} << 30, 4 * cuda::device().l2_bytes);
  cuda::require_room(trial, arrays * bytes + more);
  trial.note("array_bytes", std::to_string(bytes));
  return bytes / 4;
}

inline constexpr const char* bad_value =
    "a memory clock below its maximum, ECC or row-remapping trouble, a low SM clock, another process on the "
    "GPU, a "
    "MIG slice";

}  // namespace gpugauge::bench::primitive
