#include "stack/child.hpp"

#include <algorithm>
#include <csignal>

#include <gtest/gtest.h>

namespace gpugauge::stack {
namespace {

ChildResult shell(const std::string& script, double limit_seconds = 30) {
  return run_child({"/bin/sh", "-c", script}, limit_seconds);
}

TEST(Child, KeepsBothStreamsAndTheExitCode) {
  const ChildResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.signal.has_value());
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_FALSE(result.timed_out);
}

TEST(Child, TellsTheSignal) {
  const ChildResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_FALSE(result.exit_code.has_value());
}

TEST(Child, IsKilledAtTheLimitAndKeepsWhatItSaid) {
  const ChildResult result = shell("echo begun; exec sleep 600", 0.3);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.unkillable);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.out, "begun\n");
}

TEST(Child, DoesNotWaitForAGrandchildThatKeepsTheStreamsOpen) {
  const ChildResult result = shell("sleep 20 & echo done", 15);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "done\n");
}

TEST(Child, ThatTheKernelCollectedEndedInAWayThatIsUnknown) {
  auto* const before = std::signal(SIGCHLD, SIG_IGN);
  const ChildResult result = shell("exit 3");
  std::signal(SIGCHLD, before);
  EXPECT_TRUE(result.unknown);
  EXPECT_FALSE(result.exit_code.has_value());
  EXPECT_FALSE(result.signal.has_value());
  EXPECT_FALSE(result.timed_out);
}

TEST(Child, LimitsWhatItKeepsOfAFlood) {
  const ChildResult result = shell("yes x | head -c 5000000; yes e | head -c 50000 >&2; echo end >&2");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.size(), std::size_t{1} << 20);
  EXPECT_EQ(result.err.size(), 4096U);
  EXPECT_EQ(result.err.substr(4092), "end\n");
}

TEST(Child, HasNoInput) {
  EXPECT_EQ(shell("cat; echo end").out, "end\n");
}

TEST(Child, DoesNotInheritBlockedOrIgnoredSignals) {
  sigset_t block;
  sigset_t before;
  sigemptyset(&block);
  sigaddset(&block, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &block, &before);
  auto* const handler = std::signal(SIGTERM, SIG_IGN);
  const ChildResult result = shell("kill -TERM $$; echo survived");
  std::signal(SIGTERM, handler);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(result.out, "");
}

TEST(Child, SaysWhyItCouldNotStart) {
  EXPECT_EQ(run_child({"/nowhere/at/all"}, 1).start_error, "No such file or directory");
  EXPECT_EQ(run_child({"/etc"}, 1).start_error, "Permission denied");
  EXPECT_EQ(run_child({}, 1).start_error, "no command was given");
}

TEST(LastLine, IsTheLastThatIsNotBlank) {
  EXPECT_EQ(last_line("one\ntwo\n\n  \n"), "two");
  EXPECT_EQ(last_line("alone"), "alone");
  EXPECT_EQ(last_line("\n \n"), "");
  EXPECT_EQ(last_line(""), "");
}

}  // namespace
}  // namespace gpugauge::stack
