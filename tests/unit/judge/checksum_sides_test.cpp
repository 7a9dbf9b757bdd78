#include "judge/checksum_sides.hpp"

#include <gmock/gmock.h>

#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A run whose processes made these checksums, one each.
result::Run summed(const std::vector<std::string>& sums, const std::string& model = "NVIDIA H200") {
  result::Run run = make_run(1, {}, static_cast<int>(sums.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    run.processes[i].samples->context = {{"gpu.name", model}, {"gpu.compute_capability", "9.0"}};
    run.processes[i].samples->benchmarks[0].notes = {{"checksum", sums[i]}};
  }
  return run;
}

TEST(ChecksumSides, AgainstEarlierRunsCountOnTheSameModelFromTheSameSources) {
  const std::vector<result::Run> now{summed({"bb", "bb", "aa"})};
  const auto verdicts = judge_checksums_against(now, {summed({"aa", "aa"}), summed({"aa"})});
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].judge, Judge::baseline);
  EXPECT_THAT(verdicts[0].reason, HasSubstr("checksum bb now, aa before"));
  EXPECT_THAT(judge_checksums_against(now, {summed({"bb"})}), IsEmpty());
  EXPECT_THAT(judge_checksums_against(now, {summed({"aa"}, "NVIDIA A100")}), IsEmpty());
  std::vector<result::Run> other{summed({"aa"})};
  other[0].processes[0].samples->source_hash = "cd";
  EXPECT_THAT(judge_checksums_against(now, other), IsEmpty());
  std::vector<result::Run> another_toolkit{summed({"aa"})};
  another_toolkit[0].fingerprint.stack["cuda.runtime"] = "13.0";
  EXPECT_THAT(judge_checksums_against(now, another_toolkit), IsEmpty());
}

TEST(ChecksumSides, BetweenGpusNameTheOneThatIsNotLikeMost) {
  const auto verdicts = judge_checksums_between({{"GPU 0", {summed({"aa"})}},
                                                 {"GPU 1", {summed({"bb", "bb"})}},
                                                 {"GPU 2", {summed({"aa"})}},
                                                 {"GPU 3", {summed({"cc"}, "NVIDIA A100")}}});
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_THAT(verdicts[0].reason,
              HasSubstr("3 GPUs of one model computed the same work and most agree but for: "
                        "GPU 1 (bb)"));
  EXPECT_THAT(verdicts[0].reason, Not(HasSubstr("GPU 3")));
  const auto even = judge_checksums_between({{"GPU 0", {summed({"aa"})}}, {"GPU 1", {summed({"bb"})}}});
  ASSERT_EQ(even.size(), 1U);
  EXPECT_THAT(even[0].reason, HasSubstr("do not agree on the checksum: GPU 0 (aa), GPU 1 (bb)"));
}

}  // namespace
}  // namespace gpugauge::judge
