#include "first_launch/mode.hpp"
#include "first_launch/samples.hpp"
#include "support/statistics.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::first_launch {
namespace {

// Interval at which the process's end is polled, in seconds.
constexpr double end_resolution = 0.5e-3;

void tail(Trial& trial) {
  const Sampled sampled = sample(
      trial,
      [] {
        FreshProcess process = own_child(machine_code_child);
        process.environment = environment_of(lazy, "");
        return process;
      },
      fewest_for_p99);
  const auto add = [&](const char* name, const char* metric_class) {
    add_times(trial, sampled, name, metric_class, steady_resolution_seconds(),
              [&](const FreshResult& result) { return result.report.at(name); });
  };
  add(key::first_launch, "first_launch");
  add(key::driver_start, "init");
  add(key::context, "init");
  add(key::until_first_result, "init");
  add_times(trial, sampled, "whole_process", "init", end_resolution,
            [](const FreshResult& result) { return result.wall_seconds; });
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "The same as context and kernel/lazy in a hundred fresh processes, so that the slowest tenth and "
            "the slowest hundredth of starts are told, too; where a process is so slow that a hundred do not fit "
            "into three times the window, it ends with the window, and the slowest hundredth is not judged")
        .bad_value("where the medians are as they were: something that comes now and then, another program's "
                   "start, a busy disk, a driver that is asked by monitoring")
        .from(Depth::exhaustive)
        .window_share(150)  // a hundred processes of less than a third of a second
        .custom_metrics({"first_launch", "init"})
        .requires_gpu()
        .body(tail)};

}  // namespace
}  // namespace gpugauge::bench::first_launch
