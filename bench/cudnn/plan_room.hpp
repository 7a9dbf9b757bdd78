// How much workspace a cuDNN plan may take, and the message where it needs more. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "support/gpu_room.hpp"

namespace gpugauge::bench::cudnn {

/// Limits on which of the heuristic's plans are built.
struct PlanLimits {
  int most = 1;           ///< most plans to compare
  std::size_t taken = 0;  ///< bytes of GPU memory that the benchmark itself already holds
};

/// Returns why plan number `plan` cannot have its workspace, or nullopt. unavailable: something else holds
/// memory that a GPU of this size has for it. skipped: otherwise. A tenth of the memory stays free.
inline std::optional<Skipped> why_no_workspace(std::int64_t plan, std::size_t workspace, std::size_t taken,
                                               const GpuMemory& now) {
  constexpr double gibibyte = 1 << 30;
  if (workspace + now.total / 10 <= now.free) return std::nullopt;
  return without_room(
      fmt::format("plan {} of cuDNN needs {:.1f} GiB of workspace beside a reserve of {:.1f} "
                  "GiB, {:.1f} GiB are free",
                  plan, static_cast<double>(workspace) / gibibyte,
                  static_cast<double>(now.total) / 10 / gibibyte, static_cast<double>(now.free) / gibibyte),
      has_room(now, taken + workspace));
}

/// Whether this lack of memory ends the benchmark. The first plan that runs is the library's own choice.
/// Behind it, a plan that never fits a GPU of this size is skipped. Memory held by something else always ends
/// the benchmark, because it could change which plan is first or best.
inline bool ends_benchmark(const Skipped& lack, bool first_is_known) {
  return lack.status == result::Status::unavailable || !first_is_known;
}

}  // namespace gpugauge::bench::cudnn
