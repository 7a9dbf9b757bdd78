#include "run/identity.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_family.hpp"

namespace gpugauge::run {
namespace {

using ::testing::StartsWith;

TEST(MakeId, WritesTimeThenRandomBitsInCrockfordsAlphabet) {
  EXPECT_EQ(make_id(0, 0, 0), "00000000000000000000000000");
  EXPECT_EQ(make_id((std::uint64_t{1} << 48U) - 1, 0xFFFF, std::numeric_limits<std::uint64_t>::max()),
            "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  // The example of the ULID specification: 2016-07-30T23:54:10.259Z.
  EXPECT_THAT(make_id(1469922850259, 0, 1), StartsWith("01ARZ3NDEK"));
  EXPECT_EQ(make_id(0, 0, 1), "00000000000000000000000001");
  EXPECT_EQ(make_id(0, 1, 0),
            "0000000000000G000000000000");  // bit 64: the fifth of the 13th digit from the end
  EXPECT_EQ(make_id(0, 0x8000, 0), "0000000000G000000000000000");
}

TEST(MakeId, SortsByTime) {
  EXPECT_LT(make_id(1, 0xFFFF, 5), make_id(2, 0, 0));
}

TEST(MakeId, IsNewEachTime) {
  EXPECT_NE(make_id(), make_id());
}

TEST(BootId, IsReadFromTheKernel) {
  const result::TemporaryDirectory root;
  write_text(root.path() / "proc/sys/kernel/random/boot_id", "8b1f\n");
  EXPECT_EQ(boot_id(root.path()), "8b1f");
  EXPECT_EQ(boot_id(root.path() / "none"), "");
}

}  // namespace
}  // namespace gpugauge::run
