// What a benchmark reaches of the one that it is held beside.
#include "support/beside.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Definition layouts(Quantity quantity) {
  return define("conv", "forward")
      .isolates("a layout")
      .bad_value("the other layout")
      .axis("layout", {"nhwc", "nchw"})
      .quantity(quantity, "conv")
      .beside("nhwc",
              [](const Instance& instance) {
                return std::string(instance.parameters.at("layout") == "nchw" ? "conv/forward/nhwc" : "");
              })
      .body([](Trial&) {});
}

result::BenchmarkResult of(const std::string& id, std::vector<result::Metric> metrics) {
  result::BenchmarkResult result;
  result.id = id;
  result.metrics = std::move(metrics);
  return result;
}

result::Metric metric(const std::string& name, const std::string& unit, const std::string& statistic,
                      double value) {
  result::Metric out;
  out.name = name;
  out.unit = unit;
  out.metric_class = "conv";
  out.statistic = statistic;
  out.value = value;
  return out;
}

result::Metric rate(const std::string& name, double value) {
  return metric(name, "flop/second", "median", value);
}

/// The names and values that were added to the last of the results.
std::vector<result::Metric> added(const Definition& definition,
                                  std::vector<result::BenchmarkResult> results) {
  result::Samples samples;
  const std::size_t before = results.back().metrics.size();
  samples.benchmarks = std::move(results);
  add_beside(samples, instances_of(definition));
  const auto& all = samples.benchmarks.back().metrics;
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

TEST(AddBeside, RecordsWhatEachMedianOfTheRateReachesOfTheOther) {
  const auto found =
      added(layouts(Quantity::throughput),
            {of("conv/forward/nhwc", {rate("throughput", 400), rate("throughput_best", 500)}),
             of("conv/forward/nchw", {rate("throughput", 100), rate("throughput_best", 400),
                                      metric("throughput_mean", "flop/second", "mean", 90),
                                      metric("flop_per_clock_per_sm", "flop/clock", "median", 2)})});
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].name, "throughput_over_nhwc");
  EXPECT_EQ(found[0].value, .25);
  EXPECT_EQ(found[0].unit, "1");
  EXPECT_EQ(found[0].metric_class, "conv");
  EXPECT_FALSE(found[0].judged);
  EXPECT_THAT(found[0].note, HasSubstr("conv/forward/nhwc"));
  EXPECT_EQ(found[1].name, "throughput_best_over_nhwc");
  EXPECT_EQ(found[1].value, .8);
}

TEST(AddBeside, ALongerLatencyReachesLess) {
  result::Metric slow = metric("latency", "second", "median", 4);
  slow.better = result::Direction::lower;
  result::Metric fast = slow;
  fast.value = 1;
  const auto found =
      added(layouts(Quantity::latency), {of("conv/forward/nhwc", {fast}), of("conv/forward/nchw", {slow})});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].value, .25);
  EXPECT_EQ(found[0].better, result::Direction::higher);
}

TEST(AddBeside, AddsNothingWhereOneOfTheTwoWasNotMeasured) {
  const Definition definition = layouts(Quantity::throughput);
  const auto own = of("conv/forward/nchw", {rate("throughput", 100)});
  const auto other = of("conv/forward/nhwc", {rate("throughput", 400)});
  EXPECT_THAT(added(definition, {own}), SizeIs(0)) << "narrowed to it";
  EXPECT_THAT(added(definition, {own, other}), SizeIs(0)) << "the one that others are held beside";
  auto failed = other;
  failed.status = result::Status::failed;
  EXPECT_THAT(added(definition, {failed, own}), SizeIs(0));
  failed = own;
  failed.status = result::Status::failed;
  EXPECT_THAT(added(definition, {other, failed}), SizeIs(0));
  EXPECT_THAT(added(definition, {of("conv/forward/nhwc", {rate("throughput", 0)}), own}), SizeIs(0))
      << "no finite ratio";
}

TEST(AddBeside, NeedsAWordForTheName) {
  Definition unnamed = layouts(Quantity::throughput);
  unnamed.beside_name = "in NHWC";
  EXPECT_THROW(Registration{unnamed}, std::logic_error);
}

}  // namespace
}  // namespace gpugauge::bench
