// What going back tells of a change (A/B/A): the probe that it makes, and the cause that is named with it.
#include "conductor/going_back.hpp"

#include <gmock/gmock.h>

#include "conductor/upgrade.hpp"
#include "unit/judge/runs.hpp"

namespace gpugauge::conductor {
namespace {

using judge::Slowness;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t before = 1, changed = 20, again = 40;

class GoingBack : public testing::Test {
 protected:
  std::vector<result::Run> stack(std::uint64_t seed, const Slowness& slow, const result::Facts& versions) {
    std::vector<result::Run> out;
    for (std::uint64_t i = 0; i < 5; ++i) {
      out.push_back(judge::make_run(seed + i, slow));
      out.back().fingerprint.stack = versions;
    }
    return out;
  }

  report::DeviceReport judged(const std::vector<result::Run>& then, const std::vector<result::Run>& now) {
    CountedRounds rounds;
    for (const result::Run& run : now) rounds.rounds.push_back({run, run.id + ".json", 1});
    return judge_upgrade(then, rounds, {}, {}, false);
  }

  /// How slow the new stack and the old one after it are.
  std::optional<report::GoingBack> told(const Slowness& with_new, const Slowness& with_old_again) {
    const auto first = stack(before, {}, old_);
    const auto middle = stack(changed, with_new, new_);
    const auto last = stack(again, with_old_again, old_);
    auto both = first;
    both.insert(both.end(), last.begin(), last.end());
    return going_back({judged(first, middle), judged(both, middle), judged(first, last)});
  }

  static std::string cause(const report::GoingBack& told) {
    return told.diagnosis.findings.empty() ? "" : told.diagnosis.findings.front().cause;
  }

  result::Facts old_{{"driver.version", "570.86.15"}, {"driver.libcuda_version", "570.86.15"}};
  result::Facts new_{{"driver.version", "580.65.06"}, {"driver.libcuda_version", "580.65.06"}};
};

TEST_F(GoingBack, ThatRecoversIsTheProofOfADriver) {
  const auto answer = told({1.2, 1.2, 1.2}, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, "recovers");
  EXPECT_THAT(answer->sentence,
              HasSubstr("Going back recovers: of 3 verdicts against the new stack 3 are gone"));
  EXPECT_THAT(answer->observation.probes,
              ElementsAre(diagnose::Probe{"same_binary_old_driver", "recovers", "driver=570.86.15"}));
  EXPECT_EQ(cause(*answer), "driver_regression");
  EXPECT_DOUBLE_EQ(answer->diagnosis.findings.front().score, .844);
}

TEST_F(GoingBack, ThatChangesNothingClearsTheDriver) {
  const auto answer = told({1.2, 1.2, 1.2}, {1.2, 1.2, 1.2});
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->observation.probes,
              ElementsAre(diagnose::Probe{"same_binary_old_driver", "no_change", "driver=570.86.15"}));
  EXPECT_EQ(cause(*answer), "false_attribution");
  EXPECT_DOUBLE_EQ(answer->diagnosis.findings.front().score, .85);
}

TEST_F(GoingBack, ThatHelpsHalfTellsNothing) {
  for (const Slowness& left : {Slowness{1.1, 1.1, 1.1}, Slowness{1, 1.2, 1}}) {
    const auto answer = told({1.2, 1.2, 1.2}, left);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->outcome, "");
    EXPECT_THAT(answer->sentence, HasSubstr("Whether going back recovers cannot be told"));
    EXPECT_THAT(answer->observation.probes, IsEmpty());
    EXPECT_THAT(answer->diagnosis.findings, IsEmpty());
  }
}

TEST_F(GoingBack, TellsNothingOfWhatWasNoSlower) {
  EXPECT_FALSE(told({}, {}));
  EXPECT_FALSE(told({}, {1.2, 1.2, 1.2}));
  new_ = old_;
  EXPECT_FALSE(told({1.2, 1.2, 1.2}, {})) << "no component changed";
}

TEST_F(GoingBack, OfOneLibraryNamesItsVersion) {
  old_["nccl.version"] = "2.25.1";
  new_ = old_;
  new_["nccl.version"] = "2.27.3";
  const auto answer = told({1.2, 1.2, 1.2}, {});
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->observation.probes,
              ElementsAre(diagnose::Probe{"change_version", "recovers", "nccl=2.25.1"}));
}

TEST_F(GoingBack, OfSeveralAtOnceBlamesNoneAndClearsAll) {
  old_["nccl.version"] = "2.25.1";
  new_["nccl.version"] = "2.27.3";
  const auto recovers = told({1.2, 1.2, 1.2}, {});
  ASSERT_TRUE(recovers);
  EXPECT_THAT(recovers->observation.probes,
              ElementsAre(diagnose::Probe{"change_version", "recovers", "stack=as before"}));
  EXPECT_EQ(cause(*recovers), "stack_upgrade_mixed");
  EXPECT_THAT(recovers->diagnosis.findings.front().evidence, testing::Contains(HasSubstr("stack=as before")));
  const auto stays = told({1.2, 1.2, 1.2}, {1.2, 1.2, 1.2});
  ASSERT_TRUE(stays);
  EXPECT_THAT(stays->observation.probes,
              ElementsAre(diagnose::Probe{"change_version", "no_change", "driver=570.86.15"},
                          diagnose::Probe{"change_version", "no_change", "nccl=2.25.1"}));
  EXPECT_EQ(cause(*stays), "false_attribution");
}

TEST_F(GoingBack, TakesAFailureThatIsGoneForRecovery) {
  const auto first = stack(before, {}, old_);
  auto middle = stack(changed, {}, new_);
  for (result::Run& run : middle)
    judge::change(run, "host/triad", [](result::BenchmarkResult& found) {
      found.status = result::Status::failed;
      found.reason = "the sum differs";
      found.metrics.clear();
    });
  const auto last = stack(again, {}, old_);
  auto both = first;
  both.insert(both.end(), last.begin(), last.end());
  const auto answer = going_back({judged(first, middle), judged(both, middle), judged(first, last)});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, "recovers") << answer->sentence;
}

}  // namespace
}  // namespace gpugauge::conductor
