#include "judge/per_clock.hpp"

#include <gmock/gmock.h>

#include "checked_rounds.hpp"
#include "judge/before_after.hpp"
#include "judge/judge.hpp"
#include "judge/judge_peers.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string rate = "cublas/bf16/lt/8192x8192x8192:throughput";
const std::string per_clock = "cublas/bf16/lt/8192x8192x8192:flop_per_clock_per_sm";

/// A GPU at its power limit: the clock differs by 5% from process to process, operations per clock by .1%.
/// `clock` and `work` are how much slower either is.
result::Run product(std::uint64_t seed, double clock = 1, double work = 1, int processes = 5) {
  using result::Direction;
  std::mt19937_64 engine(seed * 104729 + 3);
  std::normal_distribution<double> normal;
  result::Run run = make_run(seed, {}, processes);
  run.device = "GPU-0";
  for (result::Process& process : run.processes) {
    const double mhz = 1400 * std::exp(.05 * normal(engine)) / clock;
    const double flop = 3783 * std::exp(.001 * normal(engine)) / work;
    auto& benchmarks = process.samples->benchmarks;
    benchmarks = {
        benchmark("cublas/bf16/lt/8192x8192x8192",
                  metric("throughput", "flop/second", Direction::higher, "gemm16", flop * 132 * mhz * 1e6))};
    benchmarks[0].metrics.push_back(
        metric("flop_per_clock_per_sm", "flop/clock", Direction::higher, "gemm16", flop));
  }
  return run;
}

std::vector<result::Run> rounds(std::uint64_t from, int count, double clock = 1, double work = 1) {
  std::vector<result::Run> out;
  out.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) out.push_back(product(from + static_cast<std::uint64_t>(i), clock, work));
  return out;
}

baseline::Baseline healthy() {
  baseline::Baseline out;
  out.runs = rounds(1, 6);
  return out;
}

TEST(PerClock, ShowsALossThatThePowerLimitHidesInTheRate) {
  const auto verdicts = judge_baseline(rounds(100, 4, 1, 1.03), healthy()).verdicts;
  EXPECT_EQ(on(rate, verdicts).kind, VerdictKind::inconclusive) << on(rate, verdicts).reason;
  EXPECT_EQ(on(per_clock, verdicts).kind, VerdictKind::regressed) << on(per_clock, verdicts).reason;
  EXPECT_FALSE(on(per_clock, verdicts).advisory);
  EXPECT_LT(*on(per_clock, verdicts).minimum_detectable_drop, .035);
  EXPECT_THAT(on(rate, verdicts).reason, HasSubstr("it is not the SM clock"));
}

TEST(PerClock, TellsThatAClockFell) {
  const auto verdicts = judge_baseline(rounds(100, 4, 1.3), healthy()).verdicts;
  EXPECT_EQ(on(rate, verdicts).kind, VerdictKind::regressed) << on(rate, verdicts).reason;
  EXPECT_EQ(on(per_clock, verdicts).kind, VerdictKind::ok);
  EXPECT_THAT(on(rate, verdicts).reason, HasSubstr("it is the SM clock that fell"));
  EXPECT_THAT(on(per_clock, verdicts).reason, Not(HasSubstr("SM clock")));
}

TEST(PerClock, TellsThatWorkFellWithOrWithoutTheClock) {
  const auto verdicts = judge_baseline(rounds(100, 4, 1.2, 1.2), healthy()).verdicts;
  EXPECT_EQ(on(rate, verdicts).kind, VerdictKind::regressed);
  EXPECT_THAT(on(rate, verdicts).reason, HasSubstr("it is not the SM clock alone"));
}

TEST(PerClock, AClockThatDidNotFallHasNoPartInIt) {
  const auto told = [](double rate_change, double per_clock_change) {
    std::vector<Verdict> verdicts(2);
    verdicts[0].kind = verdicts[1].kind = VerdictKind::regressed;
    verdicts[0].metric = rate;
    verdicts[0].change = rate_change;
    verdicts[1].metric = per_clock;
    verdicts[1].change = per_clock_change;
    tell_clocks(verdicts);
    return verdicts[0].reason;
  };
  EXPECT_EQ(told(.167, .165), "; operations per clock are 16.5% worse: it is not the SM clock");
  EXPECT_EQ(told(.15, .165), "; operations per clock are 16.5% worse: it is not the SM clock");
  EXPECT_EQ(told(.3, .165), "; operations per clock are 16.5% worse: it is not the SM clock alone");
}

