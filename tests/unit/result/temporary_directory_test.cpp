#include "result/temporary_directory.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/error.hpp"

namespace gpugauge::result {
namespace {
namespace fs = std::filesystem;

class TemporaryDirectoryTest : public ::testing::Test {
 protected:
  TemporaryDirectoryTest() {
    ::setenv("TMPDIR", parent_.path().c_str(), 1);  // from here on folders are made inside of it
  }
  ~TemporaryDirectoryTest() override { ::unsetenv("TMPDIR"); }
  fs::path parent() const { return parent_.path(); }

  /// A process that makes a folder, puts a file into it and is killed; returns the folder.
  fs::path leave_behind() const {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child == 0) {
      const TemporaryDirectory folder;
      std::ofstream(folder.path() / "left") << "something";
      const std::string name = folder.path().string();
      if (::write(ends[1], name.data(), name.size()) > 0) ::pause();
      ::_exit(1);
    }
    char name[4096];
    const ssize_t got = ::read(ends[0], name, sizeof name);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    return {std::string(name, static_cast<std::size_t>(got))};
  }

 private:
  TemporaryDirectory parent_;
};

TEST_F(TemporaryDirectoryTest, GoesWithItsOwner) {
  fs::path path;
  {
    const TemporaryDirectory folder;
    path = folder.path();
    EXPECT_EQ(path.parent_path(), parent());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(TemporaryDirectoryTest, WhatAKilledOwnerLeftIsRemovedByTheNext) {
  const fs::path left = leave_behind();
  ASSERT_TRUE(fs::exists(left / "left"));
  const TemporaryDirectory next;
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(TemporaryDirectoryTest, ALivingOwnersFolderAndWhatIsNotOursStay) {
  const TemporaryDirectory first;
  // No owner file, and a name or rights that ours never have: somebody else's.
  const std::vector<fs::path> others = {parent() / "gpugauge-before", parent() / ".gpugauge-shared"};
  for (const fs::path& other : others) {
    fs::create_directory(other);
    fs::permissions(other, fs::perms(other.filename() == ".gpugauge-shared" ? 0750 : 0700));
  }
  std::ofstream(parent() / ".gpugauge-a-file") << "text";
  const TemporaryDirectory second;
  EXPECT_TRUE(fs::exists(first.path()));
  for (const fs::path& other : others) EXPECT_TRUE(fs::exists(other)) << other;
  EXPECT_TRUE(fs::exists(parent() / ".gpugauge-a-file"));
}

TEST_F(TemporaryDirectoryTest, AnEmptyOneOfAnOwnerThatWasKilledAtOnceGoes) {
  const fs::path left = parent() / ".gpugauge-Ab12Cd";
  fs::create_directory(left);
  fs::permissions(left, fs::perms(0700));
  const TemporaryDirectory next;
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(TemporaryDirectoryTest, AFolderBehindALinkIsNeverRemoved) {
  const fs::path left = leave_behind();
  const fs::path kept = parent() / "kept";
  fs::rename(left, kept);
  fs::create_directory_symlink(kept, parent() / ".gpugauge-linked");
  const TemporaryDirectory next;
  EXPECT_TRUE(fs::exists(kept / "left"));
}

TEST_F(TemporaryDirectoryTest, SaysWhereItCannotBeMade) {
  ::setenv("TMPDIR", (parent() / "nowhere").c_str(), 1);
  try {
    const TemporaryDirectory folder;
    FAIL() << "a folder was made in " << folder.path();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("set TMPDIR"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gpugauge::result
