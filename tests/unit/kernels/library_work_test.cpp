// The pure parts of the library families: what is counted, and shapes as ids write them.
#include <gtest/gtest.h>

#include "cub/work.hpp"
#include "cudnn/attention_shape.hpp"

namespace {

using namespace gpugauge;

TEST(Attention, shapes_are_read_and_all_else_is_refused) {
  const auto shape = bench::cudnn::parse_attention("4x32x4096x64", true);
  EXPECT_EQ(shape.batch, 4);
  EXPECT_EQ(shape.heads, 32);
  EXPECT_EQ(shape.length, 4096);
  EXPECT_EQ(shape.depth, 64);
  EXPECT_TRUE(shape.causal);
  EXPECT_EQ(shape.elements(), std::int64_t{4} * 32 * 4096 * 64);
  EXPECT_FALSE(bench::cudnn::parse_attention("1x2x3x4", false).causal);
  for (const char* wrong :
       {"", "4x32x4096", "4x32x4096x64x1", "0x32x4096x64", "4x32x4096x", "4x32xlongx64", "-4x1x1x1"})
    EXPECT_THROW(bench::cudnn::parse_attention(wrong, false), std::logic_error) << wrong;
}

TEST(CubWork, counts_what_is_read_and_what_is_kept) {
  const result::Work kept = bench::cub_library::compaction_work(1000, 400);
  EXPECT_EQ(kept.bytes, 5600);
  EXPECT_EQ(kept.items, 1000);
  EXPECT_EQ(kept.flops, 0);
  EXPECT_EQ(bench::cub_library::compaction_work(1000, 0).bytes, 4000);
}

TEST(CubWork, counts_the_value_and_the_length_of_each_run) {
  const result::Work encoded = bench::cub_library::run_length_work(1000, 250);
  EXPECT_EQ(encoded.bytes, 6000);
  EXPECT_EQ(encoded.items, 1000);
  EXPECT_EQ(bench::cub_library::run_length_work(1000, 1000).bytes, 12000) << "runs of one";
}

}  // namespace
