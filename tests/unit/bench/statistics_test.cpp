#include "support/statistics.hpp"

#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace gpugauge::bench {
namespace {

std::vector<double> one_to(int count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.rbegin(), values.rend(), 1.0);  // descending: the functions must sort for themselves
  return values;
}

TEST(Median, IsTheMiddleValueOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({3, 1}), 2);
  EXPECT_EQ(median({5, 1, 9}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(NearestRank, TakesTheSmallestValueThatCoversTheShare) {
  EXPECT_EQ(nearest_rank(one_to(100), 0.99),
            99);  // 0.99 * 100 is exactly rank 99, whatever doubles make of it
  EXPECT_EQ(nearest_rank(one_to(101), 0.99), 100);
  EXPECT_EQ(nearest_rank(one_to(200), 0.99), 198);
  EXPECT_EQ(nearest_rank(one_to(1000), 0.99), 990);
  EXPECT_EQ(nearest_rank(one_to(99), 0.99), 99);
  EXPECT_EQ(nearest_rank(one_to(5), 0.3), 2);
  EXPECT_EQ(nearest_rank(one_to(5), 0.4), 2);
  EXPECT_EQ(nearest_rank(one_to(5), 1), 5);
  EXPECT_EQ(nearest_rank({42}, 0.01), 42);
}

TEST(NearestRank, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(nearest_rank({}, 0.5), std::invalid_argument);
  EXPECT_THROW(nearest_rank({1}, 0), std::invalid_argument);
  EXPECT_THROW(nearest_rank({1}, 1.01), std::invalid_argument);
}

TEST(SecondsPerOperation, MeanIsTheWallTimeOfTheWindowOverAllOperations) {
  result::Batches batches;
  batches.operations_per_batch = 10;
  batches.seconds_per_operation = {1, 2, 3, 6};
  batches.window_seconds = 200;  // 120 s in batches, 80 s lost between them
  EXPECT_EQ(seconds_per_operation(batches, Statistic::mean), 5);
  EXPECT_EQ(seconds_per_operation(batches, Statistic::median), 2.5);
  EXPECT_EQ(seconds_per_operation(batches, Statistic::p99), 6);
  EXPECT_EQ(seconds_per_operation(batches, Statistic::minimum), 1);
}

TEST(SecondsPerOperation, TailsAreThoseOfBatches) {
  result::Batches batches;
  for (int i = 1; i <= 100; ++i) batches.seconds_per_operation.push_back(i);
  EXPECT_EQ(seconds_per_operation(batches, Statistic::p90), 90);
  EXPECT_EQ(seconds_per_operation(batches, Statistic::p99), 99);
}

TEST(SecondsPerOperation, ATailOfFewerBatchesIsTheirLargest) {
  for (const Statistic statistic : {Statistic::p90, Statistic::p99}) {
    result::Batches batches;
    const std::size_t fewest = fewest_for(statistic);
    for (std::size_t i = 1; i < fewest; ++i) batches.seconds_per_operation.push_back(static_cast<double>(i));
    EXPECT_EQ(seconds_per_operation(batches, statistic), static_cast<double>(fewest - 1));
    batches.seconds_per_operation.push_back(static_cast<double>(fewest));
    EXPECT_EQ(seconds_per_operation(batches, statistic), static_cast<double>(fewest - 1));
  }
}

TEST(SecondsPerOperation, NeedsABatch) {
  for (const Statistic statistic :
       {Statistic::mean, Statistic::median, Statistic::p90, Statistic::p99, Statistic::minimum})
    EXPECT_THROW(seconds_per_operation({}, statistic), std::invalid_argument);
}

TEST(Rounded, KeepsSevenSignificantDigits) {
  EXPECT_EQ(rounded(1.23456789e-9), 1.234568e-9);
  EXPECT_EQ(rounded(0), 0);
  EXPECT_EQ(rounded(123456789), 123456800);
}

}  // namespace
}  // namespace gpugauge::bench
