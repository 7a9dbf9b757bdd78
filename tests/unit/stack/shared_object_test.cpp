// Libraries that lie in the working folder.
#include "stack/shared_object.hpp"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>

#include "fake_tree.hpp"
#include "probe_fakes.hpp"
#include "stack/environment.hpp"

namespace gpugauge::stack {
namespace {

using testing::HasSubstr;

/// Works in a folder of its own, under its own LD_LIBRARY_PATH.
class WorkingFolder : public ::testing::Test {
 protected:
  WorkingFolder() : list_(value_of(current_environment(), name)) {
    std::filesystem::current_path(tree_.root());
  }
  ~WorkingFolder() override {
    std::filesystem::current_path(before_);
    set(list_);
  }

  static std::string refused_under(const std::string& list, const std::string& soname = "libcuda.so.1") {
    set(list);
    return refused_library(soname);
  }

  FakeTree tree_;

 private:
  static constexpr const char* name = "LD_LIBRARY_PATH";
  static void set(const std::optional<std::string>& value) {
    if (value) ::setenv(name, value->c_str(), 1);
    if (!value) ::unsetenv(name);
  }
  std::filesystem::path before_ = std::filesystem::current_path();
  std::optional<std::string> list_;
};

TEST_F(WorkingFolder, ALibraryInItIsRefusedWhereAnEntryLeadsThere) {
  tree_.file("/libcuda.so.1", "planted");
  for (const char* const list : {"/x:", ":/x", ":", "/a::/b", "a::b", ".", "/x:.", "./", "/a;"})
    EXPECT_THAT(refused_under(list), HasSubstr("a libcuda.so.1 in the working folder")) << list;
  for (const char* const list : {"", "/x", "/x:/y", "lib"}) EXPECT_EQ(refused_under(list), "") << list;
  EXPECT_EQ(refused_under("/x:", "libnvidia-ml.so.1"), "") << "there is none";
  EXPECT_EQ(refused_under("/x:", tree_.root() + "/libcuda.so.1"), "") << "named in full";
}

TEST_F(WorkingFolder, ItsFoldersBelowCountToo) {
  tree_.file("/lib/libcuda.so.1", "planted");
  tree_.file("/deep/glibc-hwcaps/x86-64-v3/libcuda.so.1", "planted");
  EXPECT_EQ(refused_under("/x:"), "");
  EXPECT_NE(refused_under("/x:lib"), "");
  EXPECT_NE(refused_under("deep"), "");
}

TEST_F(WorkingFolder, WhatIsRefusedIsNotOpened) {
  tree_.file("/libcuda.so.1", "planted");
  ASSERT_NE(refused_under("/x:"), "");
  const SharedObject library("libcuda.so.1");
  EXPECT_FALSE(library.opened().opened);
  EXPECT_FALSE(library.opened().missing);
  EXPECT_TRUE(library.opened().refused);
  EXPECT_THAT(library.opened().error, HasSubstr("nothing is loaded from there"));
}

TEST_F(WorkingFolder, ADriverThatLiesInItIsNoDriver) {
  std::filesystem::current_path(GPUGAUGE_FAKE_DRIVER);
  tree_.healthy(1);
  EXPECT_EQ(probe(tree_, "", {}).state, GpuState::usable) << "named in full";
  for (const std::string list : {"/x:", ".", "a::b"}) {
    const GpuReport report = probe(tree_, "", {}, 30, list);
    EXPECT_EQ(report.state, GpuState::no_library) << list;
    EXPECT_THAT(report.explanation, HasSubstr("nothing is loaded from there. Next: write the folders"))
        << list;
  }
}

}  // namespace
}  // namespace gpugauge::stack
