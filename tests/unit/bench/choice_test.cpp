#include "support/choice.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/take_turns.hpp"

namespace gpugauge::bench {
namespace {

TEST(Contenders, are_those_that_a_search_cannot_tell_from_the_fastest) {
  using Indices = std::vector<std::size_t>;
  EXPECT_EQ(contenders({1.04, std::nullopt, 1.0, 1.06, 1.02}, 0.05, 8), (Indices{2, 4, 0}));
  EXPECT_EQ(contenders({1.04, std::nullopt, 1.0, 1.06, 1.02}, 0.05, 2), (Indices{2, 4}));
  EXPECT_EQ(contenders({1.0, 1.0}, 0, 8), (Indices{0, 1})) << "equals in the library's order";
  EXPECT_EQ(contenders({std::nullopt}, 0.05, 8), Indices{});
}

TEST(PlanSearch, tries_all_in_three_rounds_where_operations_are_short) {
  EXPECT_EQ(plan_search(8, 1e-5), (Search{8, 3}));
  EXPECT_EQ(plan_search(10, 9.9e-3), (Search{10, 3}));
  EXPECT_EQ(plan_search(1, 1e-5), (Search{1, 1}));
}

// 15 operations try eight of which the first is loaded, a further round takes eight.
TEST(PlanSearch, tries_as_many_as_a_second_of_operations_allows) {
  EXPECT_EQ(plan_search(8, 0.02), (Search{8, 3}));
  EXPECT_EQ(plan_search(8, 1.0 / 31), (Search{8, 3}));
  EXPECT_EQ(plan_search(8, 1.0 / 30), (Search{8, 2}));
  EXPECT_EQ(plan_search(8, 1.0 / 22), (Search{8, 1}));
  EXPECT_EQ(plan_search(8, 1.0 / 14), (Search{7, 1}));
  EXPECT_EQ(plan_search(8, 0.18), (Search{3, 1}));
  EXPECT_EQ(plan_search(8, 0.3), (Search{2, 1}));
  EXPECT_EQ(plan_search(8, 0.4), (Search{1, 1}));
  EXPECT_EQ(plan_search(8, 5), (Search{1, 1}));
}

TEST(TimesAsFast, is_the_ratio_of_medians_and_not_below_1) {
  EXPECT_EQ(times_as_fast({4, 2, 9}, {2}), 2);
  EXPECT_EQ(times_as_fast({2, 2, 8}, {1, 3, 1}), 2);
  EXPECT_EQ(times_as_fast({1}, {1}), 1);
  EXPECT_EQ(times_as_fast({1}, {2}), 1) << "the first one is the faster one";
  EXPECT_EQ(times_as_fast({1}, {0.75}), 1 / 0.75);
  EXPECT_THROW(times_as_fast({}, {1}), std::invalid_argument);
  EXPECT_THROW(times_as_fast({1}, {}), std::invalid_argument);
}

// Both fell by a tenth from batch to batch with the clock: what is left is what tells them apart.
TEST(TimesAsFast, holds_no_clock_where_both_took_turns) {
  std::vector<double> first, other;
  for (int batch = 0; batch < 8; ++batch) {
    const double seconds = std::pow(1.1, batch);
    first.push_back(seconds);
    other.push_back(seconds / 1.25);
  }
  EXPECT_DOUBLE_EQ(times_as_fast(first, other), 1.25);
}

TEST(SpedUp, is_more_of_a_rate_and_less_of_a_time) {
  for (const Quantity quantity : {Quantity::throughput, Quantity::bandwidth, Quantity::rate})
    EXPECT_EQ(sped_up(8, quantity, 2), 16);
  EXPECT_EQ(sped_up(8, Quantity::latency, 2), 4);
  EXPECT_EQ(sped_up(8, Quantity::latency, 1), 8);
}

TEST(TakeTurns, times_batch_by_batch_until_the_window_has_ended) {
  double clock = 5;
  std::string order;
  const auto first = [&] {
    order += 'a';
    clock += 0.125;
    return 0.5;
  };
  const auto second = [&] {
    order += 'b';
    clock += 0.125;
    return 0.25;
  };
  Window window{.seconds = 1, .minimum_batches = 3, .budget_seconds = 4};
  Turns turns = take_turns(window, first, second, [&] { return clock; });
  EXPECT_EQ(order, "abababab");
  EXPECT_EQ(turns.first, std::vector<double>(4, 0.5));
  EXPECT_EQ(turns.second, std::vector<double>(4, 0.25));
  window.minimum_batches = 6;
  EXPECT_EQ(take_turns(window, first, second, [&] { return clock; }).second.size(), 6U);
  window.budget_seconds = 0.25;
  EXPECT_EQ(take_turns(window, first, second, [&] { return clock; }).second.size(), 4U);
}

TEST(FastestInTurns, IsTheFirstUnlessAnotherIsFasterByTheMargin) {
  EXPECT_EQ(fastest_in_turns({{2, 2, 2}}), (Fastest{0, 1}));
  EXPECT_EQ(fastest_in_turns({{2, 2, 2}, {1.99, 1.99, 1.99}}), (Fastest{0, 2 / 1.99}))
      << "half a percent counts, and gives no name";
  EXPECT_EQ(fastest_in_turns({{1}, {0.75}}, 0.25), (Fastest{0, 1 / 0.75}))
      << "by the margin, and not by more";
  EXPECT_EQ(fastest_in_turns({{1}, {0.5}}, 0.25), (Fastest{1, 2}));
  EXPECT_EQ(fastest_in_turns({{1}, {2}}), (Fastest{0, 1})) << "the first one is the faster one";
  EXPECT_EQ(fastest_in_turns({{2, 9, 2}, {1.6, 1.6, 9}, {1, 1, 1}, {1.25, 1.25, 1.25}}), (Fastest{2, 2}));
  EXPECT_THROW(fastest_in_turns({}), std::invalid_argument);
}

}  // namespace
}  // namespace gpugauge::bench
