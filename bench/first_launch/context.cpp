#include "first_launch/mode.hpp"
#include "first_launch/samples.hpp"
#include "support/cuda/environment.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::first_launch {
namespace {

// Interval at which the process's end is polled, in seconds.
constexpr double end_resolution = 0.5e-3;

void context(Trial& trial) {
  const Sampled sampled = sample(trial, [] {
    FreshProcess process = own_child(machine_code_child);
    process.environment = environment_of(lazy, "");
    return process;
  });
  for (const char* name : {key::driver_start, key::context})
    add_times(trial, sampled, name, "init", steady_resolution_seconds(),
              [&](const FreshResult& result) { return result.report.at(name); });
  add_times(trial, sampled, "whole_process", "init", end_resolution,
            [](const FreshResult& result) { return result.wall_seconds; });
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "In a fresh process, while this one holds the GPU awake with a context of its own: starting the "
            "driver, making a context, and the whole life of a process that launches two kernels, from its "
            "start until the system has taken it apart; what setting up a GPU without any client takes "
            "(persistence mode off) is not in it")
        .bad_value(
            "a busy host, many GPUs or much host memory to map, a slow IOMMU, an attached tool, a slow or "
            "wrong driver start-up (fabric manager, services), a driver regression")
        .from(Depth::standard)
        .window_share(2)
        .custom_metrics({"init"})
        .requires_gpu()
        .body(context)};

}  // namespace
}  // namespace gpugauge::bench::first_launch