TEST(PerClock, AnHonestlyLessPerClockIsNotBlamedOnTheClock) {
  std::vector<Verdict> verdicts(2);
  verdicts[0].kind = VerdictKind::regressed;
  verdicts[0].metric = rate;
  verdicts[0].change = .05;
  verdicts[1].kind = VerdictKind::ok;
  verdicts[1].metric = per_clock;
  verdicts[1].change = .02;
  tell_clocks(verdicts);
  EXPECT_EQ(verdicts[0].reason, "; operations per clock moved by +2.0% (+ is worse)");
}

std::vector<Verdict> moved(double rate_change, VerdictKind kind, double per_clock_change) {
  std::vector<Verdict> verdicts(2);
  verdicts[0].kind = rate_change < 0 ? VerdictKind::improved : VerdictKind::regressed;
  verdicts[0].metric = rate;
  verdicts[0].change = rate_change;
  verdicts[1].kind = kind;
  verdicts[1].metric = per_clock;
  verdicts[1].change = per_clock_change;
  tell_clocks(verdicts);
  return verdicts;
}

TEST(PerClock, WhatTheClocksOfTheSmsAndOfMemoryExplainDoesNotCount) {
  // As on H100s: 16% more clock, 1.2% less a clock.
  EXPECT_TRUE(moved(-.16, VerdictKind::regressed, .012)[1].advisory);
  EXPECT_THAT(moved(-.16, VerdictKind::regressed, .012)[1].reason, HasSubstr("the SM clock rose"));
  EXPECT_FALSE(moved(-.02, VerdictKind::regressed, .012)[1].advisory) << "a slower kernel at a higher clock";
  EXPECT_FALSE(moved(.16, VerdictKind::regressed, .012)[1].advisory);
  const Verdict cooler = moved(.2, VerdictKind::improved, -.035)[1];
  EXPECT_EQ(cooler.kind, VerdictKind::ok);
  EXPECT_THAT(cooler.reason, HasSubstr("3.5% better, since the SM clock fell"));
  EXPECT_EQ(moved(.02, VerdictKind::improved, -.035)[1].kind, VerdictKind::improved);
}

TEST(PerClock, OfTwoSidesIsJudgedByItsOwnSpread) {
  const auto verdicts = judge_before_after(rounds(1, 3), rounds(50, 3, 1, 1.03), {}).verdicts;
  EXPECT_EQ(on(per_clock, verdicts).kind, VerdictKind::regressed) << on(per_clock, verdicts).reason;
  EXPECT_EQ(on(rate, verdicts).kind, VerdictKind::inconclusive);
}

TEST(PerClock, OfASingleProcessASideIsNoTailQuantile) {
  const auto verdicts = judge_before_after({product(1, 1, 1, 1)}, {product(2, 1, 1.1, 1)}, {}).verdicts;
  EXPECT_THAT(on(per_clock, verdicts).reason, Not(HasSubstr("tail")));
  EXPECT_EQ(on(per_clock, verdicts).kind, VerdictKind::regressed);
}

TEST(PerClock, HasNoPartInTheMeanOfItsClass) {
  std::vector<result::Run> pinned = rounds(1, 6);
  for (result::Run& run : pinned)
    for (result::Process& process : run.processes) {
      result::BenchmarkResult other = process.samples->benchmarks[0];
      other.id = "cublas/bf16/lt/4096x4096x4096";
      process.samples->benchmarks.push_back(other);
    }
  baseline::Baseline baseline;
  baseline.runs = pinned;
  for (const Sensitivity& row : sensitivity(baseline)) EXPECT_NE(row.metric, "class/gemm16");
}

TEST(PerClock, BetweenNodesNoPowerLimitIsAllowedFor) {
  EXPECT_DOUBLE_EQ(peer_tolerance({}, "gemm16", rate), .08);
  EXPECT_DOUBLE_EQ(peer_tolerance({}, "gemm16", per_clock), .03);
  EXPECT_LT(between_nodes("gemm16", per_clock), between_nodes("gemm16", rate));
}

}  // namespace
}  // namespace gpugauge::judge
