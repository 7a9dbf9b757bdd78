#include "judge/pace.hpp"

#include <gmock/gmock.h>

#include "checked_rounds.hpp"
#include "judge/before_after.hpp"
#include "judge/judge.hpp"
#include "result/clock_reading.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string enqueue = "launch/enqueue/runtime/0";
const std::string launched = enqueue + ":latency";

/// Launches of 3.4 us with noise of half a percent, beside readings of 29.3 ns: one a process.
/// @param launch how many times as long a launch takes
/// @param readings how many times as long a reading takes, in one process after another
result::Run launches(std::uint64_t seed, double launch = 1, const std::vector<double>& readings = {1, 1, 1}) {
  using result::Direction;
  std::mt19937_64 engine(seed * 104729 + 5);
  std::normal_distribution<double> normal;
  result::Run run = make_run(seed, {}, static_cast<int>(readings.size()));
  run.device = "GPU-0";
  run.fingerprint.stack["kernel.version"] = "6.8";
  for (std::size_t i = 0; i < readings.size(); ++i) {
    auto& benchmarks = run.processes[i].samples->benchmarks;
    const double seconds = 3.4e-6 * launch * std::exp(.005 * normal(engine));
    benchmarks = {benchmark(enqueue, metric("latency", "second", Direction::lower, "launch", seconds))};
    benchmarks[0].metrics.push_back(
        metric("operation_p99", "second", Direction::lower, "launch", 2 * seconds));
    benchmarks[0].metrics.push_back(metric(std::string(result::clock_reading), "second", Direction::lower,
                                           "launch", 29.3e-9 * readings[i]));
    benchmarks[0].metrics.back().judged = false;
    benchmarks[0].notes[std::string(result::clock_source_note)] = "tsc";
  }
  return run;
}

/// A verdict on the launches of one run of each side, as a judge has it.
Verdict told(const result::Run& before, const result::Run& now, double change,
             VerdictKind kind = VerdictKind::regressed, const std::string& metric = launched) {
  std::vector<Verdict> verdicts(1);
  verdicts[0].kind = kind;
  verdicts[0].metric = metric;
  verdicts[0].metric_class = "launch";
  verdicts[0].unit = "second";
  verdicts[0].change = change;
  tell_pace({before}, {now}, verdicts);
  EXPECT_EQ(slower_processor({before}, {now}, verdicts).has_value(),
            verdicts[0].reason.find("the processor itself was slower") != std::string::npos);
  return verdicts[0];
}

const char* const slower = "; the processor itself was slower: reading its clock beside it took ";
const char* const figures = "; the processor's reading of its clock beside it took ";

TEST(Pace, NamesTheProcessorWhereEveryReadingWasSlowerByMostOfTheLoss) {
  // ln 1.2 / ln 1.3 = .695 of the loss, by the quickest of now and the slowest of before.
  EXPECT_EQ(told(launches(1, 1, {1, .95, 1}), launches(2, 1.3, {1.2, 1.25, 1.3}), .3).reason,
            std::string(slower) + "36.6 ns, 29.3 ns before");
}

TEST(Pace, GivesFiguresAloneWhereReadingsOverlapOrAreLessThanTwoThirds) {
  EXPECT_EQ(told(launches(1, 1, {1, 1, 1.2}), launches(2, 1.3, {1.3, 1.3, 1.3}), .3).reason,
            std::string(figures) + "38.1 ns, 29.3 ns before");
  // ln 1.19 / ln 1.3 = .663
  EXPECT_THAT(told(launches(1), launches(2, 1.3, {1.19, 1.3, 1.3}), .3).reason, HasSubstr(figures));
  EXPECT_EQ(told(launches(1), launches(2, 1.3), .3).reason, std::string(figures) + "29.3 ns, 29.3 ns before");
  EXPECT_THAT(told(launches(1), launches(2, 1.3, {.8, .8, .8}), .3).reason, HasSubstr(figures));
}

TEST(Pace, SaysNothingOfWhatIsNotShownToBeWorse) {
  const result::Run now = launches(2, 1.3, {1.3, 1.3, 1.3});
  for (const VerdictKind kind : {VerdictKind::ok, VerdictKind::inconclusive, VerdictKind::unstable})
    EXPECT_EQ(told(launches(1), now, .02, kind).reason, "");
  EXPECT_EQ(told(launches(1), now, -.3, VerdictKind::improved).reason, "");
}

