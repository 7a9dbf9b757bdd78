#include <sys/syscall.h>
#include <unistd.h>

#include "result/processor_list.hpp"
#include "support/host.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

void system_call(Trial& trial) {
  const std::vector<int> cpus = cpus_of("one_core");
  const Pinned pinned(cpus);
  const long parent = getppid();
  std::int64_t wrong = 0;
  trial.note("cpus", result::processors_text(cpus));
  trial.time([&](std::int64_t operations) {
    for (std::int64_t i = 0; i < operations; ++i) wrong += syscall(SYS_getppid) != parent;
  });
  trial.verify("every call returns the parent's id", wrong == 0);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Cost of entering and leaving the kernel: getppid, which does next to nothing inside.")
        .bad_value(
            "security mitigations switched on, seccomp or audit rules, a tracer, a low processor clock")
        .from(Depth::smoke)
        .quantity(Quantity::latency, "host_cpu")
        .statistics({Statistic::median, Statistic::mean, Statistic::p99})
        .window_share(0.5)
        .body(system_call)};

}  // namespace
}  // namespace gpugauge::bench
