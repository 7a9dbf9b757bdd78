#include <fstream>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::result {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RequirePlace : public testing::Test {
 protected:
  RequirePlace() {
    std::string name = (fs::temp_directory_path() / "gpugauge-place-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~RequirePlace() override { fs::remove_all(folder_); }

  static std::string fault(const fs::path& file) {
    try {
      require_place_to_write(file);
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(RequirePlace, IsThereForWhatCanBeWrittenAndMakesNothing) {
  EXPECT_EQ(fault(folder_ / "new.json"), "");
  EXPECT_EQ(fault(folder_ / "new/of/its/own.json"), "");
  std::ofstream(folder_ / "old.json") << "old";
  EXPECT_EQ(fault(folder_ / "old.json"), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(RequirePlace, SaysWhatIsThereAndWhatMayNotBeSeen) {
  EXPECT_TRUE(is_there(folder_));
  EXPECT_FALSE(is_there(folder_ / "none"));
  EXPECT_FALSE(is_there(folder_ / "none/below"));
  const fs::path unseen = folder_ / std::string(300, 'x');
  try {
    is_there(unseen);
    FAIL() << "a name that no folder can hold";
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()).find("filesystem error"), std::string::npos);
    EXPECT_THAT(error.what(), HasSubstr("cannot be seen: File name too long; name another place"));
  }
}

TEST_F(RequirePlace, IsNoneInAFilesOrADevicesPlace) {
  std::ofstream(folder_ / "file") << "";
  EXPECT_THAT(fault(folder_), HasSubstr("is a directory; give the name of a file"));
  EXPECT_THAT(fault("/dev/full"), HasSubstr("is not a regular file"));
  EXPECT_THAT(fault(folder_ / "file/below.json"), HasSubstr("file could not be made: Not a directory"));
  EXPECT_THAT(fault(folder_ / "file/deep/below.json"), HasSubstr("deep could not be made: Not a directory"));
}

TEST_F(RequirePlace, IsNoneWhereTheKernelMakesNoFile) {
  EXPECT_THAT(fault("/proc/x.json"), HasSubstr("/proc/x.json could not be written"));
  EXPECT_THAT(fault("/proc/none/x.json"), HasSubstr("the folder /proc/none could not be made"));
}

TEST_F(RequirePlace, CountsWhatANameGetsUntilTheFileIsWhole) {
  const std::string most(255 - 17, 'x');
  EXPECT_EQ(fault(folder_ / most), "");
  write_file(folder_ / most, "it");
  EXPECT_THAT(fault(folder_ / (most + "x")), HasSubstr("File name too long; name another place"));
  EXPECT_THROW(write_file(folder_ / (most + "x"), "it"), FileError);
  EXPECT_THAT(fault(folder_ / std::string(300, 'x') / "a.json"), HasSubstr("File name too long"));
}

TEST_F(RequirePlace, IsNoneWithoutTheRightToWrite) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ::chmod(folder_.c_str(), 0555);
  EXPECT_THAT(fault(folder_ / "x.json"), HasSubstr("x.json could not be written: Permission denied"));
  ::chmod(folder_.c_str(), 0755);
}

}  // namespace
}  // namespace gpugauge::result
