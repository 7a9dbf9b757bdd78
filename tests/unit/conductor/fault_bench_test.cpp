// What works beside a measurement, against the families of this build: they say what they have without a GPU.
#include "conductor/fault_bench.hpp"

#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>

namespace gpugauge::conductor {
namespace {

/// What follows NAME= in the command's words; "" where none begins so.
std::string word_after(const run::Command& command, const std::string& name) {
  for (const std::string& word : command.arguments)
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  return "";
}

/// The families of this build, and one GPU that nobody starts anything on.
FaultBench bench_of_this_build() {
  ::setenv("GPUGAUGE_LIBEXEC", GPUGAUGE_BINARY_DIR "/libexec/gpugauge", 1);
  FaultBench bench;
  bench.targets = {{DeviceKind::gpu, "GPU-1", "a GPU"}};
  bench.catalogue = catalogue();
  ::unsetenv("GPUGAUGE_LIBEXEC");
  return bench;
}

TEST(FaultBench, EveryNeighbourMeasuresSomethingAtItsDepth) {
  const FaultBench bench = bench_of_this_build();
  for (const Fault& fault : fault_table()) {
    if (fault.neighbour != Neighbour::family) continue;
    const std::vector<run::Command> beside = neighbours(fault, {}, bench);
    if (beside.empty()) GTEST_SKIP() << "this build has no family " << fault.neighbour_family;
    ASSERT_EQ(beside.size(), 1U) << fault.id;
    const std::string filter = word_after(beside.front(), "--benchmark_filter");
    const int depth = run::depth_of(word_after(beside.front(), "--gpugauge_depth"));
    EXPECT_TRUE(std::any_of(bench.catalogue.benchmarks.begin(), bench.catalogue.benchmarks.end(),
                            [&](const Benchmark& one) {
                              return one.family == fault.neighbour_family &&
                                     one.id.starts_with(filter.substr(1)) &&
                                     run::depth_of(one.profile) <= depth;
                            }))
        << fault.id << ": " << filter << " selects nothing";
  }
}

}  // namespace
}  // namespace gpugauge::conductor
