// What the entries of a policy can match.
#include "conductor/policy_metrics.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "unit/run/fake_family.hpp"

namespace gpugauge::conductor {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(PolicyMetrics, EachClassOfABenchmarkIsKnownAndSoIsASilentFamily) {
  Catalogue made;
  Benchmark two;
  two.id = "memory/copy";
  two.metric_class = "hbm";
  two.more_classes = {"l2"};
  Benchmark one;
  one.id = "launch/enqueue";
  one.metric_class = "launch";
  made.benchmarks = {one, two};
  made.silent = {{"cudnn", "it ended with exit code 127"}};
  const judge::KnownBenchmarks known = known_benchmarks(made);
  std::vector<std::string> pairs;
  for (const auto& [id, metric_class] : known.benchmarks)
    pairs.push_back(fmt::format("{} {}", id, metric_class));
  EXPECT_THAT(pairs, UnorderedElementsAre("launch/enqueue launch", "memory/copy hbm", "memory/copy l2"));
  EXPECT_THAT(known.silent, ElementsAre("cudnn"));
}

TEST(PolicyMetrics, SeenIsWhatWasMeasuredComparedWithOrJudged) {
  const auto run_of = [](const std::string& family) {
    result::Run run;
    result::Process& process = run.processes.emplace_back();
    process.family = family;
    process.samples = run::good_samples(family);
    return run;
  };
  report::DeviceReport device;
  device.rounds = {run_of("host")};
  device.reference = {run_of("earlier")};
  judge::Verdict verdict;
  verdict.metric = "judged/op:rate";
  verdict.metric_class = "hbm";
  device.verdicts = {verdict};
  const judge::SeenMetrics seen = seen_in({device});
  EXPECT_THAT(seen.keys, testing::IsSupersetOf({"host/op:latency", "earlier/op:latency", "judged/op:rate"}));
  EXPECT_THAT(seen.classes, testing::IsSupersetOf({"host_cpu", "hbm"}));
  EXPECT_EQ(seen.benchmarks.count("host/op"), 1U);
}

}  // namespace
}  // namespace gpugauge::conductor
