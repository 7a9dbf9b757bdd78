#include "result/growing_file.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::result {
namespace {

namespace fs = std::filesystem;

class Growing : public testing::Test {
 protected:
  Growing() {
    std::string name = (fs::temp_directory_path() / "gpugauge-growing-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Growing() override { fs::remove_all(folder_); }
  std::size_t entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(Growing, AppearsWhenItIsWholeAndReplacesTheEarlierFile) {
  write_file(folder_ / "a", "earlier");
  GrowingFile file(folder_ / "a");
  const std::string piece(100000, 'x');
  file.write(piece);
  file.write("end");
  EXPECT_EQ(read_file(folder_ / "a"), "earlier");
  file.finish();
  EXPECT_EQ(read_file(folder_ / "a"), piece + "end");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Growing, LeavesNothingWhereItDoesNotComeToItsEnd) {
  { GrowingFile(folder_ / "a").write("half"); }
  EXPECT_EQ(entries(), 0U);
  {
    GrowingFile file(folder_ / "a");
    file.write("half");
    EXPECT_EQ(entries(), 1U);
    remove_at_stop();  // as a signal handler does
    EXPECT_EQ(entries(), 0U);
  }
}

TEST_F(Growing, WhatSigkillLeftIsRemovedByTheNextThatWritesThere) {
  const pid_t child = ::fork();
  if (child == 0) {
    GrowingFile file(folder_ / "a");
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(entries(), 1U);
  GrowingFile file(folder_ / "a");
  file.write("whole");
  file.finish();
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Growing, MakesTheFoldersThatAreMissing) {
  GrowingFile file(folder_ / "none" / "deeper" / "a");
  file.write("whole");
  file.finish();
  EXPECT_EQ(read_file(folder_ / "none" / "deeper" / "a"), "whole");
}

TEST_F(Growing, RefusesAFolderBeforeAnythingIsWritten) {
  fs::create_directory(folder_ / "a");
  try {
    const GrowingFile begun(folder_ / "a");
    ADD_FAILURE() << "it was begun";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a is a directory; give the name of a file"));
  }
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Growing, SaysWhatCannotBeWritten) {
  write_file(folder_ / "file", "x");
  EXPECT_THROW(GrowingFile(folder_ / "file" / "a"), FileError);
}

}  // namespace
}  // namespace gpugauge::result
