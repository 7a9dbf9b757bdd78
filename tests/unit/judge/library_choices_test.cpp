#include "judge/library_choices.hpp"

#include <gmock/gmock.h>

#include "judge/before_after.hpp"
#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* nvjet = "nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NNT";
constexpr const char* sgemm = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x128x8";

/// A run whose processes noted this of the benchmark of `latency`, one each.
result::Run noted(const std::vector<result::Facts>& notes) {
  result::Run run = make_run(1, {}, static_cast<int>(notes.size()));
  for (std::size_t i = 0; i < notes.size(); ++i) run.processes[i].samples->benchmarks[0].notes = notes[i];
  return run;
}

Verdict slower(const std::string& metric = latency) {
  Verdict verdict;
  verdict.kind = VerdictKind::regressed;
  verdict.metric = metric;
  verdict.change = .2;
  verdict.reason = "20% worse";
  return verdict;
}

std::string reason(const std::vector<result::Facts>& before, const std::vector<result::Facts>& now,
                   Verdict verdict = slower()) {
  std::vector<Verdict> verdicts{std::move(verdict)};
  tell_library_choices({noted(before)}, {noted(now)}, verdicts);
  return verdicts[0].reason;
}

TEST(LibraryChoices, AnotherKernelStandsInTheReason) {
  EXPECT_EQ(reason({{{"kernel", nvjet}, {"numerics", "tf32"}}}, {{{"kernel", sgemm}, {"numerics", "fp32"}}}),
            std::string("20% worse; kernel ") + sgemm + ", before " + nvjet + "; numerics fp32, before tf32");
  EXPECT_EQ(reason({{{"kernel", nvjet}, {"accumulation", "precise"}}},
                   {{{"kernel", nvjet}, {"accumulation", "fast"}}}),
            "20% worse; accumulation fast, before precise");
  EXPECT_EQ(reason({{{"nccl.transport", "p2p"}, {"nccl.algorithm", "RING"}}},
                   {{{"nccl.transport", "socket"}, {"nccl.algorithm", "RING"}}}),
            "20% worse; NCCL's transport socket, before p2p");
}

TEST(LibraryChoices, OneThatSomeProcessOfTheOtherSideMadeTooIsNoChange) {
  EXPECT_EQ(reason({{{"kernel", nvjet}}, {{"kernel", sgemm}}}, {{{"kernel", sgemm}}}), "20% worse");
  EXPECT_EQ(reason({{{"kernel", nvjet}}}, {{}}), "20% worse");
  EXPECT_EQ(reason({{{"kernel", nvjet}}}, {{{"kernel", ""}}}), "20% worse");
}

TEST(LibraryChoices, OfSeveralTheUsualOneIsNamed) {
  EXPECT_THAT(reason({{{"kernel", "a"}}, {{"kernel", "b"}}, {{"kernel", "b"}}}, {{{"kernel", "c"}}}),
              EndsWith("; kernel c, before b"));
}

TEST(LibraryChoices, TheAlgorithmIsToldWhereTheKernelIsTheSame) {
  const result::Facts first{{"kernel", nvjet}, {"candidate_first", "cuBLASLt algorithm 66, split-k 1"}};
  result::Facts other = first;
  other["candidate_first"] = "cuBLASLt algorithm 66, split-k 4";
  EXPECT_EQ(reason({first}, {other}),
            "20% worse; algorithm cuBLASLt algorithm 66, split-k 4, before cuBLASLt algorithm 66, split-k 1");
  other["kernel"] = sgemm;
  EXPECT_THAT(reason({first}, {other}), Not(HasSubstr("algorithm")));
}

TEST(LibraryChoices, OfTheBestCandidateItsOwnKernelCounts) {
  const std::vector<result::Facts> before{{{"kernel", "a"}, {"kernel_best", "b"}}};
  const Verdict best = slower("host/latency:latency_best");
  EXPECT_EQ(reason(before, {{{"kernel", "c"}, {"kernel_best", "b"}}}, best), "20% worse");
  EXPECT_EQ(reason(before, {{{"kernel", "a"}, {"kernel_best", "c"}}}, best), "20% worse; kernel c, before b");
  EXPECT_EQ(reason(before, {{{"kernel", "a"}}}, best), "20% worse; kernel a, before b")
      << "where the first is the best, it is noted once";
}

TEST(LibraryChoices, LongNamesAreShownFromWhereTheyDiffer) {
  const std::string common(300, 'x');
  EXPECT_EQ(reason({{{"kernel", common + "Policy900"}}}, {{{"kernel", common + "Policy1000"}}}),
            "20% worse; kernel ...xxxxxxxxxxxxxxPolicy1000, before ...xxxxxxxxxxxxxxPolicy900");
}

TEST(LibraryChoices, WhereNoChangeIsToldARemarkNamesTheBenchmarks) {
  Verdict fine = slower();
  fine.kind = VerdictKind::ok;
  std::vector<Verdict> verdicts{fine};
  EXPECT_THAT(
      tell_library_choices({noted({{{"kernel", "a"}}})}, {noted({{{"kernel", "b"}}})}, verdicts),
      ElementsAre("The libraries chose another kernel or algorithm than before for 1 benchmark of which "
                  "no change is told: host/latency."));
  EXPECT_EQ(verdicts[0].reason, "20% worse");
  verdicts[0].kind = VerdictKind::regressed;
  EXPECT_THAT(tell_library_choices({noted({{{"kernel", "a"}}})}, {noted({{{"kernel", "b"}}})}, verdicts),
              IsEmpty());
}

TEST(LibraryChoices, BothJudgesOfEarlierRunsTellThem) {
  std::vector<result::Run> before, after;
  for (std::uint64_t i = 0; i < 5; ++i) {
    before.push_back(make_run(i));
    after.push_back(make_run(100 + i, {.latency = 1.3}));
    for (result::Process& process : before.back().processes)
      process.samples->benchmarks[0].notes["kernel"] = "a";
    for (result::Process& process : after.back().processes)
      process.samples->benchmarks[0].notes["kernel"] = "b";
  }
  baseline::Baseline baseline;
  baseline.runs = before;
  const auto told = [](const std::vector<Verdict>& verdicts) {
    for (const Verdict& verdict : verdicts)
      if (verdict.metric == latency) return verdict.reason;
    return std::string();
  };
  EXPECT_THAT(told(judge_baseline({after[0], after[1]}, baseline).verdicts),
              HasSubstr("; kernel b, before a"));
  EXPECT_THAT(told(judge_before_after(before, after, {}).verdicts), HasSubstr("; kernel b, before a"));
}

}  // namespace
}  // namespace gpugauge::judge
