#include "diagnose/causes/predicates.hpp"

#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpugauge::diagnose {

Fact either(const Fact& one, const Fact& other) {
  return one ? one : other;
}

Fact both(const Fact& one, const Fact& other) {
  if (!one || !other) return std::nullopt;
  return *one + "; " + *other;
}

Fact slow_start(const Seen& seen) {
  if (Fact fact = seen.slower({"init", "first_launch"})) return fact;
  for (const std::string_view phase : {"startup", "first_call", "new_process"})
    if (Fact fact = seen.slower({}, {.phase = phase})) return fact;
  return std::nullopt;
}

Fact warm_is_normal(const Seen& seen) {
  if (Fact fact = seen.probe("repeat_warm", {"normal", "recovers"})) return fact;
  return seen.unchanged({}, {.phase = "warm"});
}

Fact slow_together(const Seen& seen) {
  if (Fact fact = seen.slower({"coll_large", "coll_small"})) return fact;
  const bool several = seen.it().about.gpus.value_or(1) > 1 || seen.it().about.nodes.value_or(1) > 1;
  return several ? seen.slower(application_classes) : std::nullopt;
}

Fact low_clock(const Seen& seen) {
  if (seen.capped_by_design()) return std::nullopt;
  return seen.below("sm_clock_mhz", "sm_clock_expected_mhz");
}

Fact gpu_not_used(const Seen& seen) {
  if (Fact fact = seen.on("ran_on", {"cpu"})) return fact;
  const std::optional<double> busy = seen.number("utilization_percent");
  const std::optional<double> used = seen.number("memory_used_mib");
  constexpr double nothing_percent = 3;
  constexpr double nothing_mib = 20;
  if (busy && *busy <= nothing_percent && (!used || *used <= nothing_mib))
    return fmt::format("the GPU is idle while the work runs: {:g}% busy{}", *busy,
                       used ? fmt::format(", {:g} MiB used", *used) : "");
  if (!busy && used && *used <= nothing_mib)
    return fmt::format("the work uses no memory of the GPU: {:g} MiB", *used);
  return std::nullopt;
}

Fact split_class(const Seen& seen, Words classes) {
  for (const std::string_view name : classes)
    if (seen.movement(name) == Movement::mixed) return fmt::format("{} is slower only in part", name);
  return std::nullopt;
}

Fact split_types(const Seen& seen, Words classes) {
  for (const Metric* slow : seen.metrics(classes)) {
    const bool slower = slow->fails || (slow->factor && *slow->factor >= slower_from);
    if (!slower || slow->scope.dtype.empty()) continue;
    for (const Metric* other : seen.metrics(classes)) {
      const bool same = other->factor && *other->factor < slower_from;
      if (same && other->metric_class == slow->metric_class && !other->scope.dtype.empty() &&
          other->scope.dtype != slow->scope.dtype)
        return fmt::format("{}, and {}", sentence(*slow), sentence(*other));
    }
  }
  return std::nullopt;
}

Fact changed_together(const Seen& seen) {
  std::set<std::string> changed = seen.changed_components();
  for (const std::string& component : changed)
    if (seen.undone(component, {"recovers"})) return std::nullopt;
  for (const char* name : {"harness", "application", "container_toolkit"}) changed.erase(name);
  if (changed.size() < 3) return std::nullopt;
  return fmt::format("changed together: {}", fmt::join(changed, ", "));
}

}  // namespace gpugauge::diagnose
