#include "stack/compat/version.hpp"

#include <gtest/gtest.h>

namespace gpugauge::stack {
namespace {

Version parsed_version(std::string_view text) {
  const auto parsed = Version::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(Version());
}

TEST(Version, IsReadFromTheBeginningOfATextAndWrittenAgain) {
  EXPECT_EQ(parsed_version("580.65.06").text(), "580.65.06");
  EXPECT_EQ(parsed_version("535.104.5").text(), "535.104.05");
  EXPECT_EQ(parsed_version("430.09").text(), "430.09");
  EXPECT_EQ(parsed_version("13.0").text(), "13.0");
  EXPECT_EQ(parsed_version("9").text(), "9");
  EXPECT_EQ(parsed_version("v2.27.3").text(), "2.27.3");
  EXPECT_EQ(parsed_version("R580").text(), "580");
  EXPECT_EQ(parsed_version("2.8.0+cu128").text(), "2.8.0");
  EXPECT_EQ(parsed_version("12.8.93-1").text(), "12.8.93");
  EXPECT_EQ(parsed_version("3.13a0").text(), "3.13");
  EXPECT_EQ(parsed_version("12.").text(), "12");
  EXPECT_EQ(parsed_version("12..5").text(), "12");
  EXPECT_EQ(parsed_version("9.10.2.21").size(), 4U);
  EXPECT_EQ(parsed_version("999999999").major(), 999999999);
}

TEST(Version, IsNoneWhereTheTextBeginsWithNoNumberOrThePartIsTooLong) {
  for (const char* const text : {"", "v", "R", "x1", ".5", "-1", " 1", "vv1", "1000000000", "1.0000000001"})
    EXPECT_FALSE(Version::parse(text).has_value()) << text;
  EXPECT_FALSE(Version::parse(std::string_view("\0001", 2)).has_value());
}

TEST(Version, ComparesByNumberAndMissingPartsAreZero) {
  EXPECT_EQ(parsed_version("65.06"), parsed_version("65.6"));
  EXPECT_EQ(parsed_version("12"), parsed_version("12.0"));
  EXPECT_LT(parsed_version("9.9"), parsed_version("9.10"));
  EXPECT_LT(parsed_version("580.65.06"), parsed_version("580.126.09"));
  EXPECT_LT(parsed_version("12"), parsed_version("12.0.1"));
  EXPECT_GT(parsed_version("13.0"), parsed_version("12.9.1"));
  EXPECT_EQ(Version(), parsed_version("0"));
}

TEST(Version, CoversWhatBeginsWithIt) {
  EXPECT_TRUE(parsed_version("12").covers(parsed_version("12.8")));
  EXPECT_TRUE(parsed_version("12.8").covers(parsed_version("12")));
  EXPECT_TRUE(parsed_version("12.8").covers(parsed_version("12.8.1")));
  EXPECT_FALSE(parsed_version("12.8").covers(parsed_version("12.9")));
  EXPECT_FALSE(parsed_version("1").covers(parsed_version("12")));
  EXPECT_TRUE(Version().covers(parsed_version("5")));
}

TEST(Version, GivesPartsAndBeginnings) {
  const Version driver = parsed_version("580.65.06");
  EXPECT_EQ(driver.part(2), 6);
  EXPECT_EQ(driver.part(3), 0);
  EXPECT_EQ(driver.minor(), 65);
  EXPECT_EQ(driver.first(1).text(), "580");
  EXPECT_EQ(driver.first(2).size(), 2U);
  EXPECT_EQ(driver.first(9), driver);
}

TEST(VersionOfANumber, FollowsEachLibrarysScheme) {
  EXPECT_EQ(cuda_version_of(13000), "13.0");
  EXPECT_EQ(cuda_version_of(12080), "12.8");
  EXPECT_EQ(cuda_version_of(11080), "11.8");
  EXPECT_EQ(cudnn_version_of(91200), "9.12.0");
  EXPECT_EQ(cudnn_version_of(8907), "8.9.7");
  EXPECT_EQ(cudnn_version_of(7605), "7.6.5");
  EXPECT_EQ(nccl_version_of(22703), "2.27.3");
  EXPECT_EQ(nccl_version_of(21005), "2.10.5");
  EXPECT_EQ(nccl_version_of(2708), "2.7.8");
}

TEST(VersionOfANumber, IsEmptyForANumberThatFitsNoScheme) {
  for (const int number : {-13000, 0, 999, 12081, 100000}) EXPECT_EQ(cuda_version_of(number), "") << number;
  for (const int number : {-1, 0, 999, 9000, 89999, 1000000})
    EXPECT_EQ(cudnn_version_of(number), "") << number;
  for (const int number : {-1, 0, 999, 2900, 20899, 1000000})
    EXPECT_EQ(nccl_version_of(number), "") << number;
}

}  // namespace
}  // namespace gpugauge::stack
