// Two sides as the command judges them: what was not measured, and what was cut short, is said.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conductor/conductor.hpp"
#include "conductor/differences.hpp"
#include "result/google_benchmark.hpp"
#include "unit/judge/runs.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;

std::vector<result::Run> side(std::uint64_t seed, int runs) {
  std::vector<result::Run> out;
  out.reserve(static_cast<std::size_t>(runs));
  for (int i = 0; i < runs; ++i) out.push_back(judge::make_run(seed + static_cast<std::uint64_t>(i)));
  return out;
}

/// A family whose library is missing, in every process.
void without_library(result::Run& run) {
  result::Process process;
  process.family = "cublas";
  process.status = result::Status::unavailable;
  process.reason = "libcublas.so.13 is not there";
  run.processes.push_back(process);
}

TEST(JudgeSides, HealthySidesPass) {
  const report::DeviceReport device = judge_sides(side(1, 5), side(50, 5), {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
}

TEST(JudgeSides, AFamilyThatWasNotMeasuredIsNoPass) {
  std::vector<result::Run> before = side(1, 5);
  std::vector<result::Run> after = side(50, 5);
  for (result::Run& run : before) without_library(run);
  for (result::Run& run : after) without_library(run);
  const report::DeviceReport device = judge_sides(before, after, {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(device.outcome.sentence, HasSubstr("cublas (libcublas.so.13 is not there)"));
}

TEST(JudgeSides, AFamilyThatAnyRunOfTheNewSideDidNotMeasureIsNoPass) {
  std::vector<result::Run> after = side(50, 3);
  without_library(after[1]);
  without_library(after[2]);
  const report::DeviceReport device = judge_sides(side(1, 3), after, {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge) << device.outcome.sentence;
  EXPECT_THAT(device.outcome.sentence, HasSubstr("1 family was not measured: cublas"));
}

TEST(JudgeSides, APartialRunIsNoPassOnTheNewSideAndSaidOfTheOldOne) {
  std::vector<result::Run> partial = side(1, 5);
  partial[1].complete = false;
  partial[1].partial_reason = "interrupted";
  EXPECT_EQ(judge_sides(side(50, 5), partial, {}, false).outcome.code, judge::ExitCode::cannot_judge);
  const report::DeviceReport device = judge_sides(partial, side(50, 5), {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::pass) << device.outcome.sentence;
  EXPECT_THAT(device.remarks, Contains(HasSubstr("1 of 5 runs before are partial")));
}

TEST(JudgeSides, AnotherModelIsNothingThatCouldBeDeclared) {
  std::vector<result::Run> other = side(50, 5);
  for (result::Run& run : other) run.fingerprint.device["gpu.0.name"] = "NVIDIA H100";
  const report::DeviceReport device = judge_sides(side(1, 5), other, {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(device.remarks, Contains(HasSubstr("measure both sides alike")));
  EXPECT_THAT(device.remarks, testing::Not(Contains(HasSubstr("--treatment"))));
  EXPECT_THAT(device.outcome.sentence,
              testing::MatchesRegex("cannot judge: not comparable with the side before: "
                                    "device[.]gpu[.]0[.]name [(]NVIDIA H100 now, .* then[)]; another device, "
                                    "profile or suite is another measurement: measure both sides alike"));
}

TEST(JudgeSides, TheLastLineNamesWhatDiffersAndWhatToDeclare) {
  std::vector<result::Run> after = side(50, 5);
  for (result::Run& run : after) {
    run.fingerprint.stack["driver.version"] = "590";
    run.fingerprint.stack["driver.kernel_module_version"] = "590";
    run.fingerprint.stack["cublas.version"] = "13.2";
  }
  const judge::Outcome undeclared = judge_sides(side(1, 5), after, {}, false).outcome;
  EXPECT_EQ(undeclared.code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(undeclared.sentence,
              testing::MatchesRegex("cannot judge: not comparable with the side before: .*; declare with "
                                    "--treatment cublas --treatment driver what was changed on purpose"));
  judge::Policy declared;
  declared.treatment = {"cublas", "driver"};
  EXPECT_EQ(judge_sides(side(1, 5), after, declared, false).outcome.code, judge::ExitCode::pass);
}

TEST(Declared, AWordIsAsShortAsItCovers) {
  const auto said = [](const char* field) { return what_then({{}, {{field, "a", "b"}}}, "no"); };
  EXPECT_EQ(said("stack.driver.version"), "Declare with --treatment driver what was changed on purpose.");
  EXPECT_EQ(said("device.host.name"), "Declare with --treatment host.name what was changed on purpose.");
  EXPECT_EQ(said("settings.gpu.0.power_limit_w"),
            "Declare with --treatment settings.gpu.0.power_limit_w what was changed on purpose.");
  EXPECT_EQ(said("device.gpu.0.name"), "Another device, profile or suite is another measurement: no.");
  EXPECT_EQ(said("suite.profile"), "Another device, profile or suite is another measurement: no.");
}

TEST(JudgeSides, ABenchmarkIsNotComparedWithItsFormerSelf) {
  std::vector<result::Run> before = side(1, 5);
  std::vector<result::Run> after = side(50, 5);
  // The first run before measured another family alone, and so lacks the hash.
  result::Run gemm = before.front();
  gemm.id.back() = 'X';
  gemm.fingerprint.suite.erase("suite.source_hash.host");
  gemm.fingerprint.suite["suite.source_hash.gemm"] = "cd";
  gemm.processes.clear();
  before.insert(before.begin(), gemm);
  EXPECT_EQ(judge_sides(before, after, {}, false).outcome.code, judge::ExitCode::pass);
  for (result::Run& run : after) run.fingerprint.suite["suite.source_hash.host"] = "ef";
  const report::DeviceReport device = judge_sides(before, after, {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(device.remarks,
              Contains(HasSubstr("the sources of the family host differ: another version of GPUGauge")));
}

/// The same rounds with a second family, whose sources have this hash.
std::vector<result::Run> with_gemm(std::vector<result::Run> runs, const std::string& hash, double slow) {
  for (result::Run& run : runs) {
    std::vector<result::Process> more = run.processes;
    for (result::Process& process : more) {
      process.family = "gemm";
      process.samples->family = "gemm";
      process.samples->source_hash = hash;
      for (result::BenchmarkResult& benchmark : process.samples->benchmarks) {
        benchmark.id.replace(0, 4, "gemm");
        for (result::Metric& metric : benchmark.metrics)
          metric.value *= metric.better == result::Direction::lower ? slow : 1 / slow;
      }
      process.order += static_cast<int>(run.processes.size());
    }
    run.processes.insert(run.processes.end(), more.begin(), more.end());
    run.fingerprint.suite["suite.source_hash.gemm"] = hash;
  }
  return runs;
}

TEST(JudgeSides, FamiliesThatDidNotChangeAreComparedAlthoughOthersDid) {
  const std::vector<result::Run> before = with_gemm(side(1, 5), "cd", 1);
  const report::DeviceReport device = judge_sides(before, with_gemm(side(50, 5), "ef", 2), {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge) << device.outcome.sentence;
  EXPECT_THAT(device.outcome.sentence,
              testing::MatchesRegex(
                  "cannot judge: not wholly comparable with the side before: the sources of the family gemm "
                  "differ: another version of GPUGauge; measure both sides alike; apart from that 3 of 3 "
                  "metrics within tolerance.*"));
  EXPECT_THAT(device.remarks, Contains(HasSubstr("Not held against the side before: what the family gemm "
                                                 "measured")));
  EXPECT_EQ(judge_sides(before, with_gemm(side(50, 5), "cd", 1), {}, false).outcome.code,
            judge::ExitCode::pass);

  std::vector<result::Run> slow;
  for (std::uint64_t i = 0; i < 5; ++i) slow.push_back(judge::make_run(50 + i, {2, 1, 1}));
  const judge::Outcome found = judge_sides(before, with_gemm(slow, "ef", 1), {}, false).outcome;
  EXPECT_EQ(found.code, judge::ExitCode::regressed);
  EXPECT_THAT(found.sentence, HasSubstr("host/triad"));
  EXPECT_THAT(found.sentence, testing::Not(HasSubstr("gemm/")));
}

TEST(JudgeSides, DoubtsOfBothSidesAreSaidAndNamed) {
  std::vector<result::Run> before = side(1, 5);
  std::vector<result::Run> after = side(50, 5);
  before[3].remarks = {"The clock was free to change.", "A debug build."};
  after[0].remarks = after[1].remarks = {"A debug build.", "Other work was running."};
  const report::DeviceReport device = judge_sides(before, after, {}, false);
  EXPECT_THAT(device.remarks, IsSupersetOf({"Before: The clock was free to change.",
                                            "Both sides: A debug build.", "After: Other work was running."}));
  EXPECT_EQ(std::count(device.remarks.begin(), device.remarks.end(), "After: Other work was running."), 1);
}

TEST(JudgeSides, AVanishedBenchmarkOfAnotherProgramIsNoFamily) {
  const auto file = [](const char* benchmarks) {
    return result::parse_google_benchmark(
        fmt::format(R"({{"context": {{"num_cpus": 8}}, "benchmarks": [{}]}})", benchmarks), "a.json");
  };
  const char* one = R"({"name": "BM_a/8", "real_time": 3, "time_unit": "ns"})";
  const char* both =
      R"({"name": "BM_a/8", "real_time": 3, "time_unit": "ns"}, {"name": "BM_b", "real_time": 3, "time_unit": "ns"})";
  const report::DeviceReport device = judge_sides({file(both)}, {file(one)}, {}, false);
  const auto gone = std::find_if(device.verdicts.begin(), device.verdicts.end(), [](const auto& verdict) {
    return verdict.kind == judge::VerdictKind::missing;
  });
  ASSERT_NE(gone, device.verdicts.end());
  EXPECT_EQ(gone->reason, "in the baseline, and the file does not hold it now");
}

TEST(JudgeSides, AChangedStackIsNamedAndJudgedOnceItIsDeclared) {
  std::vector<result::Run> after = side(50, 5);
  for (result::Run& run : after) run.fingerprint.stack["driver.version"] = "580.1";
  const report::DeviceReport device = judge_sides(side(1, 5), after, {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(device.remarks, Contains(HasSubstr("stack.driver.version (580.1 now, absent then)")));
  judge::Policy policy;
  policy.treatment = {"driver"};
  EXPECT_EQ(judge_sides(side(1, 5), after, policy, false).outcome.code, judge::ExitCode::pass);
}

TEST(JudgeSides, AnotherDeviceIsNoTreatmentByAnyOfItsNames) {
  std::vector<result::Run> after = side(50, 5);
  for (result::Run& run : after) run.fingerprint.device["host.cpus"] = "3";
  judge::Policy policy;
  policy.treatment = {"host.cpus"};
  const report::DeviceReport device = judge_sides(side(1, 5), after, policy, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(device.remarks, Contains(HasSubstr("another device is another measurement")));
}

TEST(JudgeSides, ABenchmarkThatChangedInAnyRunOfASideIsNotComparedWithItsFormerSelf) {
  std::vector<result::Run> before = side(1, 5);
  std::vector<result::Run> after = side(50, 5);
  before.front().fingerprint.suite.erase("suite.source_hash.host");  // it holds another family only
  for (std::size_t i = 1; i < before.size(); ++i)
    before[i].fingerprint.suite["suite.source_hash.host"] = "then";
  for (result::Run& run : after) run.fingerprint.suite["suite.source_hash.host"] = "now";
  const report::DeviceReport device = judge_sides(before, after, {}, false);
  EXPECT_EQ(device.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(device.remarks,
              Contains(HasSubstr("the sources of the family host differ: another version of GPUGauge")));
}

}  // namespace
}  // namespace gpugauge::conductor
