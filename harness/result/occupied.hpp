// Detects that something else temporarily holds a GPU or its memory. What could not be measured for that
// reason is not missing.
#pragma once

#include <string>
#include <string_view>

#include "result/facts.hpp"
#include "result/samples.hpp"

namespace gpugauge::result {

/// "true" in the notes of a benchmark, or in the context of a family that could not begin, whose device is
/// only in use.
inline constexpr const char* occupied_note = "occupied";

/// Appears in the reason of a benchmark that found too little free room on a GPU with enough memory.
inline constexpr std::string_view no_room_left = "something else holds the rest";

/// True if a benchmark or family is unavailable only because its device is in use. `noted`: the benchmark's
/// notes, or the context of a family that could not begin. Where the note is absent, the reason is searched:
/// earlier sample files and the history have only its words, and so has a rank that did not begin because the
/// GPU of another one is in use. The words are the runtime's answers to a new context on a busy GPU, and
/// no_room_left.
inline bool occupied(Status status, std::string_view reason, const Facts& noted = {}) {
  if (status != Status::unavailable) return false;
  if (fact(noted, occupied_note) == "true") return true;
  for (const std::string_view word : {std::string_view("cudaErrorMemoryAllocation"),
                                      std::string_view("cudaErrorDevicesUnavailable"), no_room_left})
    if (reason.find(word) != std::string_view::npos) return true;
  return false;
}

}  // namespace gpugauge::result
