#include "diagnose/causes/host_told.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpugauge::diagnose {

Fact processors_limited(const Seen& seen) {
  const Value* limit = seen.inventory("host.cgroup_cpu_limit");
  if (limit == nullptr)
    for (const auto& [key, value] : seen.it().settings)
      if (contains_any(key, {"limits.cpu", "cpu_limit", "cpu-limit", "cpu limit", "cpu_quota", "cpu-quota",
                             "docker.cpus", "container.cpus"}) &&
          (value.number() || value.text() == "set"))
        return fmt::format("{} = {}", key, value.text());
  if (limit == nullptr || limit->off() || contains_any(limit->text(), {"max", "unlimited"}))
    return std::nullopt;
  const std::optional<double> all = seen.number("host.cpus");
  if (all && limit->number() && *limit->number() >= *all) return std::nullopt;
  return fmt::format("host.cgroup_cpu_limit = {}", limit->text());
}

Fact mask_seen(const Seen& seen) {
  return seen.told(
      {"affinity",
       "Cpus_allowed",
       "taskset",
       "nomultithread",
       "cpu-bind",
       "cpu_bind",
       "cpuset.cpus",
       "pinned to core",
       "bound to core",
       "pinned to one core",
       "pinned to a single",
       "pinned to the same core",
       "MCW rank*bound to*core",
       "rank*bound to socket*core",
       "only one core",
       "one core only",
       "cpus-per-task",
       "bind-to core",
       "all threads on one",
       "one core per task",
       "one core per rank",
       "1 core per task"},
      // NCCL says so of its own threads on every machine, and nvidia-smi has a column of that name.
      {"Setting affinity for GPU", "CPU Affinity", "NUMA Affinity"});
}

Fact quicker_when_busy(const Seen& seen) {
  if (Fact fact = seen.told({"lower while other work", "faster while other work", "quicker while other work",
                             "faster when the CPU is busy", "faster when the processors are busy"}))
    return fact;
  for (const std::string_view slow : {"higher", "slower", "slow"})
    for (const std::string_view whose : {"processors are", "CPUs are", "CPU is", "processor is", "host is"})
      for (const std::string_view how : {"", "mostly ", "nearly "})
        if (Fact fact = seen.told({fmt::format("{} while the {} {}idle", slow, whose, how)})) return fact;
  return std::nullopt;
}

Fact too_many_workers(const Seen& seen) {
  const auto number = [&](Words names) {
    for (const auto& [key, value] : seen.it().settings)
      if (contains_any(key, names) && value.number()) return *value.number();
    return 0.;
  };
  const double workers = number({"num_workers", "workers_per_gpu", "workers_per_process", "loader.workers"});
  const double processes = std::max(number({"nproc_per_node", "processes_per_node", "ranks_per_node"}),
                                    static_cast<double>(seen.it().about.gpus.value_or(1)));
  const std::optional<double> cpus = seen.number("host.cpus");
  constexpr double far_more = 2;
  if (!cpus || workers * processes < far_more * *cpus) return std::nullopt;
  return fmt::format("{:g} processes load data on {:g} processors", workers * processes, *cpus);
}

Fact narrowed(const Seen& seen) {
  std::optional<double> allowed = seen.number("host.cpus_allowed");
  if (!allowed)
    for (const auto& [key, value] : seen.it().settings)
      if (contains_any(key, {"cpus_per_task", "cpus-per-task", "cpus per task", "cpus_per_rank"}))
        allowed = value.number();
  const std::optional<double> all = seen.number("host.cpus");
  // No machine with a GPU has so few processors.
  constexpr double very_few = 2;
  if (allowed && !all && *allowed <= very_few)
    return fmt::format("the process may use no more than {:g} processors", *allowed);
  if (!allowed || !all || *allowed > *all / 2) return std::nullopt;
  return fmt::format("the process may use {:g} of {:g} processors", *allowed, *all);
}

Fact stops_by_periods(const Seen& seen) {
  return seen.told({"grid of 100 ms", "multiples of 100 ms", "multiple of 100 ms", "steps of 100 ms",
                    "every 100 ms*stop", "100 ms period", "period of 100 ms", "100ms period",
                    "rest of the period", "gaps*no thread*run", "no thread of the process runs"});
}

}  // namespace gpugauge::diagnose
