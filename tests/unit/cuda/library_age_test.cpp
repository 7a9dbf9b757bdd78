#include "support/cuda/library_age.hpp"

#include <gmock/gmock.h>

namespace {

using gpugauge::bench::cuda::older_than_blackwell;
using testing::HasSubstr;

TEST(LibraryAge, a_library_older_than_the_gpu_is_named_with_both_versions) {
  const auto why = older_than_blackwell("cuDNN", "9.5.1", false, "9.7.0", 120);
  ASSERT_TRUE(why);
  EXPECT_THAT(
      *why, HasSubstr("cuDNN 9.5.1 is older than this GPU, of compute capability 12.0: 9.7.0 is the first"));
  EXPECT_TRUE(older_than_blackwell("cuBLASLt", "12.6.4", false, "12.8.0", 100));
}

TEST(LibraryAge, one_that_knows_it_and_older_gpus_are_no_matter) {
  EXPECT_FALSE(older_than_blackwell("cuDNN", "9.7.0", true, "9.7.0", 103));
  EXPECT_FALSE(older_than_blackwell("cuDNN", "9.0.0", false, "9.7.0", 90));
}

}  // namespace
