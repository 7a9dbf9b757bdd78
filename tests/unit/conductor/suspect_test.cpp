// Which slow figure a probe repeats, and on which processors.
#include "conductor/suspect.hpp"

#include <gmock/gmock.h>

#include "conductor/probe_processors.hpp"
#include "run/surroundings.hpp"

namespace gpugauge::conductor {
namespace {

using diagnose::Processors;
using testing::Eq;

class SuspectOf : public testing::Test {
 protected:
  /// A figure of the class host_cpu, as many times as slow as its limit allows.
  void slow(const std::string& benchmark, double times, DeviceKind kind = DeviceKind::host) {
    Benchmark entry;
    entry.id = benchmark;
    entry.kind = kind;
    catalogue_.benchmarks.push_back(entry);
    judge::Verdict verdict;
    verdict.judge = judge::Judge::physical;
    verdict.kind = judge::VerdictKind::failed;
    verdict.metric = benchmark + ":figure";
    verdict.metric_class = "host_cpu";
    verdict.better = result::Direction::higher;
    verdict.value = 1 / times;
    verdict.share = 1 / times;
    device_.verdicts.push_back(verdict);
  }

  std::string found(Processors where) const {
    const auto suspect = find_suspect(context_, {"host_cpu"}, where);
    return suspect ? suspect->benchmark->id : "";
  }

  MeasureOptions options_;
  Target target_{DeviceKind::host, "host", "host"};
  Catalogue catalogue_;
  report::DeviceReport device_;
  ProbeContext context_{options_, target_, catalogue_, device_, nullptr};
};

TEST_F(SuspectOf, IsTheSlowest) {
  slow("host/cpu_share/one_core", 2);
  slow("host/fp64/all_cores", 5);
  slow("host/system_call", 3);
  for (const Processors where : {Processors::as_they_are, Processors::all, Processors::local_to_gpu})
    EXPECT_EQ(found(where), "host/fp64/all_cores");
}

TEST_F(SuspectOf, OnIdleProcessorsIsNoneThatUsesAll) {
  slow("host/fp64/all_cores", 5);
  EXPECT_EQ(found(Processors::idle), "");
  slow("host/system_call", 3);
  EXPECT_EQ(found(Processors::idle), "host/system_call");
}

// One busy processor of two: the mean share is .5 where only that one may be used, and .75 with both, which
// is neither recovered nor as before.
TEST_F(SuspectOf, OnAllProcessorsIsNotTheMeanShareOfAll) {
  slow("host/cpu_share/all_cores", 2.1);
  EXPECT_EQ(found(Processors::all), "");
  EXPECT_EQ(found(Processors::as_they_are), "host/cpu_share/all_cores");
  slow("host/cpu_share/one_core", 2);
  EXPECT_EQ(found(Processors::all), "host/cpu_share/one_core");
}

TEST_F(SuspectOf, OfAHostPinsItsThreadUnlessItUsesAll) {
  slow("host/system_call", 2);
  EXPECT_TRUE(find_suspect(context_, {})->pins_its_thread());
  slow("host/copy/all_cores", 3);
  EXPECT_FALSE(find_suspect(context_, {})->pins_its_thread());
  slow("launch/enqueue", 4, DeviceKind::gpu);
  EXPECT_FALSE(find_suspect(context_, {})->pins_its_thread()) << "the kernel chooses where it runs";
}

// A pinned thread takes the last processor that it may use. With all of them that can be the slow one again:
// the only other place is what the mask keeps from it.
TEST_F(SuspectOf, APinnedThreadIsRepeatedOnTheOthers) {
  const std::vector<int> before = run::allowed_processors();
  if (before.size() < 2) GTEST_SKIP() << "this process may use one processor only";
  const auto forever = [](double) { return true; };
  {
    const run::Confined confined({before.back()});
    const ChosenProcessors others = choose_processors(Processors::all, true, context_, forever);
    EXPECT_EQ(others.why_none, "");
    EXPECT_FALSE(others.processors.empty());
    EXPECT_THAT(others.processors, testing::Not(testing::Contains(before.back())));
    EXPECT_THAT(others.detail, testing::StartsWith("the others ("));
    const ChosenProcessors all = choose_processors(Processors::all, false, context_, forever);
    EXPECT_THAT(all.processors, testing::IsSupersetOf(before));
    EXPECT_THAT(all.detail, testing::StartsWith("all of them ("));
  }
  EXPECT_THAT(run::allowed_processors(), Eq(before));
}

}  // namespace
}  // namespace gpugauge::conductor
