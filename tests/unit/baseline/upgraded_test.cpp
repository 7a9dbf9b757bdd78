// GPUGauge was upgraded, and the baselines were measured by the version before.
#include <gmock/gmock.h>

#include "baseline/baseline.hpp"
#include "baseline/fields.hpp"
#include "result/time.hpp"
#include "selected.hpp"

namespace gpugauge::baseline {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void of_old_suite(result::Run& run) {
  run.fingerprint.suite["suite.source_hash.host"] = "0d";
}

TEST_F(Select, AnUpgradedSuiteStillFindsTheOldBaselineAndSaysSo) {
  pin("state/baselines/old", of_old_suite);
  const Selection found = select({}, now(), "host");
  ASSERT_TRUE(found.baseline) << "what a device is compared with does not go without a word";
  EXPECT_EQ(found.baseline->manifest.name, "old");
  EXPECT_THAT(found.origin, HasSubstr("own baseline old (1 round from "));
  EXPECT_THAT(found.origin, HasSubstr("Another version of GPUGauge measured it."));
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_FALSE(mismatches(now(), found.baseline->runs.front().fingerprint).empty());
}

TEST_F(Select, ANewImageBringsOtherLibrariesToo) {
  pin("state/baselines/old", [](result::Run& run) {
    of_old_suite(run);
    run.fingerprint.stack["driver.version"] = "550.1";
  });
  EXPECT_TRUE(select({}, now(), "host").baseline);
}

TEST_F(Select, OfAnotherSuiteCountsOnlyWhatWouldHaveBeenUsed) {
  pin("state/baselines/other", [](result::Run& run) {
    of_old_suite(run);
    run.device = "GPU-1";
  });
  pin("state/baselines/cpu", [](result::Run& run) {
    of_old_suite(run);
    run.fingerprint.device["host.cpu_model"] = "Y";
  });
  pin("state/baselines/deep", [](result::Run& run) {
    of_old_suite(run);
    run.profile = "deep";
    run.fingerprint.suite["suite.profile"] = "deep";
  });
  const fs::path retired = pin("state/baselines/retired", of_old_suite);
  append_log(retired, {{result::utc_now(), "me", "old suite", State::retired, std::nullopt}});
  const fs::path candidate = pin("state/baselines/candidate", of_old_suite);
  append_log(candidate, {{result::utc_now(), "me", "not yet", State::candidate, std::nullopt}});
  pin("shipped/NVIDIA X/quick", of_old_suite);
  EXPECT_FALSE(select({}, now(), "host").baseline);
}

/// Whoever imported it wants nodes held against it.
TEST_F(Select, OneOfTheSiteThatAnotherVersionMeasuredIsFoundAfterTheNodesOwn) {
  pin("state/site/golden", of_old_suite);
  const Selection found = select({}, now(), "host");
  ASSERT_TRUE(found.baseline);
  EXPECT_TRUE(found.baseline->other_node);
  EXPECT_THAT(found.origin, HasSubstr("this site's baseline golden"));
  EXPECT_THAT(found.origin, HasSubstr("Another version of GPUGauge measured it."));
  pin("state/baselines/old", of_old_suite);
  const Selection own = select({}, now(), "host");
  EXPECT_EQ(own.baseline->manifest.name, "old");
  EXPECT_THAT(own.problems, ElementsAre(HasSubstr("another version of GPUGauge measured it")));
  pin("state/baselines/new");
  EXPECT_THAT(select({}, now(), "host").problems, IsEmpty());
}

TEST_F(Select, WhyOneOfTheSiteDoesNotFitIsSaidWhereNothingElseDoes) {
  pin("state/site/golden", [](result::Run& run) { run.fingerprint.stack["driver.version"] = "550.1"; });
  pin("state/site/model", [](result::Run& run) { run.fingerprint.device["host.cpu_model"] = "Y"; });
  pin("state/site/deep", [](result::Run& run) { run.fingerprint.suite["suite.profile"] = "deep"; });
  const Selection none = select({}, now(), "host");
  EXPECT_FALSE(none.baseline);
  EXPECT_THAT(none.problems,
              ElementsAre(AllOf(HasSubstr("golden was not used"), HasSubstr("driver.version differ"))));
  pin("shipped/NVIDIA X/quick");
  EXPECT_THAT(select({}, now(), "host").problems, IsEmpty());
}

TEST_F(Select, OneOfThisSuiteComesFirstWhereverItIs) {
  pin("state/baselines/old", of_old_suite, "2999-01-01T00:00:00Z");
  pin("shipped/NVIDIA X/quick");
  const Selection shipped = select({}, now(), "host");
  EXPECT_THAT(shipped.origin, HasSubstr("ships with GPUGauge"));
  EXPECT_THAT(shipped.problems, ElementsAre(HasSubstr("another version of GPUGauge measured it")));
  pin("state/site/golden");
  EXPECT_THAT(select({}, now(), "host").origin, HasSubstr("this site's baseline golden"));
  pin("state/baselines/stack", [](result::Run& run) { run.fingerprint.stack["driver.version"] = "550.1"; });
  EXPECT_EQ(select({}, now(), "host").baseline->manifest.name, "stack") << "it can be declared";
  pin("state/baselines/new");
  const Selection own = select({}, now(), "host");
  EXPECT_EQ(own.baseline->manifest.name, "new");
  EXPECT_THAT(own.problems, IsEmpty()) << "an older one that another replaced is nobody's concern";
}

TEST_F(Select, AnotherHostsOldBaselineInASharedHomeIsNoneOfThisOnes) {
  result::Fingerprint here = now();
  here.device[std::string(host_identity_fact)] = "aa";
  pin("state/baselines/other", [](result::Run& run) {
    of_old_suite(run);
    run.fingerprint.device[std::string(host_identity_fact)] = "bb";
  });
  const Selection found = select({}, here, "host");
  EXPECT_FALSE(found.baseline);
  EXPECT_THAT(found.problems, ElementsAre(HasSubstr("another version of GPUGauge measured it")));
  pin("state/baselines/own", [](result::Run& run) {
    of_old_suite(run);
    run.fingerprint.device[std::string(host_identity_fact)] = "aa";
  });
  EXPECT_EQ(select({}, here, "host").baseline->manifest.name, "own");
}

TEST_F(Select, ADamagedOneOfAnotherSuiteIsMissedOnlyWhereItWouldHaveBeenFound) {
  const fs::path old = temporary.path() / "state/baselines/old";
  std::vector<result::Run> runs{make_run(0), make_run(1)};
  for (result::Run& run : runs) of_old_suite(run);
  create(old, "old", runs);
  fs::resize_file(old / "runs" / (run_id(0) + ".json"), 100);
  EXPECT_NE(select({}, now(), "host").damaged, "");
  pin("state/baselines/new");
  EXPECT_EQ(select({}, now(), "host").damaged, "");
}

}  // namespace
}  // namespace gpugauge::baseline
