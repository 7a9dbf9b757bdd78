// Detects that something else temporarily holds a GPU or its memory. What could not be measured for that
// reason is not missing.
#pragma once

#include <string_view>

#include "result/samples.hpp"

namespace gpugauge::result {

/// Appears in the reason of a benchmark that found too little free room on a GPU with enough memory.
inline constexpr std::string_view no_room_left = "something else holds the rest";

/// True if a benchmark is unavailable only because its device is in use. Recognised by the runtime's answers
/// to a new context on a busy GPU, and by the reason of a benchmark that found no room.
inline bool occupied(Status status, std::string_view reason) {
  if (status != Status::unavailable) return false;
  for (const std::string_view word : {std::string_view("cudaErrorMemoryAllocation"),
                                      std::string_view("cudaErrorDevicesUnavailable"), no_room_left})
    if (reason.find(word) != std::string_view::npos) return true;
  return false;
}

}  // namespace gpugauge::result
