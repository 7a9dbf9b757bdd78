// Stops: none is lost between the loop that watches for them and what did before.
#include "run/stop_signals.hpp"

#include <csignal>
#include <optional>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_family.hpp"
#include "result/stops_held_back.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {
namespace {

volatile std::sig_atomic_t told_before = 0;

/// A handler of the program, which counts.
class StopSignalsTest : public ::testing::Test {
 protected:
  StopSignalsTest() {
    told_before = 0;
    std::signal(SIGTERM, [](int) { told_before = told_before + 1; });
  }
  ~StopSignalsTest() override { std::signal(SIGTERM, SIG_DFL); }

  Fakes fakes_;
};

TEST_F(StopSignalsTest, TellsOfEachThatCameBeforeItsEnd) {
  Loop loop;
  int told = 0;
  StopSignals watch(loop, [&](int signal) { told = signal; });
  std::raise(SIGTERM);
  EXPECT_EQ(told, 0) << "nobody has asked the loop";
  watch.end();
  EXPECT_EQ(told, SIGTERM);
  EXPECT_EQ(told_before, 0);
  std::raise(SIGTERM);
  EXPECT_EQ(told_before, 1);
}

TEST_F(StopSignalsTest, AStopAfterTheLastProcessIsTold) {
  int stopped_by = 0;
  const auto run = execute(
      quick_plan({fakes_.family("fake", "leave")}),
      [](const Progress& progress) {
        if (progress.done == progress.total) std::raise(SIGTERM);
      },
      &stopped_by);
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(stopped_by, SIGTERM);
  EXPECT_EQ(told_before, 0);
}

/// A child of this process that none of its loops knows: orphans of others may come then.
class Other {
 public:
  Other() : child_(fork()) {
    if (child_ == 0) {
      pause();
      _exit(0);
    }
  }
  ~Other() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

 private:
  pid_t child_;
};

TEST_F(StopSignalsTest, AStopWhileTheLastOutputIsAwaitedIsTold) {
  const Other other;
  // It has neither the family's session nor its mark, keeps its output open, and acts when the family is
  // gone.
  const std::string out_of_reach =
      "leave; env -i PATH=\"$PATH\" setsid sh -c \"while [ -e /proc/$$ ]; do :; done; kill -TERM $parent; "
      "sleep .4\" & "
      "while [ \"$(ps -o sid= -p $!)\" = \"$(ps -o sid= -p $$)\" ]; do :; done";
  int stopped_by = 0;
  const auto run = execute(
      quick_plan({fakes_.family("fake", out_of_reach)}), [](const Progress&) {}, &stopped_by);
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(stopped_by, SIGTERM);
}

TEST_F(StopSignalsTest, NoStopIsZero) {
  int stopped_by = 7;
  execute(
      quick_plan({fakes_.family("fake", "leave")}), [](const Progress&) {}, &stopped_by);
  EXPECT_EQ(stopped_by, 0);
}

TEST_F(StopSignalsTest, AStopIsTakenToNoChildThatIsGone) {
  EXPECT_THROW(execute(quick_plan({fakes_.family("fake", "sleep 100")}),
                       [](const Progress& progress) {
                         if (progress.elapsed_seconds < .3) return;
                         std::raise(SIGTERM);
                         throw std::runtime_error("no terminal");
                       }),
               std::runtime_error);
}

TEST_F(StopSignalsTest, AStopWhileARunIsKeptIsTakenAndSaid) {
  std::optional<result::StopsHeldBack> held;
  const auto run = execute(
      quick_plan({fakes_.family("fake", "leave")}), [](const Progress&) {}, nullptr, &held);
  EXPECT_TRUE(run.complete);
  ASSERT_TRUE(held);
  EXPECT_EQ(take_held_stop(), 0);
  std::raise(SIGTERM);
  EXPECT_EQ(told_before, 0) << "the run is not kept yet";
  EXPECT_EQ(take_held_stop(), SIGTERM);
  held.reset();
  EXPECT_EQ(told_before, 0) << "it was taken";
}

TEST_F(StopSignalsTest, AStopThatNobodyTakesTakesEffectAfterwards) {
  std::optional<result::StopsHeldBack> held;
  execute(
      quick_plan({fakes_.family("fake", "leave")}), [](const Progress&) {}, nullptr, &held);
  std::raise(SIGTERM);
  EXPECT_EQ(told_before, 0);
  held.reset();
  EXPECT_EQ(told_before, 1);
}

}  // namespace
}  // namespace gpugauge::run
