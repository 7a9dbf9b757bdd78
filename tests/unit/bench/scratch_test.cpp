#include "support/scratch.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace gpugauge::bench {
namespace {
namespace fs = std::filesystem;

TEST(Scratch, LiesUnderTmpdirUntilTheHarnessGaveAFolder) {
  const result::TemporaryDirectory users;
  const result::TemporaryDirectory harness;
  ::setenv("TMPDIR", users.path().c_str(), 1);
  fs::path path;
  {
    const auto folder = make_scratch_folder();
    path = folder->path();
    EXPECT_EQ(path.parent_path(), users.path());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
  set_scratch_parent(harness.path());
  EXPECT_EQ(make_scratch_folder()->path().parent_path(), harness.path());
  ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace gpugauge::bench
