#include "nccl/bandwidth.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "kernels/collective/predictable.hpp"
#include "nccl/layout.hpp"
#include "support/byte_text.hpp"

namespace gpugauge::bench::nccl {
namespace {

TEST(BusBandwidth, factors_are_those_of_nccl_tests) {
  EXPECT_EQ(factor_all_reduce(1), 0);
  EXPECT_EQ(factor_all_reduce(2), 1);
  EXPECT_EQ(factor_all_reduce(8), 1.75);
  EXPECT_EQ(factor_all_reduce(64), 126.0 / 64);
  EXPECT_EQ(factor_all_gather(1), 0);
  EXPECT_EQ(factor_all_gather(2), 0.5);
  EXPECT_EQ(factor_all_gather(8), 0.875);
  EXPECT_EQ(factor_one(1), 1);
  EXPECT_EQ(factor_one(8), 1);
}

TEST(Elements, are_parts_of_sixteen_bytes_where_there_are_as_many) {
  EXPECT_EQ(elements_of(std::uint64_t{256} << 20, 3), 3 * 22'369'620U);
  EXPECT_EQ(elements_of(std::uint64_t{256} << 20, 7), 7 * 9'586'980U);
  EXPECT_EQ(elements_of(36, 3), 9U) << "three each";
  EXPECT_EQ(elements_of(8, 1), 2U);
  EXPECT_EQ(elements_of((1 << 20) + 8, 1), 262'144U);
}

TEST(Elements, divide_evenly_among_ranks) {
  EXPECT_EQ(elements_of(8, 1), 2U);
  EXPECT_EQ(elements_of(8, 8), 0U);
  EXPECT_EQ(elements_of(1 << 20, 3), 3 * 87'380U);
  EXPECT_EQ(elements_of(std::uint64_t{8} << 30, 8), std::uint64_t{1} << 31);
}

TEST(Bytes, are_written_and_read) {
  for (const std::uint64_t bytes : {8ULL, 1024ULL, 1536ULL, 64ULL << 10, 256ULL << 20, 8ULL << 30})
    EXPECT_EQ(bytes_of(byte_text(bytes)), bytes);
  EXPECT_EQ(byte_text(8), "8B");
  EXPECT_EQ(byte_text(64 << 10), "64KiB");
  EXPECT_EQ(byte_text(std::uint64_t{8} << 30), "8GiB");
  EXPECT_THROW(bytes_of("8"), std::logic_error);
  EXPECT_THROW(bytes_of("GiB"), std::logic_error);
  EXPECT_THROW(bytes_of("8 GiB"), std::logic_error);
}

using kernels::collective::Expected;
using kernels::collective::predictable;

TEST(Predictable, is_a_byte_that_depends_on_rank_and_place) {
  double sum = 0;
  int same_rank = 0;
  int same_place = 0;
  constexpr int count = 4096;
  for (int i = 0; i < count; ++i) {
    const float value = predictable(7, 3, static_cast<std::uint64_t>(i));
    ASSERT_TRUE(value >= 0 && value <= 255 && value == static_cast<float>(static_cast<int>(value)));
    sum += value;
    same_rank += value == predictable(7, 4, static_cast<std::uint64_t>(i)) ? 1 : 0;
    same_place += value == predictable(7, 3, static_cast<std::uint64_t>(i) + 1) ? 1 : 0;
  }
  EXPECT_NEAR(sum / count, 127.5, 6);
  EXPECT_LT(same_rank, 64);
  EXPECT_LT(same_place, 64);
}

TEST(Predictable, the_largest_sum_is_exact_in_fp32) {
  EXPECT_LT(255.0 * kernels::collective::most_ranks, 16'777'216.0);
}

TEST(Expected, sums_are_those_of_all_ranks_in_any_order) {
  const Expected expected{.sum = true, .ranks = 5, .base = 100};
  for (std::uint64_t i = 0; i < 50; ++i) {
    float backwards = 0;
    for (int rank = 4; rank >= 0; --rank) backwards += predictable(9, rank, 100 + i);
    EXPECT_EQ(expected.at(9, i), backwards);
  }
}

TEST(Expected, blocks_are_those_of_the_ranks_in_turn) {
  const Expected gathered{.block = 10};
  EXPECT_EQ(gathered.at(9, 0), predictable(9, 0, 0));
  EXPECT_EQ(gathered.at(9, 37), predictable(9, 3, 7));
  const Expected exchanged{.block = 10, .base = 20};  // of rank 2, all to all
  EXPECT_EQ(exchanged.at(9, 37), predictable(9, 3, 27));
  const Expected received{.first_rank = 6, .block = 1000};
  EXPECT_EQ(received.at(9, 999), predictable(9, 6, 999));
}

TEST(Received, is_what_a_rank_can_compare) {
  const Layout layout{.total = 24, .part = 8};
  for (const int rank : {0, 1, 2}) {
    EXPECT_EQ(received(Receives::total, layout, rank), 24U) << rank;
    EXPECT_EQ(received(Receives::part, layout, rank), 8U) << rank;
  }
  EXPECT_EQ(received(Receives::total_at_root, layout, root), 24U);
  EXPECT_EQ(received(Receives::total_at_root, layout, 1), 0U);
  EXPECT_EQ(received(Receives::total_at_root, layout, 2), 0U);
}

// A reduction to one rank: exact vectors of inputs and of what the root must hold.
TEST(Expected, the_root_of_a_reduction_holds_these_sums) {
  constexpr int ranks = 3;
  const std::vector<std::vector<float>> inputs{
      {15, 86, 107, 237, 205, 253}, {134, 77, 240, 226, 169, 88}, {237, 235, 238, 207, 252, 11}};
  const std::vector<float> sums{386, 398, 585, 670, 626, 352};
  const Expected at_root{.sum = true, .ranks = ranks};
  for (std::uint64_t i = 0; i < sums.size(); ++i) {
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(predictable(5, rank, i), inputs[static_cast<std::size_t>(rank)][i]) << rank << " " << i;
    EXPECT_EQ(at_root.at(5, i), sums[i]) << i;
  }
}

}  // namespace
}  // namespace gpugauge::bench::nccl
