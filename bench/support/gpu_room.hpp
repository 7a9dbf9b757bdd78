// Too little memory on a GPU: is it held by something else for now, or does a GPU of this size never have
// enough? Pure.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <utility>

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

/// Makes the exception that ends a body for lack of memory. `held`: unavailable and occupied, because
/// something else holds the memory; otherwise skipped.
Skipped without_room(std::string reason, bool held);

}  // namespace gpugauge::bench