TEST(Pace, SaysNothingOfTails) {
  EXPECT_EQ(told(launches(1), launches(2, 1.3, {1.3, 1.3, 1.3}), .3, VerdictKind::regressed,
                 enqueue + ":operation_p99")
                .reason,
            "");
}

TEST(Pace, NeedsThreeReadingsOfEitherSideByTheSameWay) {
  const result::Run before = launches(1);
  const result::Run now = launches(2, 1.3, {1.3, 1.3, 1.3});
  ASSERT_NE(told(before, now, .3).reason, "");
  EXPECT_EQ(told(before, launches(2, 1.3, {1.3, 1.3}), .3).reason, "");
  EXPECT_EQ(told(launches(1, 1, {1, 1}), now, .3).reason, "");

  result::Run other = now;
  change(other, enqueue, [](result::BenchmarkResult& found) { found.notes["clock_source"] = "hpet"; });
  EXPECT_EQ(told(before, other, .3).reason, "");
  other = now;
  other.fingerprint.stack["kernel.version"] = "6.11";
  EXPECT_EQ(told(before, other, .3).reason, "") << "the kernel brings the code that reads the clock";
  other = now;
  change(other, enqueue, [](result::BenchmarkResult& found) { found.verifications[0].passed = false; });
  EXPECT_EQ(told(before, other, .3).reason, "") << "not sound";
  other = now;
  change(other, enqueue, [](result::BenchmarkResult& found) { found.metrics.pop_back(); });
  EXPECT_EQ(told(before, other, .3).reason, "") << "older runs have none";
  other = now;
  change(other, enqueue, [](result::BenchmarkResult& found) { found.metrics.back().value = 0; });
  EXPECT_EQ(told(before, other, .3).reason, "") << "a clock that stands still";
}

TEST(Pace, OfWhatLostMostAndCountsIsThatOfTheProcessor) {
  std::vector<Verdict> verdicts(1);
  verdicts[0].kind = VerdictKind::regressed;
  verdicts[0].metric = launched;
  verdicts[0].change = .3;
  const std::vector<result::Run> before{launches(1)};
  const std::vector<result::Run> now{launches(2, 1.3, {1.3, 1.3, 1.3})};
  const auto pace = slower_processor(before, now, verdicts);
  ASSERT_TRUE(pace);
  EXPECT_DOUBLE_EQ(pace->before, 29.3e-9);
  EXPECT_DOUBLE_EQ(pace->now, 29.3e-9 * 1.3);
  EXPECT_DOUBLE_EQ(pace->least, 1.3);
  verdicts[0].advisory = true;
  EXPECT_FALSE(slower_processor(before, now, verdicts));
}

/// What the judges say of rounds of a quarter slower launches, and readings so much longer.
std::vector<result::Run> rounds(std::uint64_t from, int count, double launch, double reading) {
  std::vector<result::Run> out;
  out.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    out.push_back(launches(from + static_cast<std::uint64_t>(i), launch,
                           {reading, reading, reading, reading, reading}));
  return out;
}

TEST(Pace, IsToldByTheJudgesOfABaselineAndOfTwoSides) {
  baseline::Baseline healthy;
  healthy.runs = rounds(1, 6, 1, 1);
  for (const auto& [reading, words] : {std::pair{1.25, slower}, std::pair{1.02, figures}}) {
    const auto now = rounds(100, 4, 1.25, reading);
    const auto checked = judge_baseline(now, healthy).verdicts;
    EXPECT_EQ(on(launched, checked).kind, VerdictKind::regressed);
    EXPECT_THAT(on(launched, checked).reason, HasSubstr(words));
    EXPECT_THAT(on(launched, checked).reason, EndsWith(" before"));
    EXPECT_THAT(on(enqueue + ":operation_p99", checked).reason, Not(HasSubstr("its clock")));
    const auto compared = judge_before_after(healthy.runs, now, {}).verdicts;
    EXPECT_THAT(on(launched, compared).reason, HasSubstr(words)) << on(launched, compared).reason;
  }
}

}  // namespace
}  // namespace gpugauge::judge
