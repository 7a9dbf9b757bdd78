#include "judge/baseline_change.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// Five rounds that are this slow, of other days than make_baseline's.
baseline::Baseline rounds_of(const Slowness& slow) {
  baseline::Baseline out;
  out.manifest.device = "host";
  for (std::uint64_t seed = 300; seed < 305; ++seed) out.runs.push_back(make_run(seed, slow));
  return out;
}

TEST(BaselineChange, OfTheSameMachineIsSmallAndSaid) {
  const BaselineChange change = change_between(make_baseline(10), rounds_of({}));
  EXPECT_EQ(change.metrics, 3U);
  EXPECT_FALSE(change.is_slower());
  EXPECT_THAT(in_words(change), HasSubstr("of 3 metrics, by class: host_"));
  EXPECT_THAT(in_words(change), Not(HasSubstr("worst")));
}

TEST(BaselineChange, NamesWhatIsSlowerThanWhatItReplaces) {
  const BaselineChange change = change_between(make_baseline(10), rounds_of({.triad = 1.4}));
  EXPECT_TRUE(change.is_slower());
  ASSERT_THAT(change.slower, SizeIs(1));
  EXPECT_EQ(change.slower.front().metric, triad);
  EXPECT_NEAR(change.slower.front().change, 1 - 1 / 1.4, .03) << "of a bandwidth";
  EXPECT_THAT(in_words(change), HasSubstr("; worst: " + triad + " (2"));
  EXPECT_THAT(in_words(change), ContainsRegex("by class: host_memory 1[0-9.]+% longer or 1[0-9.]+% less,"));
}

TEST(BaselineChange, FasterRoundsAreNoLoss) {
  const BaselineChange change = change_between(make_baseline(10), rounds_of({.triad = .5}));
  EXPECT_FALSE(change.is_slower());
  EXPECT_THAT(in_words(change), HasSubstr("shorter"));
}

TEST(BaselineChange, HasNothingToSayWhereNothingIsInCommon) {
  baseline::Baseline other = make_baseline(5);
  for (result::Run& run : other.runs) run.processes.clear();
  EXPECT_EQ(in_words(change_between(make_baseline(10), other)), "no metric in common");
}

}  // namespace
}  // namespace gpugauge::judge
