#include <time.h>

#include "result/processor_list.hpp"
#include "support/host.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

void read_clock(Trial& trial) {
  const std::vector<int> cpus = cpus_of("one_core");
  const Pinned pinned(cpus);
  std::int64_t last = 0;
  bool backwards = false;
  trial.note("cpus", result::processors_text(cpus));
  trial.time([&](std::int64_t operations) {
    for (std::int64_t i = 0; i < operations; ++i) {
      timespec now{};
      ::clock_gettime(CLOCK_MONOTONIC, &now);
      const std::int64_t nanoseconds = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
      backwards |= nanoseconds < last;
      last = nanoseconds;
    }
  });
  trial.verify("the clock never runs backwards", !backwards);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Cost of reading the monotonic clock, normally without entering the kernel.")
        .bad_value("a clock source that needs a system call (hpet, acpi_pm instead of tsc), an unstable tsc")
        .from(Depth::smoke)
        .quantity(Quantity::latency, "host_cpu")
        .statistics({Statistic::median, Statistic::mean, Statistic::p99})
        .window_share(0.5)
        .body(read_clock)};

}  // namespace
}  // namespace gpugauge::bench
