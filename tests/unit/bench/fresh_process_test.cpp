#include "support/fresh_process.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "result/error.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

template <typename Function>
std::string fault_of(const Function& function) {
  try {
    function();
  } catch (const std::runtime_error& fault) {
    return fault.what();
  }
  return "";
}

FreshProcess shell(const std::string& script, double limit_seconds = 10) {
  return {.executable = "/bin/sh",
          .arguments = {"-c", script},
          .environment = {},
          .limit_seconds = limit_seconds};
}

TEST(Report, IsReadBackAsItWasWritten) {
  EXPECT_EQ(report_text({{"context", 0.125}, {"code_9", -3}}),
            "code_9 -3.000000000e+00\ncontext 1.250000000e-01\nend\n");
  EXPECT_THAT(parse_report(report_text({{"a", 1e-9}, {"b", 7}})), ElementsAre(Pair("a", 1e-9), Pair("b", 7)));
  EXPECT_TRUE(parse_report("end\n").empty());
}

TEST(Report, TakesNoValueThatIsNotFiniteAndNoNameThatIsNone) {
  EXPECT_THROW(report_text({{"a", std::numeric_limits<double>::infinity()}}), std::invalid_argument);
  EXPECT_THROW(report_text({{"a", std::numeric_limits<double>::quiet_NaN()}}), std::invalid_argument);
  EXPECT_THROW(report_text({{"a b", 1}}), std::invalid_argument);
  EXPECT_THROW(report_text({{"", 1}}), std::invalid_argument);
}

TEST(Report, RefusesWhatIsCutOffOrForeign) {
  for (const char* text : {"", "a 1\n", "a 1\nen", "a 1\nend", "a 1e"})
    EXPECT_THAT(fault_of([&] { parse_report(text); }), HasSubstr("cut off")) << text;
  for (const char* text : {"a\nend\n", "a x\nend\n", "a 1 2\nend\n", " 1\nend\n", "a nan\nend\n",
                           "a inf\nend\n", "a  \nend\n", "\nend\n", "a-b 1\nend\n"})
    EXPECT_THAT(fault_of([&] { parse_report(text); }), HasSubstr("no name and number")) << text;
}

TEST(Report, CarriesTheReasonOfAFailure) {
  EXPECT_EQ(fault_of([] { parse_report(failure_text("no kernel\nfor this GPU")); }),
            "no kernel for this GPU");
}

TEST(RunFresh, HandsBackTheReportAndTheWallTime) {
  const FreshResult result = run_fresh(shell("echo noise; sleep .1; printf 'first 0.5\\nend\\n' >&3"));
  EXPECT_THAT(result.report, ElementsAre(Pair("first", 0.5)));
  EXPECT_GE(result.wall_seconds, 0.1);
  EXPECT_LT(result.wall_seconds, 5);
}

TEST(RunFresh, WaitsForTheEndOfTheProcessAndNotOfItsReport) {
  EXPECT_GE(run_fresh(shell("printf 'a 1\\nend\\n' >&3; exec 3>&-; sleep .2")).wall_seconds, 0.2);
}

TEST(RunFresh, ChangesAddsAndTakesAwayVariables) {
  setenv("GPUGAUGE_TEST_KEPT", "11", 1);
  setenv("GPUGAUGE_TEST_CHANGED", "1", 1);
  setenv("GPUGAUGE_TEST_TAKEN", "1", 1);
  FreshProcess process = shell(
      "printf 'kept %s\\nchanged %s\\ntaken %s\\nend\\n' $GPUGAUGE_TEST_KEPT $GPUGAUGE_TEST_CHANGED "
      "${GPUGAUGE_TEST_TAKEN-33} >&3");
  process.environment = {{"GPUGAUGE_TEST_CHANGED", "22"}, {"GPUGAUGE_TEST_TAKEN", std::nullopt}};
  EXPECT_THAT(run_fresh(process).report,
              ElementsAre(Pair("changed", 22), Pair("kept", 11), Pair("taken", 33)));
  for (const char* name : {"GPUGAUGE_TEST_KEPT", "GPUGAUGE_TEST_CHANGED", "GPUGAUGE_TEST_TAKEN"})
    unsetenv(name);
}

TEST(RunFresh, NamesAProcessThatFails) {
  EXPECT_EQ(fault_of([] { run_fresh(shell("exit 3")); }),
            "a fresh process ended with exit code 3 without a report");
  EXPECT_EQ(fault_of([] { run_fresh(shell("kill -9 $$")); }),
            "a fresh process was ended by signal 9 without a report");
  EXPECT_EQ(fault_of([] { run_fresh(shell("printf 'a 1\\nend\\n' >&3; exit 4")); }),
            "a fresh process ended with exit code 4 after its report");
  EXPECT_EQ(fault_of([] { run_fresh(shell("printf 'failed no GPU\\n' >&3; exit 1")); }), "no GPU");
  EXPECT_THAT(fault_of([] { run_fresh(shell("printf 'a 1\\n' >&3")); }), HasSubstr("cut off"));
  EXPECT_THAT(fault_of([] { run_fresh({.executable = "/nonexistent", .arguments = {}, .environment = {}}); }),
              HasSubstr("/nonexistent cannot be started: No such file"));
  EXPECT_THAT(fault_of([] { run_fresh(shell("while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >&3; done")); }),
              HasSubstr("without end"));
}

TEST(RunFresh, KillsAndNamesAProcessThatHangs) {
  const auto mark = std::filesystem::temp_directory_path() / ("gpugauge-fresh-" + std::to_string(getpid()));
  std::filesystem::remove(mark);
  const double start = steady_seconds();
  // Before its report, and behind it.
  EXPECT_EQ(fault_of([&] { run_fresh(shell("sleep .6; touch " + mark.string(), .2)); }),
            "a fresh process did not end within 0.2 s and was killed");
  EXPECT_EQ(fault_of([] { run_fresh(shell("printf 'a 1\\nend\\n' >&3; exec 3>&-; exec sleep 60", .2)); }),
            "a fresh process did not end within 0.2 s and was killed");
  EXPECT_LT(steady_seconds() - start, 10);
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  EXPECT_FALSE(std::filesystem::exists(mark)) << "it lived on";
}

TEST(RunFresh, LeavesNoDescriptorOpen) {
  const auto open = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  const auto before = open();
  for (int i = 0; i < 5; ++i) run_fresh(shell("printf 'end\\n' >&3"));
  EXPECT_NE(fault_of([] { run_fresh(shell("exit 1")); }), "");
  EXPECT_EQ(open(), before);
}

TEST(PlayChild, RefusesAPartThatNobodyRegistered) {
  EXPECT_THROW(play_child("nobody"), result::UsageError);
}

TEST(OwnChild, IsThisExecutableAndEndsWithThisProcess) {
  const FreshProcess child = own_child("part");
  EXPECT_EQ(child.executable, "/proc/self/exe");
  EXPECT_THAT(child.arguments,
              ElementsAre("--gpugauge_child=part", "--gpugauge_parent=" + std::to_string(getpid())));
}

}  // namespace
}  // namespace gpugauge::bench
