// Lists of processors.
#include "result/processor_list.hpp"

#include <gmock/gmock.h>

namespace gpugauge::result {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ProcessorList, IsReadAsTheKernelWritesIt) {
  EXPECT_THAT(parse_processors("0-3,8\n"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_processors("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_processors("5"), ElementsAre(5));
  EXPECT_THAT(parse_processors("5-5"), ElementsAre(5));
  EXPECT_THAT(parse_processors("8,0-1,1"), ElementsAre(0, 1, 8));
  EXPECT_THAT(parse_processors("8190-8191"), ElementsAre(8190, 8191));
  EXPECT_THAT(parse_processors("0-8191"), SizeIs(8192));
}

TEST(ProcessorList, IsEmptyForAnyOtherText) {
  for (const char* const none :
       {"",    "\n",    "none",  "x",   ",",  "0,", ",0",    "0,,2",  "0-", "-3",  "-4--3", "3-1",
        "5-x", "0-3,x", "0-1-2", "1 2", " 1", "1 ", "1\n\n", "1\r\n", "+1", "0x3", "1.5",   "0-6:2/3"})
    EXPECT_THAT(parse_processors(none), IsEmpty()) << none;
}

TEST(ProcessorList, OfMoreThanAKernelHasIsNone) {
  for (const char* const none : {"8192", "0-8192", "8190-99999", "0-2147483647", "0-4000000000",
                                 "99999999999", "-2147483648-2147483647", "0-8191,0", "0,0-8191"})
    EXPECT_THAT(parse_processors(none), IsEmpty()) << none;
  std::string many = "0-8191";
  for (int i = 0; i < 1'000'000; ++i) many += ",0-8191";
  EXPECT_THAT(parse_processors(many), IsEmpty());
}

TEST(ProcessorList, IsWrittenAsTheKernelDoes) {
  EXPECT_EQ(processors_text({}), "");
  EXPECT_EQ(processors_text({5}), "5");
  EXPECT_EQ(processors_text({0, 1}), "0-1");
  EXPECT_EQ(processors_text({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(parse_processors(processors_text({0, 1, 2, 9})), (std::vector<int>{0, 1, 2, 9}));
}

}  // namespace
}  // namespace gpugauge::result
