// Whose verdict ages, and whose does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kept_verdicts.hpp"

namespace gpugauge::judge {
namespace {

using testing::HasSubstr;

TEST(Status, AgeCountsAndATimeInTheFutureIsNone) {
  StatusRequest request;
  request.most_seconds = 2 * 3600;
  Status found = judge_status(all_pass(), two_gpus(), request);
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("older than"));
  request.most_seconds = 4 * 3600;
  EXPECT_EQ(judge_status(all_pass(), two_gpus(), request).outcome.code, ExitCode::pass);
  Present now = two_gpus();
  now.unix_seconds = noon - 4 * 3600;
  EXPECT_THAT(judge_status(all_pass(), now, {}).devices[0].reason, HasSubstr("in the future"));
  auto kept = all_pass();
  kept[0].verdict.finished = "yesterday";
  EXPECT_THAT(judge_status(kept, two_gpus(), {}).devices[0].reason, HasSubstr("cannot be read"));
}

TEST(Status, AFailureOfThisBootDoesNotAge) {
  StatusRequest request;
  request.most_seconds = 2 * 3600;
  auto kept = all_pass();
  kept[0].verdict = verdict_of(first_gpu, 0, ExitCode::regressed);
  Status found = judge_status(kept, two_gpus(), request);
  EXPECT_EQ(found.outcome.code, ExitCode::regressed) << "nobody cleared it";
  EXPECT_THAT(found.devices[0].against, testing::IsEmpty());
  EXPECT_EQ(found.devices[0].age_seconds, 3 * 3600.0);
  EXPECT_EQ(found.devices[1].code, ExitCode::cannot_judge) << "a pass does";
  // The clock was set right after it.
  Present now = two_gpus();
  now.unix_seconds = noon - 4 * 3600;
  EXPECT_EQ(judge_status(kept, now, {}).devices[0].code, ExitCode::regressed);
  now = two_gpus();
  now.boot_id = "another";
  EXPECT_EQ(judge_status(kept, now, request).outcome.code, ExitCode::cannot_judge);
  now = two_gpus();
  now.driver_version = "590.10.01";
  found = judge_status(kept, now, request);
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices[0].against, testing::ElementsAre(HasSubstr("590.10.01 now")));
  kept.push_back(kept.front());
  kept.back().verdict.device = "node";
  kept[0] = all_pass()[0];
  EXPECT_EQ(judge_status(kept, two_gpus(), request).outcome.code, ExitCode::regressed)
      << "nor does the node's";
}

}  // namespace
}  // namespace gpugauge::judge
