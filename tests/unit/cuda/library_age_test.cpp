#include "support/cuda/library_age.hpp"

#include <gmock/gmock.h>

#include "cudnn/first_version.hpp"

namespace {

using gpugauge::bench::cuda::older_than_blackwell;
using testing::HasSubstr;

TEST(LibraryAge, a_library_older_than_the_gpu_is_named_with_both_versions) {
  const auto why = older_than_blackwell("cuDNN", "9.5.1", false, "9.7.0", 120);
  ASSERT_TRUE(why);
  EXPECT_THAT(
      *why,
      HasSubstr("cuDNN 9.5.1 is older than this GPU, of compute capability 12.0: no version before 9.7.0 "
                "knows it"));
  EXPECT_TRUE(older_than_blackwell("cuBLASLt", "12.6.4", false, "12.8.0", 100));
}

TEST(LibraryAge, one_that_knows_it_and_older_gpus_are_no_matter) {
  EXPECT_FALSE(older_than_blackwell("cuDNN", "9.7.0", true, "9.7.0", 103));
  EXPECT_FALSE(older_than_blackwell("cuDNN", "9.0.0", false, "9.7.0", 90));
}

TEST(FirstCudnn, is_the_one_that_a_source_names_for_the_gpu) {
  using namespace gpugauge::bench::cudnn;
  EXPECT_EQ(first_version(90), 90000U);
  EXPECT_EQ(first_version(100), 90700U);
  EXPECT_EQ(first_version(103), 91100U);
  EXPECT_EQ(first_version(120), 90700U);
  for (const int unknown : {87, 110, 121}) EXPECT_FALSE(first_version(unknown)) << unknown;
}

// A B300 with the cuDNN of torch's wheels: the library is too old for it, though it knows a B200.
TEST(FirstCudnn, no_earlier_one_knows_the_gpu) {
  using namespace gpugauge::bench::cudnn;
  EXPECT_LT(91002U, no_earlier_version(103));
  EXPECT_GE(91002U, no_earlier_version(100));
  EXPECT_EQ(no_earlier_version(121), 90700U) << "of a GPU that no source names: what any Blackwell needs";
  EXPECT_EQ(no_earlier_version(110), 90700U);
  EXPECT_EQ(no_earlier_version(87), 90000U);
}

// A plan that is missing is then a fault of the installation; elsewhere the benchmark is unavailable.
TEST(FirstCudnn, surely_plans_only_what_a_source_names) {
  using namespace gpugauge::bench::cudnn;
  EXPECT_TRUE(surely_plans(90000, 90));
  EXPECT_TRUE(surely_plans(91100, 103));
  EXPECT_FALSE(surely_plans(91099, 103));
  EXPECT_TRUE(surely_plans(91801, 120));
  EXPECT_FALSE(surely_plans(91002, 120)) << "it knows the GPU, and no source lists attention's gradients";
  EXPECT_FALSE(surely_plans(92400, 121));
  EXPECT_FALSE(surely_plans(92400, 110));
  EXPECT_FALSE(surely_plans(92400, 87));
}

}  // namespace
