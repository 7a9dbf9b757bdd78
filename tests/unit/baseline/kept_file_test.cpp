// What the command keeps in the state folder goes through no link there.
#include "baseline/kept_file.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folder.hpp"
#include "result/error.hpp"

namespace gpugauge::baseline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class KeptFile : public testing::Test {
 protected:
  KeptFile() {
    fs::create_directories(state_);
    fs::create_directories(victim_);
    ::setenv("GPUGAUGE_STATE", state_.c_str(), 1);
  }
  ~KeptFile() override { ::unsetenv("GPUGAUGE_STATE"); }

  static std::string refusal(const fs::path& file) {
    try {
      keep_file(file, "ours");
    } catch (const result::FileError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder temporary_;
  fs::path state_ = temporary_.path() / "state";
  fs::path victim_ = temporary_.path() / "victim";
};

TEST_F(KeptFile, IsWrittenWhereNoLinkIs) {
  EXPECT_EQ(refusal(state_ / "upgrades" / "one" / "upgrade.json"), "");
  EXPECT_EQ(result::read_file(state_ / "upgrades" / "one" / "upgrade.json"), "ours");
}

TEST_F(KeptFile, GoesThroughNoLinkOfAFile) {
  result::write_file(victim_ / "file", "theirs");
  fs::create_directory(state_ / "verdicts");
  fs::create_symlink(victim_ / "file", state_ / "verdicts" / "host.json");
  EXPECT_THAT(refusal(state_ / "verdicts" / "host.json"), HasSubstr("verdicts/host.json is a link"));
  EXPECT_EQ(result::read_file(victim_ / "file"), "theirs");
}

TEST_F(KeptFile, LooksWhereTheStateFolderReallyIs) {
  const fs::path above = temporary_.path();
  fs::create_directories(above / "a" / "b");
  fs::create_directories(above / "a" / "state");
  fs::create_symlink("a/b", above / "link");
  const fs::path named = above / "link" / ".." / "state";  // a/state, and not the one beside the link
  ::setenv("GPUGAUGE_STATE", named.c_str(), 1);
  fs::create_symlink(victim_, state_ / "verdicts");
  EXPECT_EQ(refusal(named / "verdicts" / "host.json"), "");
  EXPECT_TRUE(fs::exists(above / "a" / "state" / "verdicts" / "host.json"));
  fs::create_symlink(victim_, above / "a" / "state" / "upgrades");
  EXPECT_THAT(refusal(named / "upgrades" / "one.json"), HasSubstr("state/upgrades is a link"));
  EXPECT_TRUE(fs::is_empty(victim_));
}

TEST_F(KeptFile, GoesThroughNoLinkOfAFolderAtAnyDepth) {
  fs::create_symlink(victim_, state_ / "upgrades");
  EXPECT_THAT(refusal(state_ / "upgrades" / "one" / "plan.json"), HasSubstr("state/upgrades is a link"));
  fs::create_directory(state_ / "baselines");
  fs::create_symlink(victim_, state_ / "baselines" / "mine");
  EXPECT_THAT(refusal(state_ / "baselines" / "mine" / "runs" / "a.json"), HasSubstr("mine is a link"));
  fs::create_symlink("nowhere", state_ / "site");
  EXPECT_THAT(refusal(state_ / "site" / "a.json"), HasSubstr("state/site is a link"));
  EXPECT_TRUE(fs::is_empty(victim_));
}

TEST_F(KeptFile, KnowsTheStateFolderByAnotherName) {
  fs::create_symlink(victim_, state_ / "runs");
  fs::create_symlink(state_, temporary_.path() / "other");
  EXPECT_THAT(refusal(temporary_.path() / "other" / "runs" / "a.json"), HasSubstr("other/runs is a link"));
  ::setenv("GPUGAUGE_STATE", (temporary_.path() / "other" / "").c_str(), 1);
  EXPECT_THAT(refusal(state_ / "runs" / "a.json"), HasSubstr("state/runs is a link"));
}

TEST_F(KeptFile, MayLieInAStateFolderThatIsALink) {
  fs::create_symlink(state_, temporary_.path() / "other");
  ::setenv("GPUGAUGE_STATE", (temporary_.path() / "other").c_str(), 1);
  EXPECT_EQ(refusal(temporary_.path() / "other" / "runs" / "a.json"), "");
  EXPECT_EQ(result::read_file(state_ / "runs" / "a.json"), "ours");
}

TEST_F(KeptFile, FollowsAUsersOwnLinkElsewhere) {
  fs::create_symlink(victim_, temporary_.path() / "mine");
  EXPECT_EQ(refusal(temporary_.path() / "mine" / "a.json"), "");
  EXPECT_EQ(result::read_file(victim_ / "a.json"), "ours");
}

}  // namespace
}  // namespace gpugauge::baseline
