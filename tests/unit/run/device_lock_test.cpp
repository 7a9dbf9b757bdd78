#include "run/device_lock.hpp"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpugauge::run {
namespace {

using testing::HasSubstr;

/// Names that no other test and no measurement uses.
std::string device(const char* name) {
  return fmt::format("test {} {}", getpid(), name);
}

void nobody(const std::string& sentence) {
  ADD_FAILURE() << sentence;
}

/// Another process that takes the device, says so with a byte, and keeps it until it is told to go.
class Other {
 public:
  explicit Other(const std::string& device) {
    EXPECT_EQ(pipe(ready_), 0);
    EXPECT_EQ(pipe(go_), 0);
    pid_ = fork();
    if (pid_ != 0) return;
    const DeviceLock lock(device, [](const std::string&) {});
    char byte = 'r';
    if (write(ready_[1], &byte, 1) != 1 || read(go_[0], &byte, 1) != 1) _exit(1);
    _exit(0);  // as a killed process: no destructor runs
  }
  void wait_until_it_holds() {
    char byte = 0;
    EXPECT_EQ(read(ready_[0], &byte, 1), 1);
  }
  void end() {
    EXPECT_EQ(write(go_[1], "g", 1), 1);
    int status = 1;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    EXPECT_EQ(status, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  int ready_[2] = {};
  int go_[2] = {};
  pid_t pid_ = 0;
};

/// Another process, started before this one holds anything, that tries once when it is asked.
class Asker {
 public:
  explicit Asker(const std::string& device) {
    EXPECT_EQ(pipe(go_), 0);
    pid_ = fork();
    if (pid_ != 0) return;
    char byte = 0;
    if (read(go_[0], &byte, 1) != 1) _exit(2);
    const DeviceLock lock(device, [](const std::string&) { _exit(1); });
    _exit(0);
  }
  bool finds_it_free() {
    EXPECT_EQ(write(go_[1], "g", 1), 1);
    int status = -1;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    return WEXITSTATUS(status) == 0;
  }

 private:
  int go_[2] = {};
  pid_t pid_ = 0;
};

TEST(DeviceLock, nobody_waits_for_a_free_device) {
  { const DeviceLock lock(device("a"), nobody); }
  const DeviceLock again(device("a"), nobody);
  const DeviceLock other(device("b"), nobody);
}

TEST(DeviceLock, scopes_do_not_wait_for_each_other) {
  const std::string name = device("scoped");
  ASSERT_EQ(setenv("GPUGAUGE_LOCK_SCOPE", "elsewhere", 1), 0);
  Asker other(name);
  ASSERT_EQ(unsetenv("GPUGAUGE_LOCK_SCOPE"), 0);
  const DeviceLock lock(name, nobody);
  EXPECT_TRUE(other.finds_it_free());
}

TEST(DeviceLock, waits_for_the_process_that_holds_it_names_it_and_goes_on_when_it_ends) {
  const std::string name = device("held");
  Other other(name);
  other.wait_until_it_holds();
  std::vector<std::string> said;
  const DeviceLock lock(name, [&](const std::string& sentence) {
    said.push_back(sentence);
    other.end();
  });
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said.front(), HasSubstr(fmt::format("(process {}) measures {}", other.pid(), name)));
}

TEST(DeviceLock, a_process_that_holds_it_twice_lets_go_with_the_second) {
  const std::string name = device("twice");
  Asker first(name);
  Asker second(name);
  auto outer = std::make_unique<DeviceLock>(name, nobody);
  auto inner = std::make_unique<DeviceLock>(name, nobody);
  inner.reset();
  EXPECT_FALSE(first.finds_it_free());
  outer.reset();
  EXPECT_TRUE(second.finds_it_free());
}

}  // namespace
}  // namespace gpugauge::run
