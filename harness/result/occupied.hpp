// A GPU, or its memory, that something else holds for a while: what could not be measured there is not
// missing.
#pragma once

#include <string_view>

#include "result/samples.hpp"

namespace gpugauge::result {

/// In the reason of a benchmark that found too little room on a GPU that has it.
inline constexpr std::string_view no_room_left = "something else holds the rest";

/// Whether what is unavailable for that reason is only in use: the runtime's answers to a new context on a
/// busy GPU, or what a benchmark that found no room says.
inline bool occupied(Status status, std::string_view reason) {
  if (status != Status::unavailable) return false;
  for (const std::string_view word : {std::string_view("cudaErrorMemoryAllocation"),
                                      std::string_view("cudaErrorDevicesUnavailable"), no_room_left})
    if (reason.find(word) != std::string_view::npos) return true;
  return false;
}

}  // namespace gpugauge::result
