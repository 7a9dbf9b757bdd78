#include "run/outcome.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include "result/family_exit.hpp"
#include "result/file.hpp"
#include "unit/run/fake_family.hpp"

namespace gpugauge::run {
namespace {

using result::Status;

/// As bench/support/recorder.cpp leaves the file of a process that ends in mid-measurement.
result::Samples cut_short() {
  result::Samples samples = good_samples("fake");
  samples.status = Status::failed;
  samples.reason = "the process ended before everything was measured";
  result::BenchmarkResult current;
  current.id = "fake/current";
  current.status = Status::interrupted;
  current.reason = "the process ended while this was measured";
  samples.benchmarks.push_back(current);
  return samples;
}

result::Process concluded(const ChildEnd& end, const std::string& stopped_by = "",
                          const result::Samples& left = cut_short(), const Asked& asked = {}) {
  const result::TemporaryDirectory folder;
  const auto file = folder.path() / "samples.json";
  result::write_file(file, result::to_json(left));
  result::Process process;
  process.family = "fake";
  conclude_process(process, end, "gpugauge-bench-fake", file, stopped_by, asked);
  return process;
}

ChildEnd ended(const std::string& fault, const std::string& output = "") {
  ChildEnd end;
  end.started = true;
  end.exit_code = 0;
  end.fault = fault;
  end.output = output;
  return end;
}

void expect_named(const result::Process& process, const std::string& fault, const std::string& said = "") {
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(process.reason, "gpugauge-bench-fake " + fault + " while fake/current was measured" + said + ".");
  ASSERT_TRUE(process.samples);
  EXPECT_EQ(process.samples->benchmarks.at(0).status, Status::ok) << "what was measured before is kept";
  EXPECT_EQ(process.samples->benchmarks.at(1).status, Status::failed);
  EXPECT_EQ(process.samples->benchmarks.at(1).reason, "its process " + fault + " while this was measured");
}

TEST(Outcome, NamesTheBenchmarkThatAFamilyDidNotSurvive) {
  expect_named(concluded(ended("was ended by signal 11 (SIGSEGV)")), "was ended by signal 11 (SIGSEGV)");
  expect_named(concluded(ended("ended with exit code 7")), "ended with exit code 7");
}

TEST(Outcome, AFamilyThatEndsWellBeforeItsEndHasFailed) {
  expect_named(concluded(ended("")), "ended before everything was measured");
}

TEST(Outcome, LastWordsAreNoRowOfATable) {
  const std::string fault = "was ended by signal 6 (SIGABRT)";
  expect_named(concluded(ended(fault, "fake/op 12 ns\n")), fault);
  expect_named(concluded(ended(fault, "***WARNING*** Library was built as DEBUG.\n")), fault);
  expect_named(concluded(ended(fault, "fake/op 12 ns\nlibx: no slot\n")), fault, "; it said: libx: no slot");
}

TEST(Outcome, SaysWhatCameAfterTheMeasuringThatAFamilyDidNotSurvive) {
  result::Samples after = good_samples("fake");
  after.status = Status::failed;
  after.reason = "the process ended while names were read, after fake/op was measured";
  ChildEnd end = ended("was ended by signal 11 (SIGSEGV)", "libx: no slot\n");
  end.exit_code.reset();
  const result::Process process = concluded(end, "", after);
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(process.reason, "gpugauge-bench-fake was ended by signal 11 (SIGSEGV): " + after.reason +
                                "; it said: libx: no slot.");
  ASSERT_TRUE(process.samples);
  EXPECT_EQ(process.samples->benchmarks.at(0).status, Status::ok);
}

/// Samples that all went well, on the GPU that the process says it had.
result::Samples on(const std::string& uuid, const std::string& count = "1") {
  result::Samples samples = good_samples("fake");
  samples.context["gpu.uuid"] = uuid;
  samples.context["gpu.visible_count"] = count;
  return samples;
}

TEST(Outcome, ValuesOfAnotherGpuAreNotFiledUnderThisOne) {
  const result::Process right = concluded(ended(""), "", on("GPU-5"), {"GPU-5", {}});
  EXPECT_EQ(right.status, Status::ok) << right.reason;
  const result::Process wrong = concluded(ended(""), "", on("GPU-0"), {"GPU-5", {}});
  EXPECT_EQ(wrong.status, Status::failed);
  EXPECT_FALSE(wrong.samples);
  EXPECT_EQ(
      wrong.reason,
      "gpugauge-bench-fake measured GPU-0 where GPU-5 was to be measured: something between this command "
      "and the driver shows it other GPUs (a wrapper of its executable, a preloaded library).");
  EXPECT_EQ(concluded(ended(""), "", on("GPU-9"), {"MIG-1", {}}).status, Status::ok) << "has several names";
  EXPECT_EQ(concluded(ended(""), "", good_samples("fake"), {"GPU-5", {}}).status, Status::ok)
      << "does not say";
  EXPECT_EQ(concluded(ended(""), "", good_samples("fake"), {"host", {}}).status, Status::ok);
}

TEST(Outcome, LinksBetweenFewerGpusThanAskedForFailed) {
  const Asked asked{"GPU-0,GPU-1,GPU-2", {}};
  EXPECT_EQ(concluded(ended(""), "", on("GPU-0", "3"), asked).status, Status::ok);
  const result::Process fewer = concluded(ended(""), "", on("GPU-0", "2"), asked);
  EXPECT_EQ(fewer.status, Status::failed);
  EXPECT_FALSE(fewer.samples);
  EXPECT_EQ(fewer.reason,
            "gpugauge-bench-fake saw 2 GPUs where 3 were to be measured: CUDA passes over all that is listed "
            "behind one that it cannot use, and `nvidia-smi` shows whether one is lost.");
}

TEST(Outcome, WhatIsLackingWasNotMeasuredWell) {
  EXPECT_EQ(concluded(ended(""), "", good_samples("fake"), {"host", {"fake/op"}}).status, Status::ok);
  const result::Process process =
      concluded(ended(""), "", good_samples("fake"), {"host", {"fake/op", "fake/other", "fake/third"}});
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_TRUE(process.samples) << "what was measured is kept";
  EXPECT_EQ(process.reason,
            "gpugauge-bench-fake left no result of fake/other and 1 more of the 3 benchmarks that it was to "
            "measure.");
}

TEST(Outcome, SamplesThatCouldNotBeKeptSpeakAgainstNoBenchmark) {
  ChildEnd end =
      ended("ended with exit code 4", "gpugauge-bench-fake: /tmp/s.json could not be written: full\n");
  end.exit_code = result::exit_samples_not_kept;
  const result::Process process = concluded(end);
  EXPECT_EQ(process.status, Status::interrupted);
  EXPECT_FALSE(process.samples);
  EXPECT_EQ(
      process.reason,
      "gpugauge-bench-fake could not keep what it measured; it said: gpugauge-bench-fake: /tmp/s.json could "
      "not be written: full.");
  // Its file of before the last write lacks what came after it.
  result::Samples earlier = good_samples("fake");
  earlier.status = Status::failed;
  earlier.reason = "the process ended before everything was measured";
  EXPECT_EQ(concluded(end, "", earlier).status, Status::interrupted);
  // One that left a whole file kept it, whatever its code means to it.
  const result::Process whole = concluded(end, "", good_samples("fake"));
  EXPECT_EQ(whole.status, Status::failed);
  EXPECT_TRUE(whole.samples);
}

TEST(Outcome, AnErrorOutsideTheBenchmarksIsCalledOne) {
  ChildEnd end = ended("ended with exit code 5", "gpugauge-bench-fake: the driver has no version\n");
  end.exit_code = result::exit_family_failed;
  const std::string told =
      "gpugauge-bench-fake was ended by an error outside its benchmarks; it said: gpugauge-bench-fake: the "
      "driver has no version.";
  result::Process process;
  process.family = "fake";
  conclude_process(process, end, "gpugauge-bench-fake", "/no/such/samples.json", "");
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(process.reason, told);
  // Behind the measurements: what was measured is kept.
  const result::Process after = concluded(end, "", good_samples("fake"));
  EXPECT_EQ(after.status, Status::failed);
  EXPECT_EQ(after.reason, told);
  EXPECT_TRUE(after.samples);
}

/// A library may end the process.
TEST(Outcome, AnEndBetweenTwoBenchmarksIsToldByTheProcess) {
  result::Samples samples = good_samples("fake");
  samples.status = Status::failed;
  samples.reason = result::ended_early;
  ChildEnd end = ended("ended with exit code 1", "libfoo: cannot go on\n");
  end.exit_code = 1;
  const result::Process process = concluded(end, "", samples);
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(
      process.reason,
      "gpugauge-bench-fake ended with exit code 1: the process ended before everything was measured; it said: "
      "libfoo: cannot go on.");
}

/// As a family leaves its file when SIGTERM tells it to end: `benchmarks` of them were not measured.
result::Samples told_to_end(int benchmarks) {
  result::Samples samples = good_samples("fake");
  samples.status = Status::interrupted;
  samples.reason = "signal 15 (SIGTERM) ended the process";
  for (int i = 0; i < benchmarks; ++i) {
    result::BenchmarkResult left;
    left.id = i == 0 ? "fake/current" : "fake/later";
    left.status = Status::interrupted;
    left.reason = samples.reason;
    samples.benchmarks.push_back(left);
  }
  return samples;
}

ChildEnd told_by_its_limit() {
  ChildEnd end = ended("exceeded its time limit of 30 s and was ended");
  end.exit_code = 130;
  end.timed_out = true;
  return end;
}

TEST(Outcome, AFamilyThatEndsWellAtItsLimitExceededIt) {
  const std::string fault = "exceeded its time limit of 30 s and was ended";
  const result::Process process = concluded(told_by_its_limit(), "", told_to_end(2));
  expect_named(process, fault);
  EXPECT_EQ(process.samples->status, Status::failed);
  EXPECT_EQ(process.samples->benchmarks.at(2).status, Status::interrupted);
  EXPECT_EQ(process.samples->benchmarks.at(2).reason, "its process " + fault + " before this was measured");
  // A stop while it ends does not make it one that was stopped.
  ChildEnd stopped_meanwhile = told_by_its_limit();
  stopped_meanwhile.stopped = true;
  expect_named(concluded(stopped_meanwhile, "SIGINT", told_to_end(2)), fault);
}

TEST(Outcome, AnInterruptedFileWithoutAnInterruptedBenchmarkExceededItsLimitToo) {
  const result::Process process = concluded(told_by_its_limit(), "", told_to_end(0));
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(process.reason, "gpugauge-bench-fake exceeded its time limit of 30 s and was ended.");
  ASSERT_TRUE(process.samples);
  EXPECT_EQ(process.samples->benchmarks.at(0).status, Status::ok);
}

TEST(Outcome, ARunIsWholeWhereAFamilyEndedWellAtItsLimit) {
  const Fakes fakes;
  write_text(fakes.path() / "cut.json", result::to_json(told_to_end(1)));
  auto plan = quick_plan({fakes.family(
      "fake",
      "exec 2>/dev/null; trap 'cp ${0%/*}/cut.json $samples; exit 130' TERM; while :; do sleep .05; done")});
  plan.profile.limit_seconds = 1;
  plan.profile.grace_seconds = 30;  // it ends by itself, however busy the machine is
  const result::Run run = execute(plan, [](const Progress&) {});
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].exit_code, 130);
  expect_named(run.processes[0], "exceeded its time limit of 1 s and was ended");
  EXPECT_TRUE(run.complete) << "a limit is no interruption by the user: " << run.partial_reason;
  EXPECT_EQ(result::parse_run(result::to_json(run), "run"), run);
}

TEST(Outcome, AFamilyThatWasStoppedHasNotFailed) {
  ChildEnd end = ended("was stopped");
  end.stopped = true;
  const result::Process process = concluded(end, "SIGINT");
  EXPECT_EQ(process.status, Status::interrupted);
  ASSERT_TRUE(process.samples);
  EXPECT_EQ(process.samples->benchmarks.at(1).status, Status::interrupted);
}

}  // namespace
}  // namespace gpugauge::run
