#include "host/stream_benchmark.hpp"

#include <vector>

#include <fmt/format.h>

#include "result/processor_list.hpp"
#include "support/cold_memory.hpp"
#include "support/host.hpp"
#include "support/thread_team.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::host {
namespace {

void walk(Trial& trial, Stream::Kind kind) {
  const std::vector<int> cpus = cpus_of(trial.parameter("cores"));
  ThreadTeam team(cpus);
  Stream stream(kind, cold_memory(cpus), team);
  trial.work({.bytes = stream.bytes_per_operation()});
  trial.note("cpus", result::processors_text(cpus));
  trial.note("array_bytes", fmt::format("{}", stream.bytes()));
  if (stream.bytes() < 3 * last_level_bytes(cpus))
    trial.note("cached", "the arrays are smaller than three times the last-level cache");
  trial.time([&](std::int64_t operations) { stream.walk(operations); });
  trial.verify("every element against the exact result", stream.largest_error(), 0);
}

}  // namespace

Definition stream_benchmark(const std::string& op, Stream::Kind kind, const std::string& mechanism) {
  return define(GPUGAUGE_BENCH_FAMILY, op)
      .isolates(mechanism)
      .bad_value("a neighbour that streams, a missing memory channel, a CPU quota, memory of another node")
      .axis("cores", {"one_core", "all_cores"})
      .from(Depth::smoke)
      .quantity(Quantity::bandwidth, "host_memory")
      .statistics({Statistic::median, Statistic::mean, Statistic::p99})
      .batch_seconds(4e-3)
      .body([kind](Trial& trial) { walk(trial, kind); });
}

}  // namespace gpugauge::bench::host
