#include "run/device_lock.hpp"

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpugauge::run {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// Names that no other test and no command on this machine uses.
class DeviceLock : public ::testing::Test {
 protected:
  DeviceLock() { setenv("GPUGAUGE_DEVICE_LOCK", fmt::format("test-{}", getpid()).c_str(), 1); }
  ~DeviceLock() override { unsetenv("GPUGAUGE_DEVICE_LOCK"); }
};

TEST_F(DeviceLock, IsHeldByOneAndNamesTheOwner) {
  const DeviceLocks first({"host"}, 0, nullptr);
  EXPECT_EQ(first.refusal(), "");
  EXPECT_EQ(first.remark(), "");
  const DeviceLocks second({"host"}, 0, nullptr);
  EXPECT_THAT(second.refusal(), HasSubstr(fmt::format("host is being measured by process {} (", getpid())));
  EXPECT_THAT(second.refusal(), HasSubstr(fmt::format("user {}, started 20", getuid())));
  EXPECT_THAT(second.refusal(), MatchesRegex(".*, started 20..-..-..T..:..:..Z\\)"));
}

TEST_F(DeviceLock, IsFreeAgainWhenItsOwnerIsGone) {
  { const DeviceLocks first({"host"}, 0, nullptr); }
  EXPECT_EQ(DeviceLocks({"host"}, 0, nullptr).refusal(), "");
}

TEST_F(DeviceLock, GoesWithAnOwnerThatIsKilled) {
  const pid_t child = fork();
  if (child == 0) {
    const DeviceLocks held({"host"}, 0, nullptr);
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  EXPECT_THAT(DeviceLocks({"host"}, 0, nullptr).refusal(), HasSubstr(fmt::format("process {}", child)));
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  EXPECT_EQ(DeviceLocks({"host"}, 0, nullptr).refusal(), "");
}

TEST_F(DeviceLock, IsWaitedForWhileAChildOfAKilledOneHasNotLetGoOfIt) {
  const pid_t owner = fork();
  if (owner == 0) {
    const DeviceLocks held({"host"}, 0, nullptr);
    if (fork() == 0) {
      usleep(300'000);
      _exit(0);
    }
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(owner, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(DeviceLocks({"host"}, 0, nullptr).refusal(), "");
}

TEST_F(DeviceLock, IsOneOfEachDeviceAndOfEachDomain) {
  const DeviceLocks first({"GPU-1"}, 0, nullptr);
  EXPECT_EQ(DeviceLocks({"GPU-2"}, 0, nullptr).refusal(), "");
  setenv("GPUGAUGE_DEVICE_LOCK", fmt::format("other-{}", getpid()).c_str(), 1);
  EXPECT_EQ(DeviceLocks({"GPU-1"}, 0, nullptr).refusal(), "");
}

TEST_F(DeviceLock, TakesAllOrNone) {
  const DeviceLocks first({"GPU-2"}, 0, nullptr);
  const DeviceLocks both({"GPU-1", "GPU-2"}, 0, nullptr);
  EXPECT_THAT(both.refusal(), HasSubstr("GPU-2 is being measured"));
  EXPECT_EQ(DeviceLocks({"GPU-1"}, 0, nullptr).refusal(), "") << "what was refused holds nothing";
}

TEST_F(DeviceLock, WaitsAndSaysForWhom) {
  auto first = std::make_unique<DeviceLocks>(std::vector<std::string>{"host"}, 0, nullptr);
  int asked = 0;
  const DeviceLocks second({"host"}, 60, [&](double left, const std::string& owner) {
    EXPECT_LE(left, 60);
    EXPECT_THAT(owner, HasSubstr("host is being measured"));
    if (++asked == 2) first.reset();
  });
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(second.refusal(), "");
}

TEST_F(DeviceLock, GivesUpWaiting) {
  const DeviceLocks first({"host"}, 0, nullptr);
  int asked = 0;
  const DeviceLocks second({"host"}, .01, [&](double, const std::string&) { ++asked; });
  EXPECT_GE(asked, 1);
  EXPECT_THAT(second.refusal(), HasSubstr("host is being measured"));
}

}  // namespace
}  // namespace gpugauge::run
