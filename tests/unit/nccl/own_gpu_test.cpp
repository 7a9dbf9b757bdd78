#include "nccl/own_gpu.hpp"

#include <gtest/gtest.h>

namespace gpugauge::bench::nccl {
namespace {

TEST(OwnGpu, where_all_are_visible_it_is_the_one_with_the_rank_s_number) {
  EXPECT_EQ(own_gpu(std::nullopt, 0), "0");
  EXPECT_EQ(own_gpu(std::nullopt, 7), "7");
}

TEST(OwnGpu, of_a_list_it_is_the_entry_with_the_rank_s_number) {
  EXPECT_EQ(own_gpu("0,1,2,3", 2), "2");
  EXPECT_EQ(own_gpu("3,2,1,0", 0), "3");
  EXPECT_EQ(own_gpu("4,6", 1), "6");
  EXPECT_EQ(own_gpu("0, 1 ,2", 1), "1") << "blanks are no part of it";
  EXPECT_EQ(own_gpu("GPU-aa,GPU-bb", 1), "GPU-bb");
  EXPECT_EQ(own_gpu("GPU-5ef,MIG-9c1", 1), "MIG-9c1");
}

TEST(OwnGpu, what_a_launcher_gave_this_rank_stays) {
  EXPECT_EQ(own_gpu("3", 0), std::nullopt);
  EXPECT_EQ(own_gpu("3", 5), std::nullopt) << "each rank was shown one";
  EXPECT_EQ(own_gpu("GPU-aa", 1), std::nullopt);
  EXPECT_EQ(own_gpu("", 0), std::nullopt) << "none was shown";
}

TEST(OwnGpu, a_list_with_fewer_than_ranks_stays_so_that_two_have_one) {
  EXPECT_EQ(own_gpu("0,1", 2), std::nullopt);
  EXPECT_EQ(own_gpu("0,", 1), std::nullopt);
  EXPECT_EQ(own_gpu("0,,2", 1), std::nullopt);
}

}  // namespace
}  // namespace gpugauge::bench::nccl
