#include <vector>

#include "result/processor_list.hpp"
#include "support/fma.hpp"
#include "support/host.hpp"
#include "support/thread_team.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

// What one thread computed, on its own cache line.
struct alignas(64) Sum {
  double value = 0;
};

void fp64(Trial& trial) {
  const std::vector<int> cpus = cpus_of(trial.parameter("cores"));
  ThreadTeam team(cpus);
  const FmaKernel kernel = fma_kernels().front();
  // Read at run time, so that the compiler cannot compute the chains.
  const volatile double one = 1;
  std::vector<Sum> sums(cpus.size());
  double expected = 0;
  trial.work({.flops = kernel.flops_per_round() * team.size()});
  trial.note("cpus", result::processors_text(cpus));
  trial.note("instructions", kernel.name);
  trial.time([&](std::int64_t rounds) {
    team.run(
        [&](int member) { sums[static_cast<std::size_t>(member)].value += kernel.run(rounds, one, one); });
    expected += kernel.expected(rounds);
  });
  bool exact = true;
  for (const Sum& sum : sums) exact = exact && sum.value == expected;
  trial.verify("every thread's sum is exact", exact);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Double-precision arithmetic in registers: independent multiply-add chains, no memory.")
        .bad_value(
            "a low processor clock (governor, power or thermal limit), a CPU quota, a neighbour on the core")
        .axis("cores", {"one_core", "all_cores"})
        .from(Depth::smoke)
        .quantity(Quantity::throughput, "host_cpu")
        .statistics({Statistic::median, Statistic::mean, Statistic::p99})
        .window_share(0.5)
        .body(fp64)};

}  // namespace
}  // namespace gpugauge::bench
