// Entries of a policy that reach no metric: refused as early as that is certain, and no earlier.
#include "judge/policy_reach.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/error.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;

Policy about(const std::string& pattern) {
  Policy policy;
  policy.metrics = {{pattern, .1, false, ""}};
  return policy;
}

/// What is said against the policy; "" where nothing is.
template <typename Check>
std::string said(const Check& check) {
  try {
    check();
  } catch (const result::UsageError& error) {
    return error.what();
  }
  return "";
}

const KnownBenchmarks known{{{"host/triad", "host_memory"},
                             {"host/latency", "host_memory"},
                             {"host/wake", "host_cpu"},
                             {"gemm/bf16", "gemm16"}},
                            {"nccl"}};

bool possible(const std::string& pattern) {
  return said([&] { require_possible(about(pattern), known); }).empty();
}

TEST(PolicyReach, BeforeMeasuringOnlyWhatCanMatchNothingIsRefused) {
  for (const char* pattern :
       {"*", "host/*", "host/triad:bandwith", "host/tr?ad:*", "host/triad?bandwidth", "gemm/*:throughput",
        "class/host_cpu", "class/h*", "nccl/all_reduce:busbw", "n*"})
    EXPECT_TRUE(possible(pattern)) << pattern;
  for (const char* pattern : {"bm_*", "host/triad", "host/tria:bandwidth", "host/triads:bandwidth",
                              "class/hots", "node:gpus", "tensor_cores/gemm16", "nccl", ":", ""})
    EXPECT_FALSE(possible(pattern)) << pattern;
  EXPECT_THAT(said([] { require_possible(about("bm_*"), known); }), HasSubstr("'bm_*' matches no metric"));
}

TEST(PolicyReach, AfterwardsAnEntryMustMatchUnlessWhatItNamesWasNotMeasured) {
  SeenMetrics seen;
  seen.add_measured({make_run(1, {})});
  const auto refused = [&](const std::string& pattern, const KnownBenchmarks& all) {
    return said([&] { require_matches(about(pattern), seen, all); });
  };
  for (const char* pattern : {"host/triad:bandwidth", "host/*:latency", "class/host_memory", "class/*"})
    EXPECT_EQ(refused(pattern, known), "") << pattern;
  // Not measured in this call, or by a family that could not say what it has.
  for (const char* pattern :
       {"gemm/*:throughput", "class/gemm16", "nccl/*:busbw", "*:busbw", "class/coll_large"})
    EXPECT_EQ(refused(pattern, known), "") << pattern;
  for (const char* pattern : {"host/triad:bandwith", "host/*:bandwith"})
    EXPECT_THAT(refused(pattern, known), HasSubstr("matches no metric")) << pattern;
  // Where nothing else can be measured, what was seen is all there is.
  for (const char* pattern : {"gemm/*:throughput", "class/gemm16", "host/triad:bandwith", "*:busbw"})
    EXPECT_THAT(refused(pattern, {}), HasSubstr("matches no metric")) << pattern;
}

TEST(PolicyReach, AToleranceOfAClassThatWasNotMeasuredIsLetBe) {
  SeenMetrics seen;
  seen.add_measured({make_run(1, {})});
  const KnownBenchmarks host{{known.benchmarks.begin(), known.benchmarks.begin() + 3}, {}};
  Policy policy;
  policy.tolerance = {{"gemm16", .2}, {"host_memory", .2}};
  EXPECT_NO_THROW(require_possible(policy, host)) << "one policy is for all nodes of a site";
  EXPECT_NO_THROW(require_matches(policy, seen, host));
  EXPECT_NO_THROW(require_matches(policy, seen));
}

TEST(PolicyReach, AnEntryForThePhysicalJudgeAloneIsRefusedByName) {
  SeenMetrics seen;
  Verdict verdict;
  verdict.judge = Judge::physical;
  verdict.metric = "tensor_cores/gemm16";
  verdict.metric_class = "gemm16";
  seen.add({verdict});
  EXPECT_THAT(said([&] { require_matches(about("tensor_cores/*"), seen); }),
              HasSubstr("'tensor_cores/*' matches only what the physical judge says"));
}

TEST(PolicyReach, AMetricOfTheBaselineOrOfAVerdictIsThere) {
  SeenMetrics seen;
  Verdict verdict;
  verdict.metric = "host/wake:latency";
  verdict.metric_class = "host_cpu";
  seen.add({verdict});
  seen.add_reference({make_run(1, {})});
  EXPECT_NO_THROW(require_matches(about(wake), seen));
  EXPECT_NO_THROW(require_matches(about(triad), seen));
  EXPECT_TRUE(seen.benchmarks.empty()) << "a baseline's benchmark was not measured in this call";
}

}  // namespace
}  // namespace gpugauge::judge
