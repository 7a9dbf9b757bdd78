#include "result/read_ahead.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::result {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReadAheadFiles : public testing::Test {
 protected:
  ReadAheadFiles() {
    std::string name = (fs::temp_directory_path() / "gpugauge-ahead-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ReadAheadFiles() override { fs::remove_all(folder_); }

  /// `count` files that hold their own number, as many times as it says.
  void make(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      files_.push_back(folder_ / fmt::format("{}.json", i));
      std::ofstream(files_.back()) << text_of(i);
    }
  }
  static std::string text_of(std::size_t i) {
    std::string text;
    for (std::size_t times = 0; times <= i; ++times) text += fmt::format("{} ", i);
    return text;
  }
  ReadAhead reader() const {
    return {files_.size(), [this](std::size_t i) { return files_[i]; }};
  }

  fs::path folder_;
  std::vector<fs::path> files_;
};

TEST_F(ReadAheadFiles, GivesEachFileOnceAndThenNoMore) {
  make(200);
  ReadAhead ahead = reader();
  std::vector<int> times(files_.size());
  ReadAhead::File file;
  while (ahead.next(file)) {
    ASSERT_FALSE(file.fault);
    EXPECT_EQ(file.text, text_of(file.index));
    ++times[file.index];
  }
  EXPECT_THAT(times, testing::Each(1));
  EXPECT_FALSE(ahead.next(file));
}

TEST_F(ReadAheadFiles, GivesEachFileToOneOfSeveralThatTake) {
  make(300);
  ReadAhead ahead = reader();
  std::array<std::atomic<int>, 300> times{};
  std::atomic<int> wrong = 0;
  {
    std::array<std::jthread, 4> threads;
    for (std::jthread& thread : threads)
      thread = std::jthread([&] {
        ReadAhead::File file;
        while (ahead.next(file)) {
          ++times.at(file.index);
          if (file.fault || file.text != text_of(file.index)) ++wrong;
        }
      });
  }
  EXPECT_EQ(wrong, 0);
  for (const auto& one : times) EXPECT_EQ(one, 1);
}

TEST_F(ReadAheadFiles, AFileThatCannotBeReadComesWithItsSentenceAndTheOthersAfterIt) {
  make(20);
  fs::remove(files_[3]);
  fs::remove(files_[7]);
  fs::create_directory(files_[7]);
  ReadAhead ahead = reader();
  std::size_t whole = 0;
  std::vector<std::string> faults;
  ReadAhead::File file;
  while (ahead.next(file)) {
    if (!file.fault) {
      EXPECT_EQ(file.text, text_of(file.index));
      ++whole;
      continue;
    }
    try {
      std::rethrow_exception(file.fault);
    } catch (const FileError& error) {
      faults.emplace_back(error.what());
    }
  }
  EXPECT_EQ(whole, 18U);
  EXPECT_THAT(faults, testing::UnorderedElementsAre(HasSubstr("3.json could not be opened: No such file"),
                                                    HasSubstr("7.json is a directory")));
}

std::size_t resident_bytes() {
  std::size_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST_F(ReadAheadFiles, HoldsAFewTextsHoweverManyFilesThereAre) {
  make(1);
  write_file(files_[0], std::string(1 << 20, 'x'));
  constexpr std::size_t times = 400;
  ReadAhead ahead(times, [this](std::size_t) { return files_[0]; });
  const std::size_t before = resident_bytes();
  ReadAhead::File file;
  while (ahead.next(file)) ASSERT_EQ(file.text.size(), std::size_t{1} << 20);
  EXPECT_LT(resident_bytes() - std::min(before, resident_bytes()), std::size_t{100} << 20);
}

TEST_F(ReadAheadFiles, EndsWhileFilesAreLeft) {
  make(100);
  ReadAhead ahead = reader();
  ReadAhead::File file;
  EXPECT_TRUE(ahead.next(file));
}

TEST_F(ReadAheadFiles, NoFilesAreAtTheirEndAtOnce) {
  ReadAhead ahead = reader();
  ReadAhead::File file;
  EXPECT_FALSE(ahead.next(file));
}

TEST_F(ReadAheadFiles, ReadingOnceGivesWhatReadingGives) {
  std::string text(3 << 20, 'x');
  text += "end";
  write_file(folder_ / "large", text);
  std::string once = "what was there before";
  read_file_once(folder_ / "large", once);
  EXPECT_EQ(once, text);
  EXPECT_THROW(read_file_once(folder_ / "large", once, 1000), FileError);
  // Files of /proc tell no size, and their file system knows nothing of uncached reads.
  read_file_once("/proc/self/status", once);
  EXPECT_THAT(once, HasSubstr("Pid:"));
}

}  // namespace
}  // namespace gpugauge::result
