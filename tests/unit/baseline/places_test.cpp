// Folders into which no look is possible: whether a baseline lies there nobody can tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baseline/baseline.hpp"
#include "result/error.hpp"
#include "selected.hpp"

namespace gpugauge::baseline {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Places : public Select {};

TEST_F(Places, AClosedOwnOneIsNoPassAndIsListed) {
  const fs::path mine = pin("state/baselines/mine");
  fs::remove(mine / "baseline.json");
  EXPECT_EQ(select({}, now(), "host").damaged, "") << "a folder without a manifest is no baseline";
  fs::create_symlink("baseline.json", mine / "baseline.json");  // whoever asks gets an error, root too
  Selection found = select({}, now(), "host");
  EXPECT_FALSE(found.baseline);
  EXPECT_THAT(found.damaged, HasSubstr(mine.string() + " cannot be looked into: "));
  EXPECT_THAT(found.damaged, HasSubstr("this device's baseline may lie there"));
  EXPECT_THAT(found.problems, ElementsAre(HasSubstr(mine.string() + " cannot be looked into: ")));
  EXPECT_THAT(found.origin, HasSubstr("The baseline of this machine cannot be used"));
  ASSERT_EQ(list().size(), 1U);
  EXPECT_EQ(list().front().folder, mine);
  EXPECT_TRUE(list().front().closed);
  EXPECT_THAT(list().front().fault, HasSubstr("cannot be looked into"));

  fs::remove_all(mine);
  fs::create_symlink("mine", mine);
  EXPECT_THAT(select({}, now(), "host").damaged, HasSubstr(mine.string() + " cannot be looked into: "));
  fs::remove(mine);
  fs::create_symlink("/nowhere", mine);
  EXPECT_EQ(select({}, now(), "host").damaged, "") << "a link that leads nowhere is no baseline";
  EXPECT_THAT(list(), IsEmpty());

  fs::create_directories(temporary.path() / "state/site");
  fs::create_symlink("loop", temporary.path() / "state/site/loop");
  found = select({}, now(), "host");
  EXPECT_EQ(found.damaged, "") << "another machine's is said to be missed, and decides nothing";
  EXPECT_THAT(found.problems, ElementsAre(HasSubstr("cannot be looked into")));
}

TEST_F(Places, ThatAreClosedAreSaidWhereANameIsLookedFor) {
  const auto refused = [](const std::string& name) -> std::string {
    try {
      return find(name).string();
    } catch (const result::UsageError& error) {
      return error.what();
    }
  };
  fs::create_directories(temporary.path() / "state/baselines");
  fs::create_symlink("shut", temporary.path() / "state/baselines/shut");
  EXPECT_THAT(refused("mine"), HasSubstr("no baseline 'mine' can be seen; "));
  EXPECT_THAT(refused("mine"), HasSubstr("baselines/shut cannot be looked into: "));
  pin("state/baselines/mine");
  EXPECT_THAT(refused("yours"), HasSubstr("there is no baseline 'yours'; there are mine; "));
  EXPECT_THAT(refused("yours"), HasSubstr("baselines/shut cannot be looked into: "));
}

}  // namespace
}  // namespace gpugauge::baseline
