// Whose the orphans are that come to this process while a child runs.
#include "run/lineage.hpp"

#include <csignal>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_family.hpp"
#include "run/child.hpp"

namespace gpugauge::run {
namespace {

/// Runs a shell that ends while the family of half a second runs, and leaves what it started to this process.
/// Returns how many were taken for the family's.
class OrphansTest : public ::testing::Test {
 protected:
  ChildEnd run(const std::string& body) const {
    return run_child({fakes_.script("child", body), {}, {}}, {});
  }
  pid_t left() const { return std::stoi(read_text(fakes_.path() / "pid")); }

  int left_behind_beside(const std::string& shell, bool first = false) {
    const std::string pid = (fakes_.path() / "pid").string();
    const pid_t other = fork();
    if (other == 0) {
      execl("/bin/sh", "sh", "-c", (shell + " echo $! >'" + pid + "'; sleep .4").c_str(), nullptr);
      _exit(1);
    }
    // Then by more than the tick in which the kernel counts beginnings.
    while (first && read_text(pid).empty()) usleep(1000);
    if (first) usleep(50000);
    const int count = run("sleep .6").left_behind;
    waitpid(other, nullptr, 0);
    alive_ = kill(left(), 0) == 0;
    kill(left(), SIGKILL);
    waitpid(left(), nullptr, 0);
    return count;
  }

  Fakes fakes_;
  bool alive_ = false;
};

TEST_F(OrphansTest, ThatBeganBeforeItAreSpared) {
  // Without a mark, and with none that could be read: the time alone tells.
  EXPECT_EQ(left_behind_beside("env -i sleep 100 &", true), 0);
  EXPECT_TRUE(alive_);
}

TEST_F(OrphansTest, OfOthersThatBeganMeanwhileAreSpared) {
  EXPECT_EQ(left_behind_beside("sleep .1; sleep 100 &"), 0);
  EXPECT_TRUE(alive_);
}

TEST_F(OrphansTest, OfACommandThatTheFamilyStartedAreItsOwn) {
  const std::string pid = (fakes_.path() / "pid").string();
  const auto end = run("export GPUGAUGE_CHILD=${GPUGAUGE_CHILD}7-7-1';'; setsid sleep 100 & echo $! >'" +
                       pid + "'; sleep .2");
  EXPECT_EQ(end.left_behind, 1);
  EXPECT_FALSE(kill(left(), 0) == 0);
}

TEST_F(OrphansTest, ThatHideAreItsOwnWhereNobodyElsesCanCome) {
  const std::string pid = (fakes_.path() / "pid").string();
  const auto end =
      run("env -i PATH=\"$PATH\" setsid sleep 100 & "
          "while [ \"$(ps -o sid= -p $!)\" = \"$(ps -o sid= -p $$)\" ]; do :; done; echo $! >'" +
          pid + "'");
  EXPECT_EQ(end.left_behind, 1);
  EXPECT_FALSE(kill(left(), 0) == 0);
}

/// Whether orphans come to this process.
bool is_subreaper() {
  int value = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &value, 0, 0, 0);
  return value != 0;
}

TEST(Subreaper, LastsAsLongAsTheLastOfThem) {
  ASSERT_FALSE(is_subreaper());
  auto first = std::make_unique<Subreaper>();
  auto second = std::make_unique<Subreaper>();
  first.reset();
  EXPECT_TRUE(is_subreaper());
  second.reset();
  EXPECT_FALSE(is_subreaper());
}

}  // namespace
}  // namespace gpugauge::run
