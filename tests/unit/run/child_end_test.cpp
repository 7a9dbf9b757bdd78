// A child's end, of which the loop is told late, or never.
#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_family.hpp"
#include "run/child.hpp"

namespace gpugauge::run {
namespace {

TEST(ChildsEnd, ThatEndedInTimeWhileThisCommandWasSuspendedEndedWell) {
  for (const bool stop : {false, true}) {
    const Fakes fakes;
    Loop loop;
    ChildOptions options;
    options.limit_seconds = .3;
    Child child(loop, {fakes.script("child", "exit 0"), {}, {}}, options);
    usleep(600000);  // nobody asks the loop
    if (stop) child.stop();
    loop.run_until([&] { return child.ended(); });
    EXPECT_FALSE(child.end().timed_out);
    EXPECT_FALSE(child.end().stopped);
    EXPECT_EQ(child.end().exit_code, 0);
    EXPECT_EQ(child.end().fault, "");
  }
}

TEST(ChildsEnd, IsAwaitedAsLongAsAnyNumberOfSecondsSays) {
  const Fakes fakes;
  for (const double limit : {1e12, 1.9e16, 1e300}) {
    ChildOptions options;
    options.limit_seconds = limit;
    const auto end = run_child({fakes.script("child", "sleep .1"), {}, {}}, options);
    EXPECT_FALSE(end.timed_out) << limit;
    EXPECT_EQ(end.fault, "") << limit;
  }
}

TEST(ChildsEnd, WhoseEndNobodyTellsHasEndedAllTheSame) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const Fakes fakes;
  ChildOptions options;
  options.limit_seconds = .5;
  const auto end = run_child({fakes.script("child", "exit 3"), {}, {}}, options);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(end.fault, "ended with exit code 3");
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(end.unkillable, 0);
}

TEST(ChildsEnd, ThatSomebodyElseCollectedHasAnUnknownExitStatus) {
  const Fakes fakes;
  Loop loop;
  ChildOptions options;
  options.limit_seconds = .3;
  Child child(loop, {fakes.script("child", "exit 0"), {}, {}}, options);
  waitpid(child.pid(), nullptr, 0);
  loop.run_until([&] { return child.ended(); });
  EXPECT_TRUE(child.end().unknown);
  EXPECT_EQ(child.end().unkillable, 0);
  EXPECT_EQ(child.end().fault, "ended, and its exit status is unknown: somebody else collected it");
}

}  // namespace
}  // namespace gpugauge::run
