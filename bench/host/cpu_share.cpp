#include <atomic>
#include <cstdint>
#include <vector>

#include "result/processor_list.hpp"
#include "support/host.hpp"
#include "support/statistics.hpp"
#include "support/thread_team.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

constexpr double spin_seconds = 10e-6;

void cpu_share(Trial& trial) {
  const std::vector<int> cpus = cpus_of(trial.parameter("cores"));
  ThreadTeam team(cpus);
  trial.note("cpus", result::processors_text(cpus));
  std::atomic<std::int64_t> reached_the_end{0};
  std::int64_t started = 0;
  trial.time([&](std::int64_t operations) {
    const double end = steady_seconds() + spin_seconds * static_cast<double>(operations);
    started += team.size();
    team.run([&reached_the_end, end](int) {
      double now = 0;
      while ((now = steady_seconds()) < end) {
      }
      if (now >= end) ++reached_the_end;
    });
  });
  trial.verify("threads that did not spin to the end of a batch",
               static_cast<double>(started - reached_the_end), 0);
  const result::Batches& batches = trial.batches();
  const double given = batches.cpu_seconds / (batches.window_seconds * team.size());
  trial.metric(
      {.name = "cpu_share",
       .unit = "1",
       .better = result::Direction::higher,
       .metric_class = "host_cpu",
       .statistic = "mean",
       .value = rounded(given),
       .resolution = 0,
       .judged = true,
       .note = "",
       .limit = result::Limit{.value = 1,
                              .source = "a spinning thread that nothing interrupts gets one whole processor",
                              .saturating = true,
                              .floor = 0.8}});
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Share of the wall time during which spinning threads, one a processor, really run.")
        .bad_value("a CPU quota, a neighbour on the same processors, time stolen from a virtual machine")
        .axis("cores", {"one_core", "all_cores"})
        .from(Depth::smoke)
        .custom_metrics({"host_cpu"})
        .window_share(0.5)
        .body(cpu_share)};

}  // namespace
}  // namespace gpugauge::bench
