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

TEST(Text, IsStrippedAtBothEnds) {
  EXPECT_EQ(stripped(" \t a b\v\r\n"), "a b");
  EXPECT_EQ(stripped(" \r\n"), "");
  EXPECT_EQ(stripped(""), "");
  EXPECT_EQ(stripped("\na ", " "), "\na") << "only what is named";
}

TEST(Text, IsLoweredAsFarAsItIsAscii) {
  EXPECT_EQ(lower("Xid 79: GPU"), "xid 79: gpu");
  EXPECT_EQ(lower("\xc3\x84Z"), "\xc3\x84z");
}

}  // namespace
}  // namespace gpugauge::result
