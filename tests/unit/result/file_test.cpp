#include "result/file.hpp"

#include <cstdint>
#include <fstream>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "result/error.hpp"

namespace gpugauge::result {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class File : public testing::Test {
 protected:
  File() {
    std::string name = (fs::temp_directory_path() / "gpugauge-file-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~File() override { fs::remove_all(folder_); }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

template <typename Function>
std::string file_error(const Function& function) {
  try {
    function();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST_F(File, WritesReadsAndReplaces) {
  write_file(folder_ / "deep" / "er" / "a.json", "one");
  EXPECT_EQ(read_file(folder_ / "deep" / "er" / "a.json"), "one");
  write_file(folder_ / "deep" / "er" / "a.json", "two");
  EXPECT_EQ(read_file(folder_ / "deep" / "er" / "a.json"), "two");
}

TEST_F(File, LeavesNoTemporaryFileBehind) {
  write_file(folder_ / "a.json", "one");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(File, ReplacesWhatIsStillAsItWas) {
  write_file(folder_ / "a.json", "one", state_of(folder_ / "a.json"));
  write_file(folder_ / "a.json", "two", state_of(folder_ / "a.json"));
  EXPECT_EQ(read_file(folder_ / "a.json"), "two");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(File, DoesNotReplaceWhatCameMeanwhile) {
  const auto nothing = state_of(folder_ / "a.json");
  EXPECT_EQ(nothing, std::nullopt);
  write_file(folder_ / "a.json", "theirs");
  EXPECT_THAT(file_error([&] { write_file(folder_ / "a.json", "mine", nothing); }),
              HasSubstr("a.json was written by another process meanwhile, and is left as that wrote it"));
  EXPECT_EQ(read_file(folder_ / "a.json"), "theirs");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(File, DoesNotReplaceWhatWasChangedMeanwhile) {
  write_file(folder_ / "a.json", "earlier");
  const auto before = state_of(folder_ / "a.json");
  write_file(folder_ / "a.json", "theirs is longer");
  EXPECT_NE(file_error([&] { write_file(folder_ / "a.json", "mine", before); }), "");
  EXPECT_EQ(read_file(folder_ / "a.json"), "theirs is longer");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(File, IsWrittenWhereALinkLeadsToNothing) {
  fs::create_symlink("nowhere/target", folder_ / "a.json");
  write_file(folder_ / "a.json", "mine", state_of(folder_ / "a.json"));
  EXPECT_EQ(read_file(folder_ / "a.json"), "mine");
  EXPECT_TRUE(fs::is_symlink(folder_ / "a.json"));
  EXPECT_EQ(read_file(folder_ / "nowhere/target"), "mine");
}

TEST_F(File, FollowsALinkAndReplacesWhatItPointsTo) {
  write_file(folder_ / "real.json", "old");
  std::filesystem::create_symlink("real.json", folder_ / "link.json");
  write_file(folder_ / "link.json", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.json"));
  EXPECT_EQ(read_file(folder_ / "real.json"), "new");
}

TEST_F(File, IsForWhomTheFileInItsPlaceWas) {
  write_file(folder_ / "real.json", "old");
  fs::permissions(folder_ / "real.json", fs::perms(0600));
  fs::create_symlink("real.json", folder_ / "link.json");
  write_file(folder_ / "link.json", "new");
  EXPECT_EQ(fs::status(folder_ / "real.json").permissions(), fs::perms(0600));
}

TEST_F(File, IsOfTheOwnerAndGroupOfTheFileInItsPlace) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give a file to others";
  const fs::path file = folder_ / "report.json";
  write_file(file, "old");
  fs::permissions(file, fs::perms(0640));
  ASSERT_EQ(::chown(file.c_str(), 65534, 65533), 0);
  write_file(file, "new");
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 65534U);
  EXPECT_EQ(info.st_gid, 65533U);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST_F(File, IsItsWritersWhereAnotherLaidAFileInAFolderOfAll) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give a file to others";
  const fs::path shared = folder_ / "shared";
  const fs::path file = shared / "report.json";
  write_file(file, "old");
  ASSERT_EQ(::chown(file.c_str(), 65534, 65533), 0);
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(shared.c_str(), 01777), 0);
  const mode_t mask = ::umask(027);
  write_file(file, "new");
  ::umask(mask);
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 0U);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
  // The folder's owner decides what lies in it.
  ASSERT_EQ(::chown(shared.c_str(), 65534, 65533), 0);
  ASSERT_EQ(::chown(file.c_str(), 65534, 65533), 0);
  write_file(file, "newer");
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 65534U);
}

TEST_F(File, HasTheAccessListOfTheFileInItsPlace) {
  const fs::path file = folder_ / "report.json";
  write_file(file, "old");
  // acl(5) as the kernel keeps it: version 2, then tag, rights and id of owner, a user, group, mask, others.
  const std::vector<std::uint32_t> list{2,   0x00060001, ~0U, 0x00040002, 65534, 0x00000004,
                                        ~0U, 0x00040010, ~0U, 0x00000020, ~0U};
  constexpr const char* name = "system.posix_acl_access";
  const std::size_t bytes = list.size() * sizeof(std::uint32_t);
  if (::setxattr(file.c_str(), name, list.data(), bytes, 0) != 0)
    GTEST_SKIP() << "this file system takes no access lists";
  write_file(file, "new");
  std::vector<std::uint32_t> found(list.size());
  EXPECT_EQ(::getxattr(file.c_str(), name, found.data(), bytes), static_cast<ssize_t>(bytes));
  EXPECT_EQ(found, list);
}

TEST_F(File, RefusesToPutAFileInADevicesPlace) {
  std::filesystem::create_symlink("/dev/null", folder_ / "null");
  for (const std::filesystem::path& place : {std::filesystem::path("/dev/null"), folder_ / "null"}) {
    try {
      write_file(place, "text");
      ADD_FAILURE() << place << " was written";
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find("is not a regular file"), std::string::npos) << error.what();
    }
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(File, RefusesADirectoryAsTarget) {
  fs::create_directory(folder_ / "d");
  EXPECT_THAT(file_error([&] { write_file(folder_ / "d", "x"); }), HasSubstr("is a directory"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(File, NamesAMissingFileADirectoryAndAFifo) {
  EXPECT_THAT(file_error([&] { read_file(folder_ / "none"); }), HasSubstr("No such file"));
  EXPECT_THAT(file_error([&] { read_file(folder_); }), HasSubstr("is a directory"));
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(file_error([&] { read_file(folder_ / "fifo"); }), HasSubstr("not a regular file"));
}

TEST_F(File, RefusesAFileOverTheLimit) {
  write_file(folder_ / "a", "12345");
  EXPECT_THAT(file_error([&] { read_file(folder_ / "a", 4); }), HasSubstr("at most 4"));
}

TEST_F(File, KeepsTheEarlierFileWhenTheFolderCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  write_file(folder_ / "a", "one");
  ::chmod(folder_.c_str(), 0500);
  EXPECT_THAT(file_error([&] { write_file(folder_ / "a", "two"); }), HasSubstr("could not be written"));
  ::chmod(folder_.c_str(), 0700);
  EXPECT_EQ(read_file(folder_ / "a"), "one");
}

TEST_F(File, RemovesWhatAKilledWriterLeftBesideItsTarget) {
  const auto make = [&](const std::string& name) { std::ofstream(folder_ / name) << "half"; };
  make(".a.json.gpugauge-Ab12Cd");
  make(".b.json.gpugauge-Ab12Cd");
  make(".a.json.gpugauge-Ab12");
  make(".a.json.gpugauge-Ab12C.");
  make(".a.json.backup");
  fs::create_symlink(folder_ / ".b.json.gpugauge-Ab12Cd", folder_ / ".a.json.gpugauge-LINKED");
  write_file(folder_ / "a.json", "whole");
  EXPECT_FALSE(fs::exists(folder_ / ".a.json.gpugauge-Ab12Cd"));
  EXPECT_TRUE(fs::is_symlink(folder_ / ".a.json.gpugauge-LINKED"));
  EXPECT_TRUE(fs::exists(folder_ / ".a.json.backup")) << "of six letters, and somebody's own";
  EXPECT_EQ(entries(), 6U) << "only its own, and no link";
  remove_abandoned(folder_);
  EXPECT_FALSE(fs::exists(folder_ / ".b.json.gpugauge-Ab12Cd"));
  EXPECT_EQ(entries(), 5U);
  remove_abandoned(folder_ / "none");
}

TEST_F(File, RootRemovesAlsoWhatItHadGivenAwayAlready) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give a file to others";
  const fs::path left = folder_ / ".a.json.gpugauge-Ab12Cd";
  std::ofstream(left) << "half";
  ASSERT_EQ(::chown(left.c_str(), 65534, 65534), 0);
  write_file(folder_ / "a.json", "whole");
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(File, LeavesWhatALivingWriterHolds) {
  const auto held = folder_ / ".a.json.gpugauge-Ab12Cd";
  std::ofstream(held) << "half";
  const int fd = ::open(held.c_str(), O_RDWR);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  write_file(folder_ / "a.json", "whole");
  EXPECT_TRUE(fs::exists(held));
  ::close(fd);
  write_file(folder_ / "a.json", "whole");
  EXPECT_FALSE(fs::exists(held));
}

TEST_F(File, SaysWhenAParentIsAFile) {
  write_file(folder_ / "a", "one");
  EXPECT_THAT(file_error([&] { write_file(folder_ / "a" / "b", "x"); }), HasSubstr("could not be made"));
}

}  // namespace
}  // namespace gpugauge::result
