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
  EXPECT_THAT(last, HasSubstr("golden: " + sentence + "; measure both alike"));
  EXPECT_THAT(last, Not(HasSubstr("aaaa")));
}

TEST(Differences, AnUpgradeIsToldFromAnotherDeviceOrProfile) {
  const auto said = [](std::vector<baseline::Mismatch> fields) {
    return of_another_version({{}, std::move(fields)});
  };
  const baseline::Mismatch source{"suite.source_hash.gemm", "ab", "cd"};
  const baseline::Mismatch library{"stack.cublas.version", "13.2", "13.1"};
  EXPECT_TRUE(said({source}));
  EXPECT_TRUE(said({library, source})) << "a new image brings both";
  EXPECT_FALSE(said({library}));
  EXPECT_FALSE(said({}));
  EXPECT_FALSE(said({source, {"suite.profile", "quick", "smoke"}}));
  EXPECT_FALSE(said({source, {"device.gpu.0.name", "NVIDIA H200", "NVIDIA H100"}}));
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
