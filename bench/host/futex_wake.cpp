#include "result/processor_list.hpp"
#include "support/futex_pair.hpp"
#include "support/host.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

void futex_wake(Trial& trial) {
  const std::vector<int> all = allowed_cpus();
  const int here = all.back();
  const int there = all.size() > 1 ? all[all.size() - 2] : all.back();
  FutexPair pair(here, there);
  trial.note("cpus", result::processors_text(here == there ? std::vector{here} : std::vector{there, here}));
  if (here == there) trial.note("one_processor", "both threads share it: a wake is also a switch");
  trial.time([&](std::int64_t wakes) { pair.exchange(wakes); });
  trial.verify("every wake was answered", pair.answered());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Time from waking a sleeping thread on another processor until it runs, one way.")
        .bad_value("deep idle states, a governor that lets cores sleep, a busy host below a virtual machine")
        .from(Depth::smoke)
        .quantity(Quantity::latency, "host_cpu")
        .statistics({Statistic::median, Statistic::mean, Statistic::p99})
        .batch_seconds(2e-3)
        .window_share(0.5)
        .body(futex_wake)};

}  // namespace
}  // namespace gpugauge::bench
