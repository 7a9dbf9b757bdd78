// What the rules share: text, numbers, majorities, lines of the kernel log.
#include "stack/rules/support.hpp"

#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

TEST(Support, PrintableTextIsAsciiAndCut) {
  EXPECT_EQ(printable("580.65.06"), "580.65.06");
  EXPECT_EQ(printable(std::string("a\0b\n\xc3\xa9", 6)), "a?b???");
  EXPECT_EQ(printable("abcdefghij", 8), "abcde...");
  EXPECT_EQ(printable("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(printable("", 8), "");
}

TEST(Support, NumbersAreWholeTextsOnly) {
  const auto number = [](const std::string& text) {
    Inventory inventory;
    set(inventory, "a", text, "/proc/a");
    return number_of(inventory, "a");
  };
  EXPECT_EQ(number("1.5"), 1.5);
  EXPECT_EQ(number("-3"), -3.0);
  for (const std::string text : {"", "1x", "unlimited", "nan", "inf", "1e999"})
    EXPECT_EQ(number(text), std::nullopt) << text;
}

TEST(Support, SeenTellsAbsentFromUnreadableAndNotLookedFor) {
  Inventory inventory;
  set(inventory, "a", "1", "/proc/a");
  inventory.absent("b", "/proc/b");
  inventory.unreadable("c", "/proc/c", "root");
  EXPECT_EQ(seen(inventory, "a", "first"), "first 1 (/proc/a)");
  EXPECT_EQ(seen(inventory, "b", "second"), "second: absent (/proc/b)");
  EXPECT_EQ(seen(inventory, "c", "third"), "third: may not be read, needs root (/proc/c)");
  EXPECT_EQ(seen(inventory, "d", "fourth"), "");
  EXPECT_EQ(seen(inventory, "a", "first:"), "first: 1 (/proc/a)");
  EXPECT_EQ(seen(inventory, "b", "second:"), "second: absent (/proc/b)");
}

TEST(Support, ATimeOfTheKernelLogMayHoldBlanks) {
  const auto read = [](const std::string& line) {
    Inventory inventory;
    set(inventory, "kernel_log.xid.0", line);
    const std::vector<Xid> xids = xids_of(inventory);
    if (xids.size() != 1) return std::string("none");
    return xids[0].time + "|" + xids[0].pci + "|" + std::to_string(xids[0].number) + "|" + xids[0].text;
  };
  EXPECT_EQ(read("2026-11-20T10:11:12 0000:01:00.0 79 GPU has fallen off the bus"),
            "2026-11-20T10:11:12|0000:01:00.0|79|GPU has fallen off the bus");
  EXPECT_EQ(read("Nov 20 10:11:12 0000:c1:00.0 13 x"), "Nov 20 10:11:12|0000:c1:00.0|13|x");
  EXPECT_EQ(read("boot+12s 10000:e1:00.0 13"), "boot+12s|10000:e1:00.0|13|");
  EXPECT_EQ(read("0000:01:00.0 48 text"), "|0000:01:00.0|48|text");
  for (const std::string line :
       {"", "79", "2026 01:00.0 79 x", "2026 0000:01:00.0 x", "2026 0000:0g:00.0 79 x"})
    EXPECT_EQ(read(line), "none") << line;
}

TEST(Support, AMajorityIsMoreThanHalf) {
  EXPECT_EQ(majority({"a", "b", "a"}), "a");
  EXPECT_EQ(majority({"a", "b"}), std::nullopt);
  EXPECT_EQ(majority({"a", "a", "b", "b"}), std::nullopt);
  EXPECT_EQ(majority({}), std::nullopt);
}

}  // namespace
}  // namespace gpugauge::stack
