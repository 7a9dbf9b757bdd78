#include "result/begun.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "result/error.hpp"

namespace gpugauge::result {
namespace {

namespace fs = std::filesystem;

class BegunTest : public ::testing::Test {
 protected:
  BegunTest() {
    std::string pattern = (fs::temp_directory_path() / "gpugauge-begun-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~BegunTest() override { fs::remove_all(folder_); }
  static void write(const fs::path& file) { std::ofstream(file) << "x"; }

  fs::path folder_;
};

TEST_F(BegunTest, GoesUnlessItIsKept) {
  const auto begin = [&](bool kept) {
    Begun begun;
    begun.make_folder(folder_ / "a/b");
    begun.add_file(folder_ / "a/b/file");
    write(folder_ / "a/b/file");
    if (kept) begun.keep();
  };
  begin(false);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  begin(true);
  EXPECT_TRUE(fs::exists(folder_ / "a/b/file"));
}

TEST_F(BegunTest, LeavesWhatWasThereBeforeAndWhatIsOthers) {
  fs::create_directories(folder_ / "a");
  write(folder_ / "a/earlier");
  {
    Begun begun;
    begun.make_folder(folder_ / "a");
    begun.make_folder(folder_ / "a/new");
    begun.make_folder(folder_ / "a/gone");
    begun.add_file(folder_ / "a/earlier");
    begun.add_file(folder_ / "a/never written");
    write(folder_ / "a/new/of another");
  }
  EXPECT_TRUE(fs::exists(folder_ / "a/earlier"));
  EXPECT_TRUE(fs::exists(folder_ / "a/new/of another"));
  EXPECT_FALSE(fs::exists(folder_ / "a/gone"));
}

TEST_F(BegunTest, SaysWhichFolderCouldNotBeMade) {
  write(folder_ / "file");
  Begun begun;
  EXPECT_THROW(begun.make_folder(folder_ / "file/below"), FileError);
}

TEST_F(BegunTest, LeavesALinkThatLeadsNowhere) {
  fs::create_symlink(folder_ / "nowhere", folder_ / "link");
  {
    Begun begun;
    EXPECT_THROW(begun.make_folder(folder_ / "link"), FileError);
  }
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
}

}  // namespace
}  // namespace gpugauge::result
