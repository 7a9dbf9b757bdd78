#include "run/outcome.hpp"

#include <gtest/gtest.h>
#include <signal.h>

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
                          const result::Samples& left = cut_short()) {
  const result::TemporaryDirectory folder;
  const auto file = folder.path() / "samples.json";
  result::write_file(file, result::to_json(left));
  result::Process process;
  process.family = "fake";
  conclude_process(process, end, "gpugauge-bench-fake", file, stopped_by);
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
