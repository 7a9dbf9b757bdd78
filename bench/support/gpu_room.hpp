// Too little memory on a GPU: is it held by something else for now, or does a GPU of this size never have
// enough? Pure.
#pragma once

#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/trial.hpp"

namespace gpugauge::bench {

/// Memory of a GPU, in bytes.
struct GpuMemory {
  std::size_t total = 0;          ///< total memory
  std::size_t free = 0;           ///< memory that can be allocated now
  bool shared_with_host = false;  ///< integrated GPU: memory that the host holds is no one's fault
};

/// A GPU gave less memory than was asked for. After the benchmark's own memory is freed, the runner checks
/// who holds it (held_by_others). It then makes the benchmark unavailable or skipped, with what() as the
/// reason.
class OutOfGpuMemory : public std::bad_alloc {
 public:
  /// `what`: one sentence. `bytes`: what was asked for, or 0 where unknown (a library asked).
  explicit OutOfGpuMemory(std::string what, std::size_t bytes = 0) : what_(std::move(what)), bytes_(bytes) {}
  /// The sentence.
  const char* what() const noexcept override { return what_.c_str(); }
  /// Bytes asked for; 0 = unknown.
  std::size_t bytes() const { return bytes_; }

 private:
  std::string what_;
  std::size_t bytes_;
};

/// Whether an otherwise idle GPU like this one has `bytes` for a benchmark. A tenth stays free, and the
/// context and a desktop take up to a quarter. Always false for memory shared with the host.
bool has_room(const GpuMemory& gpu, std::size_t bytes);

/// Whether the GPU has the missing memory but something else holds it. `now`: read after everything of the
/// benchmark was freed.
bool held_by_others(const OutOfGpuMemory& lack, const GpuMemory& now);

/// A library needs up to some hundred MiB for its code and its own buffers before it computes anything. One
/// that finds less free than this, and says only that it could not set itself up, most likely got too little.
inline constexpr std::size_t library_bytes = std::size_t{512} << 20;

/// Throws OutOfGpuMemory with `what`, one sentence of a library that could not set itself up and does not say
/// why, where less than library_bytes are free.
void require_library_room(const GpuMemory& now, std::string what);

/// Which of several GPUs still lacks the memory because something else holds it, as its place in `now`. One
/// that does not even tell its memory (nullopt) comes first, then, of those that held_by_others() names and
/// that have not so much free now beside a tenth, the one with the least. nullopt: none.
std::optional<std::size_t> held_one(const OutOfGpuMemory& lack,
                                    const std::vector<std::optional<GpuMemory>>& now);

/// Makes the exception that ends a body for lack of memory. `held`: unavailable and occupied, because
/// something else holds the memory; otherwise skipped.
Skipped without_room(std::string reason, bool held);

}  // namespace gpugauge::bench
