#include <gtest/gtest.h>

#include "stack/compat/tables.hpp"
#include "unit/stack/inventory/collected.hpp"

namespace gpugauge::stack {
namespace {

Inventory of_driver(const std::string& version, const std::string& kind = "driver") {
  Inventory inventory;
  inventory.present("driver.version", version, "test");
  inventory.present("driver.libcuda_kind", kind, "test");
  collect_driver_branch(inventory);
  return inventory;
}

TEST(DriverBranchFacts, KindEndOfLifeAndNewestReleaseOfTheTables) {
  const Inventory found = of_driver("580.65.06");
  const DriverBranch* const branch = tables().branch(Version::parse("580.65.06").value());
  ASSERT_NE(branch, nullptr);
  EXPECT_EQ(found.value("driver_branch.number"), "580");
  EXPECT_EQ(found.value("driver_branch.kind"), branch->kind);
  EXPECT_EQ(found.value("driver_branch.end_of_life"), branch->end_of_life);
  EXPECT_EQ(found.value("driver_branch.newest"), branch->latest->text());
  EXPECT_EQ(how(found, "driver_branch.kind"), branch->source.text) << "a source for each";
}

TEST(DriverBranchFacts, ABranchThatEndedWithoutADateIsSaidToHaveEnded) {
  EXPECT_EQ(of_driver("455.45.01").value("driver_branch.end_of_life"), "ended");
  EXPECT_TRUE(is_absent(of_driver("455.45.01"), "driver_branch.newest"));
}

TEST(DriverBranchFacts, AnUnknownBranchIsSaidToBeUnknown) {
  EXPECT_TRUE(is_absent(of_driver("720.10.01"), "driver_branch.number"));
  EXPECT_EQ(how(of_driver("720.10.01"), "driver_branch.number"), "it has no branch 720");
  EXPECT_EQ(of_driver("no version").find("driver_branch.number"), nullptr);
  EXPECT_EQ(of_driver("580.97", "wsl").find("driver_branch.number"), nullptr) << "Windows' number";
}

}  // namespace
}  // namespace gpugauge::stack
