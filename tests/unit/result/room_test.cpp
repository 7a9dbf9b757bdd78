#include "result/room.hpp"

#include <cerrno>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "result/temporary_directory.hpp"

namespace gpugauge::result {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

struct statvfs figures_of(std::uint64_t blocks, std::uint64_t free, std::uint64_t available) {
  struct statvfs out {};
  out.f_bsize = 1 << 20;
  out.f_frsize = 4096;
  out.f_blocks = blocks;
  out.f_bfree = free;
  out.f_bavail = available;
  return out;
}

TEST(Room, WhatIsFreeIsHeldAgainstWhatIsWanted) {
  EXPECT_FALSE(is_too_full(figures_of(1000, 256, 256), mib, false));
  EXPECT_TRUE(is_too_full(figures_of(1000, 255, 255), mib, false));
  EXPECT_TRUE(is_too_full(figures_of(1000, 0, 0), 1, false));
}

TEST(Room, WhatIsSetAsideIsRoots) {
  const struct statvfs almost = figures_of(10000, 500, 0);
  EXPECT_TRUE(is_too_full(almost, mib, false));
  EXPECT_FALSE(is_too_full(almost, mib, true));
}

TEST(Room, AFileSystemThatTellsNothingOrHasNoEndIsNotFull) {
  EXPECT_FALSE(is_too_full(figures_of(0, 0, 0), mib, false));
  struct statvfs none = figures_of(1000, 0, 0);
  none.f_frsize = none.f_bsize = 0;
  EXPECT_FALSE(is_too_full(none, mib, false));
  const std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();
  EXPECT_FALSE(is_too_full(figures_of(endless, endless, endless), mib, false));
  struct statvfs without_fragments = figures_of(1000, 1, 1);
  without_fragments.f_frsize = 0;
  EXPECT_FALSE(is_too_full(without_fragments, mib, false)) << "one block of 1 MiB";
}

TEST(Room, IsAskedForAndNothingIsLeftBehind) {
  const TemporaryDirectory temporary;
  const std::filesystem::path folder = temporary.path() / "runs";
  std::filesystem::create_directory(folder);
  EXPECT_EQ(lack_of_room(folder, 4096), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  // No file system has that much.
  const int lacks = lack_of_room(folder, std::uint64_t{1} << 62);
  EXPECT_TRUE(lacks == ENOSPC || lacks == EDQUOT) << lacks;
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_EQ(lack_of_room(folder / "none", 4096), 0) << "what nobody can tell is no lack";
}

}  // namespace
}  // namespace gpugauge::result
