#include "judge/pace.hpp"

#include <gmock/gmock.h>

#include "judge/before_after.hpp"
#include "judge/judge.hpp"
#include "judge/pinned.hpp"
#include "result/clock_reading.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string enqueue = "launch/enqueue/runtime/0";
const std::string launched = enqueue + ":latency";

/// Launches of 3.4 us with noise of half a percent, beside readings of 29.3 ns.
/// @param launch, reading how many times as long either takes
result::Run launches(std::uint64_t seed, double launch = 1, double reading = 1, int processes = 5) {
  using result::Direction;
  std::mt19937_64 engine(seed * 104729 + 5);
  std::normal_distribution<double> normal;
  const auto noise = [&] { return std::exp(.005 * normal(engine)); };
  result::Run run = make_run(seed, {}, processes);
  run.device = "GPU-0";
  for (result::Process& process : run.processes) {
    auto& benchmarks = process.samples->benchmarks;
    benchmarks = {benchmark(
        enqueue, metric("latency", "second", Direction::lower, "launch", 3.4e-6 * launch * noise()))};
    result::Metric clock =
        metric(std::string(result::clock_reading), "second", Direction::lower, "launch", 29.3e-9 * reading);
    clock.judged = false;
    benchmarks[0].metrics.push_back(clock);
  }
  return run;
}

std::vector<result::Run> rounds(std::uint64_t from, int count, double launch = 1, double reading = 1) {
  std::vector<result::Run> out;
  for (int i = 0; i < count; ++i)
    out.push_back(launches(from + static_cast<std::uint64_t>(i), launch, reading));
  return out;
}

Verdict on(const std::string& metric, const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts)
    if (verdict.metric == metric && verdict.judge == Judge::baseline) return verdict;
  ADD_FAILURE() << "no verdict on " << metric;
  return {};
}

Verdict against_baseline(double launch, double reading) {
  baseline::Baseline healthy;
  healthy.runs = rounds(1, 6);
  return on(launched, judge_baseline(rounds(100, 4, launch, reading), healthy).verdicts);
}

TEST(Pace, NamesTheProcessorWhereItWasSlowerToo) {
  const Verdict verdict = against_baseline(1.25, 1.3);
  EXPECT_EQ(verdict.kind, VerdictKind::regressed);
  EXPECT_THAT(
      verdict.reason,
      HasSubstr(
          "; the processor itself was slower: reading its clock beside it took 38.1 ns, 29.3 ns before"));
}

TEST(Pace, ClearsTheProcessorWhereItWasNot) {
  const Verdict verdict = against_baseline(1.25, 1);
  EXPECT_EQ(verdict.kind, VerdictKind::regressed);
  EXPECT_THAT(verdict.reason, HasSubstr("it is not the processor's pace"));
}

TEST(Pace, SaysThatItIsTheLesserPart) {
  EXPECT_THAT(against_baseline(2, 1.08).reason, HasSubstr("the processor's pace is less than a third of it"));
  EXPECT_THAT(against_baseline(2, .9).reason, HasSubstr("the processor's pace is less than a third of it"));
}

TEST(Pace, AnotherClockSourceIsNoSlowerProcessor) {
  const Verdict verdict = against_baseline(1.4, 40);
  EXPECT_THAT(verdict.reason, HasSubstr("as if from another clock source"));
  EXPECT_THAT(verdict.reason, Not(HasSubstr("the processor itself")));
  EXPECT_FALSE(pace(rounds(1, 1), rounds(2, 1, 1, 40)));
  EXPECT_FALSE(pace(rounds(1, 1, 1, 40), rounds(2, 1)));
}

TEST(Pace, OfWhatIsAsBeforeSaysNothing) {
  const Verdict verdict = against_baseline(1, 1.3);
  EXPECT_EQ(verdict.kind, VerdictKind::ok);
  EXPECT_THAT(verdict.reason, Not(HasSubstr("clock")));
}

TEST(Pace, OfTwoSidesIsToldAlike) {
  const auto verdicts = judge_before_after(rounds(1, 3), rounds(50, 3, 1.3, 1.3), {}).verdicts;
  EXPECT_EQ(on(launched, verdicts).kind, VerdictKind::regressed) << on(launched, verdicts).reason;
  EXPECT_THAT(on(launched, verdicts).reason, HasSubstr("the processor itself was slower"));
}

std::vector<Verdict> told(VerdictKind kind, double change, double reading) {
  std::vector<Verdict> verdicts(2);
  for (Verdict& verdict : verdicts) {
    verdict.kind = kind;
    verdict.metric_class = "launch";
    verdict.change = change;
  }
  verdicts[0].metric = launched;
  verdicts[0].unit = "second";
  verdicts[1].metric = class_key("launch");
  verdicts[1].unit = "1";
  tell_pace(rounds(1, 1), rounds(2, 1, 1, reading), verdicts);
  return verdicts;
}

TEST(Pace, IsToldOfAClassByAllItsReadings) {
  EXPECT_THAT(told(VerdictKind::regressed, .3, 1.3)[1].reason, HasSubstr("the processor itself was slower"));
}

TEST(Pace, BesideWhatIsNotShownIsAFigureOnly) {
  for (const VerdictKind kind : {VerdictKind::inconclusive, VerdictKind::unstable}) {
    EXPECT_THAT(told(kind, .02, 1.3)[0].reason,
                HasSubstr("; reading the processor's clock beside it took 38.1 ns, 29.3 ns before"));
    EXPECT_EQ(told(kind, .02, 1)[0].reason, "");
  }
  EXPECT_EQ(told(VerdictKind::improved, -.3, .7)[0].reason, "");
}

TEST(Pace, TakesSoundReadingsOfBothSidesOnly) {
  const auto before = rounds(1, 2);
  std::vector<result::Run> wrong = rounds(3, 1, 1, 1.3);
  change(wrong[0], enqueue, [](result::BenchmarkResult& found) { found.verifications[0].passed = false; });
  EXPECT_FALSE(pace(before, wrong));
  std::vector<result::Run> without = rounds(3, 1, 1, 1.3);
  change(without[0], enqueue, [](result::BenchmarkResult& found) { found.metrics.pop_back(); });
  EXPECT_FALSE(pace(before, without));
  EXPECT_FALSE(pace(without, before));
  std::vector<result::Run> none = rounds(3, 1);
  change(none[0], enqueue, [](result::BenchmarkResult& found) { found.metrics[1].value = 0; });
  EXPECT_FALSE(pace(before, none)) << "a clock that stands still tells nothing";
  const auto slower = pace(before, rounds(3, 2, 1, 1.3));
  ASSERT_TRUE(slower);
  EXPECT_DOUBLE_EQ(slower->slower(), 1.3);
  EXPECT_DOUBLE_EQ(slower->before, 29.3e-9);
}

}  // namespace
}  // namespace gpugauge::judge
