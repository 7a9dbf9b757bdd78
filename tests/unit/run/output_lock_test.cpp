#include "run/output_lock.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "result/launcher.hpp"

namespace gpugauge::run {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class OutputLock : public ::testing::Test {
 protected:
  OutputLock() {
    std::string name = (fs::temp_directory_path() / "gpugauge-lock-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~OutputLock() override { fs::remove_all(folder_); }

  fs::path output(const std::string& name = "out.json") const { return folder_ / name; }
  bool is_empty() const { return fs::is_empty(folder_); }

  fs::path folder_;
};

std::string refusal(const std::vector<fs::path>& outputs) {
  try {
    const OutputLocks locks(outputs, "gpugauge run");
  } catch (const result::FileError& error) {
    return error.what();
  }
  return "";
}

TEST_F(OutputLock, IsHeldByOneAndNamesTheOwner) {
  const OutputLocks first({output()}, "gpugauge check");
  EXPECT_THAT(refusal({output()}),
              AllOf(StartsWith(output().string()), HasSubstr(fmt::format("process {} (", ::getpid())),
                    HasSubstr(fmt::format("gpugauge check, user {}) on ", ::geteuid())),
                    HasSubstr(" since 20"), HasSubstr("nothing was measured")));
  EXPECT_EQ(refusal({output("other.json")}), "");
}

TEST_F(OutputLock, LeavesNothingBehind) {
  { const OutputLocks first({output(), output("other.json")}, "gpugauge run"); }
  EXPECT_TRUE(is_empty());
  EXPECT_EQ(refusal({output()}), "");
}

TEST_F(OutputLock, OfAKilledOneIsStaleAndIsTakenOver) {
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputLocks held({output()}, "gpugauge run");
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(fs::exists(lock_of(output())));
  {
    const OutputLocks mine({output()}, "gpugauge run");
    EXPECT_THAT(result::read_file(lock_of(output())), StartsWith(fmt::format("process {} ", ::getpid())));
  }
  EXPECT_TRUE(is_empty());
}

TEST_F(OutputLock, IsWaitedForWhileAChildOfAKilledOneHasNotLetGoOfIt) {
  // Between fork and exec a child has its parent's files: it keeps the lock for a moment after its end.
  const pid_t owner = ::fork();
  if (owner == 0) {
    const OutputLocks held({output()}, "gpugauge run");
    if (::fork() == 0) {
      ::usleep(300'000);
      ::_exit(0);
    }
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(owner, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(refusal({output()}), "");
}

TEST_F(OutputLock, OfOneThatASignalEndsIsRemovedByTheHandler) {
  const OutputLocks held({output()}, "gpugauge run");
  ASSERT_TRUE(fs::exists(lock_of(output())));
  result::remove_at_stop();
  EXPECT_TRUE(is_empty());
}

TEST_F(OutputLock, RefusesBesideAFileOfThatNameThatIsSomebodysOwnAndLeavesIt) {
  result::write_file(lock_of(output()), "my notes\n");
  EXPECT_THAT(
      refusal({output()}),
      AllOf(HasSubstr(lock_of(output()).string() + " holds what no gpugauge wrote"), HasSubstr("remove it")));
  EXPECT_EQ(result::read_file(lock_of(output())), "my notes\n");
}

TEST_F(OutputLock, SaysInTheWordsOfItsCommandWhatIsHeld) {
  const OutputLocks first({output()}, "gpugauge upgrade end");
  try {
    const OutputLocks second({output()}, "gpugauge upgrade close",
                             {"is being changed by", "wait for its end"});
    ADD_FAILURE() << "two hold it";
  } catch (const result::FileError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("is being changed by process "), HasSubstr("(gpugauge upgrade end, user"),
                      HasSubstr("; wait for its end")));
  }
}

TEST_F(OutputLock, TakesOverWhatAPowerCutLeft) {
  for (const std::string& left : {std::string(74, '\0'), std::string("proc"), std::string(),
                                  std::string("process 1 (x)") + std::string(60, '\0')}) {
    result::write_file(lock_of(output()), left);
    EXPECT_EQ(refusal({output()}), "") << left;
    EXPECT_TRUE(is_empty());
  }
}

TEST_F(OutputLock, TwoOutputsOfACommandAreTwoFiles) {
  EXPECT_NO_THROW(require_different({output("a.json"), output("b.json")}));
  const auto same = [&](const fs::path& one, const fs::path& other) {
    try {
      require_different({one, other});
      return std::string();
    } catch (const result::UsageError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(same(output("a.json"), output("a.json")), HasSubstr("a.json is named for two outputs"));
  EXPECT_THAT(same(output("a.json"), folder_ / "." / "a.json"), HasSubstr("are the same file"));
  result::write_file(output("a.json"), "x");
  fs::create_symlink("a.json", output("link.json"));
  EXPECT_THAT(same(output("a.json"), output("link.json")), HasSubstr("are the same file"));
}

TEST_F(OutputLock, TakesAllOrNone) {
  const OutputLocks second({output("b.json")}, "gpugauge run");
  EXPECT_NE(refusal({output("a.json"), output("b.json")}), "");
  EXPECT_FALSE(fs::exists(lock_of(output("a.json"))));
  EXPECT_EQ(refusal({output("a.json")}), "");
}

TEST_F(OutputLock, IsThatOfTheTargetWhereTheOutputIsALink) {
  result::write_file(output("target.json"), "x");
  fs::create_symlink("target.json", output("link.json"));
  const OutputLocks held({output("link.json")}, "gpugauge run");
  EXPECT_NE(refusal({output("target.json")}), "");
}

TEST_F(OutputLock, IsNotForcedWhereNoneCanBeMade) {
  EXPECT_EQ(refusal({folder_ / "not" / "there.json"}), "");
  EXPECT_EQ(refusal({"/dev/full"}), "");
  EXPECT_TRUE(is_empty());
}

TEST_F(OutputLock, IsNotSwitchedOffByWhatLiesInItsPlace) {
  const fs::path lock = lock_of(output());
  fs::create_symlink("/nonexistent", lock);  // planted: it is neither followed nor removed
  EXPECT_THAT(refusal({output()}), AllOf(HasSubstr(lock.string() + " is a link, "), HasSubstr("remove it")));
  EXPECT_TRUE(fs::is_symlink(lock));
  fs::remove(lock);
  fs::create_directory(lock);
  EXPECT_THAT(refusal({output()}), HasSubstr(" is a folder, "));
  fs::remove(lock);
  ASSERT_EQ(::mkfifo(lock.c_str(), 0600), 0);
  EXPECT_THAT(refusal({output()}), HasSubstr(" is a pipe or device, "));
  fs::remove(lock);
  EXPECT_EQ(refusal({output()}), "");
}

/// What a process of nobody says; only root can start one.
template <typename Work>
std::string as_nobody(const Work& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(1);
    const std::string said = work();
    ::_exit(::write(ends[1], said.data(), said.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string said(4096, '\0');
  const ssize_t count = ::read(ends[0], said.data(), said.size());
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) return "it did not come to its end";
  said.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return said;
}

class OutputLockOfAnother : public OutputLock {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    fs::permissions(folder_, fs::perms::all);
  }
  void make_sticky() const { fs::permissions(folder_, fs::perms::all | fs::perms::sticky_bit); }
  std::string refusal_of_nobody() const {
    return as_nobody([&] { return refusal({output()}); });
  }
  /// That of a process of this machine that is gone.
  void leave(mode_t mode) const {
    const pid_t gone = ::fork();
    if (gone == 0) ::_exit(0);
    int status = 0;
    ::waitpid(gone, &status, 0);
    result::write_file(lock_of(output()),
                       fmt::format("process {} (gpugauge run, user 0) on {} since 2025-01-01T00:00:00Z\n",
                                   gone, result::host_word()));
    ::chmod(lock_of(output()).c_str(), mode);
  }
};

TEST_F(OutputLockOfAnother, IsNotOffWhereItsFileMayOnlyBeRead) {
  make_sticky();
  const OutputLocks held({output()}, "gpugauge check");
  ::chmod(lock_of(output()).c_str(), 0644);
  EXPECT_THAT(refusal_of_nobody(), HasSubstr(fmt::format("process {} (gpugauge check, user 0)", ::getpid())));
}

TEST_F(OutputLockOfAnother, OfOneThatIsGoneIsTakenAndItsLineIsNotTakenForTheHolders) {
  make_sticky();
  leave(0644);
  const std::string said = as_nobody([&] {
    const OutputLocks held({output()}, "gpugauge run");
    return refusal({output()});
  });
  EXPECT_THAT(said, AllOf(HasSubstr(" is the output of another process; "), HasSubstr(".lock names process "),
                          HasSubstr("since 2025-01-01T00:00:00Z, which is not seen here; nothing was")));
  EXPECT_TRUE(fs::exists(lock_of(output())));
}

TEST_F(OutputLockOfAnother, OfOneThatIsGoneIsReplacedWhereItMayBeRemoved) {
  leave(0644);
  const std::string said = as_nobody([&] {
    const OutputLocks held({output()}, "gpugauge run");
    return refusal({output()});
  });
  EXPECT_THAT(said, HasSubstr("(gpugauge run, user 65534) on "));
  EXPECT_TRUE(is_empty());
}

TEST_F(OutputLockOfAnother, ThatMayNotBeReadIsNamed) {
  make_sticky();
  leave(0600);
  EXPECT_THAT(refusal_of_nobody(),
              AllOf(HasSubstr(".lock is a file of user 0 that cannot be locked (Permission denied)"),
                    HasSubstr("nothing was done; remove it, or give another name")));
}

TEST_F(OutputLockOfAnother, IsNotForcedWhereNoFileCanBeMade) {
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  EXPECT_EQ(refusal_of_nobody(), "");
}

TEST_F(OutputLock, QuotesNoMoreThanALineOfWhatStandsThere) {
  const OutputLocks held({output()}, "gpugauge run");
  {
    const std::string text = "process 1 (x)\nmore\n" + std::string(1000, 'x');
    FILE* file = std::fopen(lock_of(output()).c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fputs(text.c_str(), file);
    std::fclose(file);
  }
  EXPECT_THAT(refusal({output()}), AllOf(HasSubstr("process 1 (x);"), Not(HasSubstr("more"))));
}

}  // namespace
}  // namespace gpugauge::run
