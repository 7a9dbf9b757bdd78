#include "conductor/differences.hpp"

#include <gmock/gmock.h>

namespace gpugauge::conductor {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Differences, SourcesOfManyFamiliesAreOneSentenceWithoutHashes) {
  Differences different;
  for (const char* const family : {"copy", "cub", "cublas", "gemm"})
    different.undeclared.push_back(
        {std::string("suite.source_hash.") + family, std::string(64, 'a'), std::string(64, 'b')});
  const std::string sentence =
      "the sources of 4 families differ (copy, cub, cublas and 1 more): another version of GPUGauge";
  EXPECT_EQ(in_words(different.undeclared), sentence);
  const std::string last = not_comparable("golden", different, "measure both alike");
  EXPECT_THAT(last, HasSubstr("golden: " + sentence + "; another device, profile or suite"));
  EXPECT_THAT(last, Not(HasSubstr("aaaa")));
}

TEST(Differences, OtherFieldsAreNamedWithBothValuesBeforeTheSources) {
  EXPECT_EQ(
      in_words({{"suite.source_hash.host", "ab", "cd"}, {"suite.profile", "quick", "smoke"}}),
      "suite.profile (quick now, smoke then); the sources of the family host differ: another version of "
      "GPUGauge");
  EXPECT_EQ(in_words(std::vector<baseline::Mismatch>{}), "");
}

}  // namespace
}  // namespace gpugauge::conductor
