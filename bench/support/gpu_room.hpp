// Too little memory on a GPU: whether the GPU has it and something else holds it for a while, or a GPU of
// this size never has so much. Pure.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include "support/trial.hpp"

namespace gpugauge::bench {

/// Memory of a GPU, in bytes.
struct GpuMemory {
  std::size_t total = 0;          ///< all that it has
  std::size_t free = 0;           ///< what can be had now
  bool shared_with_host = false;  ///< an integrated GPU's: what the host holds is to blame on nobody
};

/// A GPU gave less memory than was asked for. The runner asks who holds it (held_by_others) once the
/// benchmark's own is freed, and makes it unavailable or a skip with what() as reason.
class OutOfGpuMemory : public std::bad_alloc {
 public:
  /// `what`: one sentence; `bytes`: what was asked for, 0 where nobody knows (a library asked).
  explicit OutOfGpuMemory(std::string what, std::size_t bytes = 0) : what_(std::move(what)), bytes_(bytes) {}
  /// The sentence.
  const char* what() const noexcept override { return what_.c_str(); }
  /// What was asked for; 0 = unknown.
  std::size_t bytes() const { return bytes_; }

 private:
  std::string what_;
  std::size_t bytes_;
};

/// Whether a GPU like this one has `bytes` for a benchmark while nothing else uses it: a tenth stays free,
/// and the context and a desktop take up to a quarter. Never said of memory that is the host's, too.
bool has_room(const GpuMemory& gpu, std::size_t bytes);

/// Whether what could not be had is there and something else holds it. `now`: after everything of the
/// benchmark was freed.
bool held_by_others(const OutOfGpuMemory& lack, const GpuMemory& now);

/// Ends a body for want of memory: unavailable, in the words that the judge knows, where something else holds
/// what the GPU has; else skipped.
Skipped without_room(std::string reason, bool held);

}  // namespace gpugauge::bench
