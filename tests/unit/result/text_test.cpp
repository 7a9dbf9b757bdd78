#include "result/text.hpp"

#include <gmock/gmock.h>

namespace gpugauge::result {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Text, IsSplitAtEachSeparator) {
  EXPECT_THAT(split("GPU-1,GPU-2", ','), ElementsAre("GPU-1", "GPU-2"));
  EXPECT_THAT(split("all", ','), ElementsAre("all"));
  EXPECT_THAT(split(",a,,b", ','), ElementsAre("", "a", "", "b"));
  EXPECT_THAT(split("a,", ','), ElementsAre("a")) << "nothing follows the last separator";
  EXPECT_THAT(split(",", ','), ElementsAre(""));
  EXPECT_THAT(split("", ','), IsEmpty());
}

TEST(Text, IsReplacedInEachPlace) {
  EXPECT_EQ(replaced("a secret, the secret", "secret", "withheld"), "a withheld, the withheld");
  EXPECT_EQ(replaced("aaa", "a", "aa"), "aaaaaa") << "what was put there is not looked at again";
  EXPECT_EQ(replaced("abc", "b", ""), "ac");
  EXPECT_EQ(replaced("abc", "x", "y"), "abc");
  EXPECT_EQ(replaced("abc", "", "y"), "abc");
}

}  // namespace
}  // namespace gpugauge::result
