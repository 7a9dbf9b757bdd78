#include "support/definition.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void nothing(Trial&) {}

Definition whole(const std::string& op) {
  return define("definition", op)
      .isolates("a mechanism")
      .bad_value("a fault")
      .quantity(Quantity::latency, "host_cpu")
      .body(nothing);
}

// What Registration says against a definition, or "" when it takes it.
std::string refusal(const Definition& definition) {
  try {
    const Registration registered{definition};
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(Registration, TakesAWholeDefinitionAndListsItSorted) {
  ASSERT_EQ(refusal(whole("zebra")), "");
  ASSERT_EQ(refusal(whole("aardvark")), "");
  std::vector<std::string> ours;
  for (const Definition* definition : definitions())
    if (definition->op == "zebra" || definition->op == "aardvark") ours.push_back(definition->id());
  EXPECT_THAT(ours, ElementsAre("definition/aardvark", "definition/zebra"));
}

TEST(Registration, NamesWhatIsMissing) {
  EXPECT_THAT(
      refusal(define("definition", "a").bad_value("x").quantity(Quantity::rate, "host_cpu").body(nothing)),
      HasSubstr("isolates() is missing"));
  EXPECT_THAT(
      refusal(define("definition", "a").isolates("x").quantity(Quantity::rate, "host_cpu").body(nothing)),
      HasSubstr("bad_value() is missing"));
  EXPECT_THAT(
      refusal(define("definition", "a").isolates("x").bad_value("x").quantity(Quantity::rate, "host_cpu")),
      HasSubstr("body() is missing"));
  EXPECT_THAT(refusal(define("definition", "a").isolates("x").bad_value("x").body(nothing)),
              HasSubstr("quantity() and custom_metrics()"));
}

TEST(Registration, RefusesAQuantityBesideCustomMetrics) {
  EXPECT_THAT(refusal(whole("both").custom_metrics({"launch"})), HasSubstr("exactly one of"));
}

TEST(Registration, RefusesARangeOfComputeCapabilitiesThatIsEmpty) {
  EXPECT_THAT(refusal(whole("range").requires_gpu(80).stands_in_below(80)),
              HasSubstr("stands_in_below() leaves no compute capability"));
  EXPECT_EQ(refusal(whole("range").requires_gpu(70).stands_in_below(80)), "");
}

TEST(Registration, RefusesAStandInThatNamesItsGpusTwiceOrInAnotherOrder) {
  const auto said = HasSubstr("stands_in_on() names every compute capability itself, in ascending order");
  EXPECT_THAT(refusal(whole("stand-in").stands_in_on({103, 100})), said);
  EXPECT_THAT(refusal(whole("stand-in").requires_gpu(80).stands_in_on({100})), said);
  EXPECT_THAT(refusal(whole("stand-in").stands_in_below(80).stands_in_on({100})), said);
  EXPECT_EQ(refusal(whole("stand-in").stands_in_on({100, 103})), "");
}

TEST(Registration, RefusesWordsThatCannotStandInAnId) {
  EXPECT_THAT(refusal(whole("with space")), HasSubstr("'with space' is not a word"));
  EXPECT_THAT(refusal(whole("")), HasSubstr("op '' is not a word"));
  EXPECT_THAT(refusal(whole("axis").axis("size", {"8/8"})), HasSubstr("'8/8' is not a word"));
  EXPECT_THAT(refusal(whole("variant").variant("a,b")), HasSubstr("variant 'a,b' is not a word"));
}

TEST(Registration, RefusesAxesThatDoNotExpand) {
  EXPECT_THAT(refusal(whole("empty").axis("size", {})), HasSubstr("axis size has no values"));
  EXPECT_THAT(refusal(whole("twice").axis("size", {"1"}).axis("size", {"2"})),
              HasSubstr("axis size is there twice"));
  EXPECT_THAT(refusal(whole("value").axis("size", {"1", "1"})), HasSubstr("has a value twice"));
}

TEST(Registration, RefusesNoStatisticsAndTimesThatAreNotPositive) {
  EXPECT_THAT(refusal(whole("statistics").statistics({})), HasSubstr("statistics() is empty"));
  EXPECT_THAT(refusal(whole("batch").batch_seconds(0)), HasSubstr("batch_seconds()"));
  EXPECT_THAT(refusal(whole("share").window_share(-1)), HasSubstr("window_share()"));
}

TEST(Registration, RefusesAnIdThatIsTaken) {
  ASSERT_EQ(refusal(whole("taken").axis("size", {"1", "2"})), "");
  EXPECT_THAT(refusal(whole("taken").axis("size", {"2", "3"})),
              HasSubstr("definition/taken/2: the id is registered twice"));
  EXPECT_EQ(refusal(whole("taken").axis("size", {"4"})), "");
}

TEST(Definition, KnowsWhatDrawsMuchPower) {
  const auto seconds = [](const std::string& metric_class) {
    return define("f", "o").requires_gpu().quantity(Quantity::throughput, metric_class).warm_seconds();
  };
  for (const char* heavy : {"gemm64", "gemm32", "gemmtf32", "gemm16", "gemm8", "conv", "attention"})
    EXPECT_DOUBLE_EQ(seconds(heavy), 0.25) << heavy;
  for (const char* light : {"launch", "hbm", "fft", "primitive"}) EXPECT_EQ(seconds(light), 0) << light;
  EXPECT_EQ(define("f", "o").requires_gpu().custom_metrics({"hbm"}).warm_seconds(), 0);
  EXPECT_DOUBLE_EQ(define("f", "o").requires_gpu().custom_metrics({"hbm"}).power_heavy().warm_seconds(),
                   0.25);
  // define_product() says gemm16 of all products; one bound by memory says another class after it.
  EXPECT_EQ(define("f", "o")
                .requires_gpu()
                .quantity(Quantity::throughput, "gemm16")
                .quantity(Quantity::bandwidth, "hbm")
                .warm_seconds(),
            0);
}

TEST(Definition, RefusesAClassThatTheVocabularyDoesNotKnow) {
  EXPECT_THROW(define("f", "o").quantity(Quantity::latency, "fast_things"), std::invalid_argument);
}

TEST(Instances, AreEveryCombinationInTheOrderOfTheAxes) {
  const Definition definition =
      whole("product").variant("simt").axis("type", {"f32", "f16"}).axis("size", {"8", "16"});
  std::vector<std::string> ids;
  for (const Instance& instance : instances_of(definition)) ids.push_back(instance.id);
  EXPECT_THAT(ids, ElementsAre("definition/product/simt/f32/8", "definition/product/simt/f32/16",
                               "definition/product/simt/f16/8", "definition/product/simt/f16/16"));
  EXPECT_EQ(instances_of(definition)[2].parameters, (result::Facts{{"type", "f16"}, {"size", "8"}}));
}

TEST(Definition, GivesEachInstanceTheDeepestProfileThatItsValuesAskFor) {
  const Definition definition = whole("depths")
                                    .axis("size", {"1", "2", "3"})
                                    .axis("type", {"a", "b"})
                                    .from(Depth::standard)
                                    .from(Depth::quick, "size", {"1"})
                                    .from(Depth::deep, "size", {"3"})
                                    .from(Depth::smoke, "type", {"b"});
  std::vector<std::string> depths;
  for (const Instance& instance : instances_of(definition)) depths.push_back(to_string(instance.depth()));
  EXPECT_THAT(depths, ElementsAre("quick", "quick", "standard", "smoke", "deep", "deep"));
}

TEST(Definition, NamesTheClassesOfMetricsThatTheBodyAdds) {
  const Definition both = define("definition", "custom").custom_metrics({"l2", "smem"});
  EXPECT_EQ(both.metric_class, "l2");
  EXPECT_THAT(instances_of(both).front().metric_classes(), ElementsAre("l2", "smem"));
  EXPECT_THAT(instances_of(whole("formed")).front().metric_classes(), ElementsAre("host_cpu"));
  EXPECT_THROW(define("definition", "custom").custom_metrics({"launch", "lunch"}), std::invalid_argument);
  EXPECT_THROW(define("definition", "custom").custom_metrics({}), std::invalid_argument);
}

TEST(Definition, GivesEachInstanceTheClassesOfItsValue) {
  const Definition levels = define("definition", "levels")
                                .axis("level", {"near", "far"})
                                .custom_metrics({"hbm", "l2"})
                                .classes_of("level", "near", {"l2"});
  EXPECT_THAT(instances_of(levels)[0].metric_classes(), ElementsAre("l2"));
  EXPECT_THAT(instances_of(levels)[1].metric_classes(), ElementsAre("hbm", "l2"));
  EXPECT_THROW(define("definition", "levels").classes_of("level", "near", {"l4"}), std::invalid_argument);
}

TEST(Registration, RefusesClassesOfAValueThatTheAxisLacks) {
  EXPECT_THAT(refusal(whole("axis").classes_of("level", "l1", {"smem"})),
              HasSubstr("classes_of() names the axis level, which it lacks"));
  EXPECT_THAT(refusal(whole("axis").axis("level", {"l2"}).classes_of("level", "l1", {"smem"})),
              HasSubstr("classes_of() names level l1, which the axis lacks"));
}

TEST(Depth, IsReadBackFromItsWord) {
  for (const Depth depth : {Depth::smoke, Depth::quick, Depth::standard, Depth::deep, Depth::exhaustive})
    EXPECT_EQ(depth_from(to_string(depth)), depth);
  EXPECT_THROW(depth_from("Deep"), std::invalid_argument);
}

TEST(Registration, RefusesADepthForAValueThatTheAxisLacks) {
  EXPECT_THAT(refusal(whole("no_axis").from(Depth::deep, "size", {"1"})), HasSubstr("names the axis size"));
  EXPECT_THAT(refusal(whole("no_value").axis("size", {"1"}).from(Depth::deep, "size", {"2"})),
              HasSubstr("names size 2"));
}

TEST(Definition, NamesItsMetricsByQuantityAndStatistic) {
  const Definition definition = whole("names");
  EXPECT_EQ(definition.metric_name(Statistic::median), "latency");
  EXPECT_EQ(definition.metric_name(Statistic::mean), "latency_mean");
  EXPECT_EQ(definition.metric_name(Statistic::p90), "latency_p90");
  EXPECT_EQ(definition.metric_name(Statistic::p99), "latency_p99");
  EXPECT_EQ(definition.metric_name(Statistic::minimum), "latency_minimum");
  EXPECT_EQ(definition.unit(), "second");
}

}  // namespace
}  // namespace gpugauge::bench
