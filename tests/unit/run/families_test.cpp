#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_family.hpp"
#include "result/error.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Families, AreFoundByNameInOrder) {
  const Fakes fakes;
  fakes.script("gpugauge-bench-zeta", "");
  fakes.script("gpugauge-bench-alpha", "");
  fakes.script("gpugauge-bench-", "");
  fakes.script("something", "");
  std::filesystem::create_directory(fakes.path() / "gpugauge-bench-folder");
  setenv("GPUGAUGE_LIBEXEC", fakes.path().c_str(), 1);
  const auto families = find_families();
  unsetenv("GPUGAUGE_LIBEXEC");
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].name, "alpha");
  EXPECT_EQ(families[1].name, "zeta");
  EXPECT_EQ(families[1].executable, fakes.path() / "gpugauge-bench-zeta");
  EXPECT_THAT(find_families(fakes.path() / "none"), IsEmpty());
}

TEST(Families, DescribeThemselves) {
  const Fakes fakes;
  EXPECT_EQ(describe_family(fakes.family("good", "echo warning >&2; echo \"$@\"")), "--gpugauge_describe\n");
  const auto error = [](const Family& family) -> std::string {
    try {
      describe_family(family, .3);
    } catch (const result::FileError& fault) {
      return fault.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(fakes.family("bad", "echo reason >&2; exit 2")),
            "gpugauge-bench-bad ended with exit code 2 when asked to describe itself; it said: reason");
  EXPECT_THAT(error(fakes.family("slow", "sleep 100")), HasSubstr("exceeded its time limit"));
  EXPECT_THAT(error({"gone", fakes.path() / "gone"}), HasSubstr("does not exist"));
}

TEST(Profiles, AreThoseThatTheDocumentationNames) {
  EXPECT_EQ(profile("smoke").processes, 1);
  EXPECT_EQ(profile("smoke").window_seconds, .5);
  EXPECT_EQ(profile("quick").processes, 3);
  EXPECT_EQ(profile("standard").processes, 5);
  EXPECT_EQ(profile("standard").window_seconds, 1);
  EXPECT_EQ(profile("quick").budget_seconds, 60);
  EXPECT_EQ(profile("standard").own_processes, 5);
  EXPECT_EQ(profile("deep").own_processes, 3);
  try {
    profile("fast");
    FAIL() << "no error";
  } catch (const result::UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "there is no profile 'fast'; there are smoke, quick, standard, deep, exhaustive");
  }
  EXPECT_EQ(profile("deep").processes, 5);
  EXPECT_EQ(profile("deep").window_seconds, 1);
  EXPECT_GT(profile("deep").limit_seconds, profile("standard").limit_seconds);
  for (int depth = 0; const char* name : {"smoke", "quick", "standard", "deep", "exhaustive"})
    EXPECT_EQ(depth_of(name), depth++) << name;
  EXPECT_THROW(depth_of("fast"), result::UsageError);
  EXPECT_EQ(profiles_deeper_than("standard"), (std::vector<std::string>{"deep", "exhaustive"}));
  EXPECT_TRUE(profiles_deeper_than("fast").empty());
}
}  // namespace
}  // namespace gpugauge::run
