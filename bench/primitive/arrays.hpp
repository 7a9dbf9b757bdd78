// Sizes and checks shared by the primitives over one long array.
#pragma once

#include <cstddef>
#include <string>

#include "support/cuda/device.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"

namespace gpugauge::bench::primitive {

/// 32-bit elements of each array: cuda::bus_array_bytes(). Ends the trial (require_room) when `arrays` of
/// them and `more` bytes leave less than a tenth of the GPU's memory free.
inline std::size_t array_elements(Trial& trial, std::size_t arrays, std::size_t more = 0) {
  const std::size_t bytes = cuda::bus_array_bytes(cuda::device().l2_bytes);
  cuda::require_room(trial, arrays * bytes + more);
  trial.note("array_bytes", std::to_string(bytes));
  return bytes / 4;
}

inline constexpr const char* bad_value =
    "a memory clock below its maximum, ECC or row-remapping trouble, a low SM clock, another process on the "
    "GPU, a "
    "MIG slice";

}  // namespace gpugauge::bench::primitive
