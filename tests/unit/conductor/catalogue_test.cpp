// What families say of themselves.
#include "conductor/catalogue.hpp"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "result/error.hpp"

namespace gpugauge::conductor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

const run::Family family{"host", "libexec/gpugauge-bench-host"};

/// A description of one benchmark, with these members besides.
std::string described(const std::string& name, const std::string& of_family, const std::string& share) {
  return fmt::format(
      R"({{"schema": "gpugauge.definitions/1", "family": "{}"{}, "definitions": [{{"ids": ["host/copy"],
      "depths": {{"host/copy": "quick"}}, "isolates": "x", "bad_value": "y", "class": "host_memory",
      "requires": {{"gpu": false}}, "window_share": {}}}]}})",
      name, of_family, share);
}

TEST(Catalogue, TakesWhatAFamilyDescribes) {
  Catalogue made;
  add_family(family, described("host", R"(, "start_seconds": 0.5)", "2"), "its description", made);
  ASSERT_THAT(made.benchmarks, SizeIs(1));
  EXPECT_EQ(made.benchmarks[0].id, "host/copy");
  EXPECT_EQ(made.benchmarks[0].profile, "quick");
  EXPECT_EQ(made.benchmarks[0].window_share, 2);
  EXPECT_EQ(made.start_seconds.at("host"), .5);
  EXPECT_THAT(made.families, SizeIs(1));
}

TEST(Catalogue, AddsWhatABenchmarkTakesByItselfToWhatItsFamilyStates) {
  Catalogue made;
  add_family(family,
             described("host", R"(, "beside_seconds": 0.5)", R"(1, "warm_seconds": 0.3, "extra_seconds": 4)"),
             "its description", made);
  ASSERT_THAT(made.benchmarks, SizeIs(1));
  EXPECT_DOUBLE_EQ(made.benchmarks[0].beside_seconds, 4.8);
  EXPECT_FALSE(made.benchmarks[0].sustained);
}

TEST(Catalogue, KnowsWhatIsOfSustainedLoad) {
  Catalogue made;
  add_family(family, described("host", "", R"(300, "sustained": true)"), "its description", made);
  ASSERT_THAT(made.benchmarks, SizeIs(1));
  EXPECT_TRUE(made.benchmarks[0].sustained);
}

TEST(Catalogue, KnowsEveryClassOfABenchmarksMetrics) {
  Catalogue made;
  add_family(family, described("host", "", R"(1, "classes": {"host/copy": ["l2", "smem"]})"),
             "its description", made);
  ASSERT_THAT(made.benchmarks, SizeIs(1));
  EXPECT_EQ(made.benchmarks[0].metric_class, "l2");
  EXPECT_THAT(made.benchmarks[0].more_classes, ElementsAre("smem"));
  for (const char* word : {"l2", "smem", "host", "host/*"}) EXPECT_TRUE(selects(word, made.benchmarks[0]));
  for (const char* word : {"host_memory", "hbm", ""}) EXPECT_FALSE(selects(word, made.benchmarks[0]));
}

TEST(Catalogue, CountsNoTimeForWhatStandsInOnOtherGpus) {
  const auto seconds = [](const char* requirement) {
    std::string text = described("host", "", "1");
    const std::string gpu = R"("gpu": false)";
    text.replace(text.find(gpu), gpu.size(), gpu + requirement);
    Catalogue made;
    add_family(family, text, "its description", made);
    EXPECT_THAT(made.benchmarks, SizeIs(1));
    return plan_of({&made.benchmarks.front()}, run::profile("quick")).front().seconds;
  };
  EXPECT_GT(seconds(""), 1);
  EXPECT_EQ(seconds(R"(, "below_compute_capability": 0)"), seconds(""));
  EXPECT_EQ(seconds(R"(, "below_compute_capability": 80)"), 0);
  EXPECT_EQ(seconds(R"(, "instead_on": [])"), seconds(""));
  EXPECT_EQ(seconds(R"(, "instead_on": [100, 103])"), 0);
}

TEST(Catalogue, TakesTheOneClassThatAFamilyOfAnotherReleaseNames) {
  for (const char* classes :
       {"1", R"(1, "classes": 3)", R"(1, "classes": {"host/copy": "l2"})",
        R"(1, "classes": {"host/copy": [4]})", R"(1, "classes": {"host/triad": ["l2"]})"}) {
    Catalogue made;
    add_family(family, described("host", "", classes), "its description", made);
    ASSERT_THAT(made.benchmarks, SizeIs(1)) << classes;
    EXPECT_EQ(made.benchmarks[0].metric_class, "host_memory") << classes;
    EXPECT_THAT(made.benchmarks[0].more_classes, IsEmpty()) << classes;
  }
}

TEST(Catalogue, TakesNothingOfAFamilyThatIsRefused) {
  const auto refused = [](const std::string& text, const char* why) {
    Catalogue made;
    EXPECT_THAT([&] { add_family(family, text, "its description", made); },
                ThrowsMessage<result::FormatError>(HasSubstr(why)))
        << text;
    EXPECT_THAT(made.benchmarks, IsEmpty());
    EXPECT_THAT(made.families, IsEmpty());
    EXPECT_THAT(made.start_seconds, IsEmpty());
  };
  refused("{", "its description");
  refused(described("gemm", "", "1"), "it has the wrong name");
  refused(described("host", "", "-1"), "host: definitions[0].window_share: is -1; it must be 0 to 86400");
  refused(described("host", "", "1e308"), "window_share: is 1e+308");
  refused(described("host", R"(, "start_seconds": -2)", "1"), "start_seconds: is -2");
  refused(described("host", R"(, "beside_seconds": 1e9)", "1"), "beside_seconds: is");
  refused(described("host", "", R"(1, "warm_seconds": -0.3)"), "warm_seconds: is -0.3");
  refused(described("host", "", R"(1, "extra_seconds": -1)"), "extra_seconds: is -1");
}

}  // namespace
}  // namespace gpugauge::conductor
