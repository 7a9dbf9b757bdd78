// What a plan of cuDNN may take as workspace, and what is said where it takes more. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "support/gpu_room.hpp"

namespace gpugauge::bench::cudnn {

/// Which of the heuristic's plans are built.
struct PlanLimits {
  int most = 1;           ///< plans that are compared
  std::size_t taken = 0;  ///< bytes of GPU memory that the benchmark itself has taken already
};

/// Why plan number `plan` cannot have its workspace: unavailable where something else holds what a GPU of
/// this size has for it, else skipped; nullopt where it can. A tenth of the memory stays free.
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

/// Whether the benchmark ends with that. A plan that a GPU of this size cannot have is passed over behind the
/// first that runs, which is the library's own choice; what something else holds for a while would make
/// another plan the first or the best.
inline bool ends_benchmark(const Skipped& lack, bool first_is_known) {
  return lack.status == result::Status::unavailable || !first_is_known;
}

}  // namespace gpugauge::bench::cudnn
