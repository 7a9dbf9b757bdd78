#include "conductor/persisting_l2.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "result/facts.hpp"
#include "result/number.hpp"

namespace gpugauge::conductor {
namespace {

/// A number of the context; nullopt where there is none.
std::optional<double> number(const result::Facts& context, const char* name) {
  return result::number_in<double>(result::fact(context, name));
}

/// How many times as fast as before reading L2 was after the reset, as far as the SM clock does not explain it; 0 if
/// that is not known. Many GPUs raise their clocks only while the first reading lasts, and L2 is faster with it.
double gained(const result::Facts& context) {
  constexpr double near = 1.25;  // L2's clock follows the SMs' clock over small steps only
  const auto before = number(context, "gpu.l2_read_as_found");
  const auto after = number(context, "gpu.l2_read_after_reset");
  const auto clock_before = number(context, "gpu.l2_clock_as_found");
  const auto clock_after = number(context, "gpu.l2_clock_after_reset");
  if (!before || !after || !clock_before || !clock_after) return 0;
  if (!(*before > 0 && *clock_before > 0 && *clock_after > 0)) return 0;
  const double raised = *clock_after / *clock_before;
  return raised > near ? 0 : *after / *before / std::max(1.0, raised);
}

}  // namespace

void add_persisting_l2(const std::vector<result::Run>& runs, diagnose::Observation& out) {
  // Two readings within 0.1 s of each other are much closer than this on a healthy GPU, clock for clock.
  constexpr double clearly = 1.2;
  std::optional<double> limit;
  double most_gained = 0;
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      const result::Facts& context = process.samples->context;
      if (const auto found = number(context, "gpu.l2_persisting_limit"))
        limit = std::max(limit.value_or(*found), *found);
      most_gained = std::max(most_gained, gained(context));
    }
  // A fresh process's limit is the driver's default, which need not be 0 (9830400 on an H100). It means
  // nothing unless the reset made reading faster.
  if (limit && (*limit == 0 || most_gained >= clearly)) out.inventory["gpu.l2_persisting_limit"] = *limit;
  if (most_gained >= clearly)
    out.probes.push_back({.name = "change_setting",
                          .outcome = "recovers",
                          .detail = "l2_persisting=reset",
                          .factor = 1.0,
                          .factor_without = most_gained});
}

}  // namespace gpugauge::conductor
