// Families whose sources are not the baseline's are left out; the others are compared.
#include "baseline/other_sources.hpp"

#include <gmock/gmock.h>

#include "unit/baseline/folder.hpp"
#include "unit/baseline/selected.hpp"

namespace gpugauge::baseline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A run that measured families with sources of these hashes.
result::Run measured(const result::Facts& hashes) {
  result::Run run = make_run(0);
  run.fingerprint.suite.erase("suite.source_hash.host");
  for (const auto& [family, hash] : hashes) {
    run.fingerprint.suite["suite.source_hash." + family] = hash;
    result::Process process;
    process.family = family;
    run.processes.push_back(process);
  }
  return run;
}

std::vector<std::string> families_of(const result::Run& run) {
  std::vector<std::string> out;
  for (const result::Process& process : run.processes) out.push_back(process.family);
  return out;
}

TEST(OtherSources, AFieldNamesItsFamily) {
  EXPECT_EQ(family_of_sources("suite.source_hash.gemm"), "gemm");
  EXPECT_EQ(family_of_sources("suite.version"), "");
  EXPECT_EQ(family_of_sources("stack.source_hash.gemm"), "");
}

TEST(OtherSources, ThoseOfBothSidesCount) {
  const auto now = {measured({{"copy", "a"}, {"gemm", "b"}, {"peak", "c"}})};
  EXPECT_THAT(families_of_other_sources(now, {measured({{"copy", "a"}, {"gemm", "x"}, {"cub", "d"}})}),
              ElementsAre("gemm"));
  EXPECT_THAT(families_of_other_sources(now, now), IsEmpty());
}

TEST(OtherSources, AnyRunOfASideCounts) {
  const auto now = {measured({{"copy", "a"}, {"gemm", "b"}})};
  EXPECT_THAT(families_of_other_sources(
                  now, {measured({{"copy", "a"}, {"gemm", "b"}}), measured({{"copy", "a"}, {"gemm", "x"}})}),
              ElementsAre("gemm"));
  EXPECT_THAT(families_of_other_sources({measured({{"copy", "a"}, {"gemm", "b"}}), measured({{"gemm", "x"}})},
                                        {measured({{"copy", "a"}, {"gemm", "b"}})}),
              ElementsAre("gemm"));
}

TEST(OtherSources, WhereNothingIsLeftTheWholeIsNotComparable) {
  const auto now = {measured({{"copy", "a"}, {"gemm", "b"}})};
  EXPECT_THAT(families_of_other_sources(now, {measured({{"copy", "x"}, {"gemm", "y"}})}), IsEmpty());
  EXPECT_THAT(families_of_other_sources(now, {measured({{"copy", "x"}, {"peak", "b"}})}), IsEmpty());
}

TEST(OtherSources, ALeftOutFamilyIsGoneFromTheBaselineAndNamed) {
  Baseline pinned;
  pinned.runs = {measured({{"copy", "a"}, {"gemm", "x"}})};
  leave_out_other_sources({measured({{"copy", "a"}, {"gemm", "b"}})}, pinned);
  EXPECT_THAT(pinned.left_out, ElementsAre("gemm"));
  EXPECT_THAT(families_of(pinned.runs.front()), ElementsAre("copy"));
  EXPECT_EQ(pinned.runs.front().fingerprint.suite.count("suite.source_hash.gemm"), 0U);
  EXPECT_EQ(pinned.runs.front().fingerprint.suite.count("suite.source_hash.copy"), 1U);
  EXPECT_THAT(mismatches({measured({{"copy", "a"}, {"gemm", "b"}})}, pinned.runs), IsEmpty());
}

TEST(OtherSources, NothingIsTouchedWhereNoneDiffers) {
  Baseline pinned;
  pinned.runs = {measured({{"copy", "a"}})};
  const std::vector<result::Run> before = pinned.runs;
  leave_out_other_sources(before, pinned);
  EXPECT_THAT(pinned.left_out, IsEmpty());
  EXPECT_EQ(pinned.runs, before);
}

TEST_F(Select, OfAPartOfThisVersionTheRestIsLeftOut) {
  const auto gemm = [](const char* hash) {
    return [hash](result::Run& run) { run.fingerprint.suite["suite.source_hash.gemm"] = hash; };
  };
  pin("state/baselines/wholly_old", [](result::Run& run) {
    run.fingerprint.suite["suite.source_hash.gemm"] = "older";
    run.fingerprint.suite["suite.source_hash.host"] = "older";
  });
  pin("state/baselines/partly_old", gemm("old"));
  result::Fingerprint fingerprint = now();
  fingerprint.suite["suite.source_hash.gemm"] = "new";
  const Selection found = select({}, fingerprint);
  ASSERT_TRUE(found.baseline);
  EXPECT_EQ(found.baseline->manifest.name, "partly_old");
  EXPECT_THAT(found.baseline->left_out, ElementsAre("gemm"));
  EXPECT_THAT(found.origin, HasSubstr("Another version of GPUGauge measured it."));
  EXPECT_THAT(select(found.baseline->folder, fingerprint).baseline->left_out, ElementsAre("gemm"));

  pin("state/baselines/of_this_version", gemm("new"));
  const Selection whole = select({}, fingerprint);
  EXPECT_EQ(whole.baseline->manifest.name, "of_this_version");
  EXPECT_THAT(whole.baseline->left_out, IsEmpty());
}

}  // namespace
}  // namespace gpugauge::baseline
