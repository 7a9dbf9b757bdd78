#include "stack/living_children.hpp"

#include <csignal>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpugauge::stack {
namespace {

pid_t sleeper(bool own_group) {
  const pid_t child = fork();
  if (child == 0) {
    if (own_group) setpgid(0, 0);
    for (;;) pause();
  }
  if (own_group) setpgid(child, child);
  return child;
}

int signal_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(LivingChildren, AreKilledByProcessAndByGroup) {
  const pid_t process = sleeper(false);
  const pid_t group = sleeper(true);
  const LivingChild first(process);
  const LivingChild second(-group);
  kill_living_children();
  EXPECT_EQ(signal_of(process), SIGKILL);
  EXPECT_EQ(signal_of(group), SIGKILL);
}

TEST(LivingChildren, AreForgottenWhenTheyAreDone) {
  const pid_t child = sleeper(false);
  { const LivingChild over(child); }
  kill_living_children();
  ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  kill(child, SIGTERM);
  EXPECT_EQ(signal_of(child), SIGTERM);
}

TEST(LivingChildren, MoreThanThereAreSlotsForAreNoError) {
  const pid_t child = sleeper(false);
  std::vector<std::unique_ptr<LivingChild>> many;
  many.reserve(100);
  for (int i = 0; i < 100; ++i) many.push_back(std::make_unique<LivingChild>(child));
  kill_living_children();
  EXPECT_EQ(signal_of(child), SIGKILL);
}

}  // namespace
}  // namespace gpugauge::stack
