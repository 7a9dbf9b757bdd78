#include "stack/tree.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_tree.hpp"

namespace gpugauge::stack {
namespace {

TEST(Tree, AbsentUnreadableAndEmptyAreDifferentAnswers) {
  FakeTree tree;
  tree.file("/some/text", "value\n");
  tree.file("/some/empty", "");
  tree.file("/some/secret", "value");
  ASSERT_EQ(::chmod(tree.at("/some/secret").c_str(), 0), 0);
  const Tree seen(tree.root());
  EXPECT_EQ(seen.read("/some/text").fact(), "value");
  EXPECT_EQ(seen.read("/some/empty").fact(), "empty");
  EXPECT_EQ(seen.read("/some/missing").fact(), "absent");
  EXPECT_EQ(seen.read("/some/text/below").fact(), "absent");
  EXPECT_EQ(seen.read("/some").fact(), "unreadable") << "a folder is no text";
  EXPECT_EQ(seen.read("/some/text", 2).text, "va");
  if (::geteuid() != 0) {
    EXPECT_EQ(seen.read("/some/secret").fact(), "unreadable");
  }
}

TEST(Tree, AFifoDoesNotHoldTheReader) {
  FakeTree tree;
  ASSERT_EQ(::mkfifo(tree.at("/pipe").c_str(), 0600), 0);
  EXPECT_EQ(Tree(tree.root()).read("/pipe").fact(), "empty");
}

TEST(Tree, ADeviceIsNotOpened) {
  FakeTree tree;
  tree.link("/random", "/dev/urandom");
  tree.file("/dev/urandom", "a plain file of this tree\n");
  EXPECT_EQ(Tree(tree.root()).read("/random").fact(), "a plain file of this tree");
  EXPECT_EQ(Tree("/").read("/dev/zero", 16).fact(), "unreadable");
}

TEST(Tree, FollowsLinksInsideTheRootOnly) {
  FakeTree outside;
  outside.file("/secret", "outside");
  FakeTree tree;
  tree.file("/usr/lib/libcuda.so.580.65.06", "inside");
  tree.link("/usr/lib/libcuda.so.1", "libcuda.so.580.65.06");
  tree.link("/lib", "/usr/lib");
  tree.link("/alternatives/cuda", "../../../../../../lib/libcuda.so.1");
  tree.link("/secret", (outside.root() + "/secret"));
  tree.link("/secret_by_dots", "../" + outside.root().substr(5) + "/secret");
  tree.link("/etc_of_the_host", "/etc");
  const Tree seen(tree.root());
  EXPECT_EQ(seen.resolve("/lib/libcuda.so.1"), "/usr/lib/libcuda.so.580.65.06");
  EXPECT_EQ(seen.resolve("/alternatives/cuda"), "/usr/lib/libcuda.so.580.65.06");
  EXPECT_EQ(seen.resolve("/lib/../lib/./"), "/usr/lib");
  EXPECT_EQ(seen.resolve("/"), "/");
  EXPECT_EQ(seen.read("/lib/libcuda.so.1").text, "inside");
  EXPECT_EQ(seen.at("/lib/libcuda.so.1").string(), tree.root() + "/usr/lib/libcuda.so.580.65.06");
  EXPECT_EQ(seen.at("/lib/missing/x").string(), tree.root() + "/usr/lib/missing/x");
  EXPECT_EQ(seen.at("/../../..").string(), tree.root() + "/");
  EXPECT_EQ(seen.list("/lib"), (std::vector<std::string>{"libcuda.so.1", "libcuda.so.580.65.06"}));
  for (const char* const path : {"/secret", "/secret_by_dots", "/etc_of_the_host/passwd"}) {
    EXPECT_EQ(seen.read(path).fact(), "absent") << path;
    EXPECT_EQ(seen.resolve(path), "") << path;
  }
  EXPECT_TRUE(seen.exists("/secret")) << "the link is there";
  EXPECT_EQ(seen.link_name("/lib"), "lib");
  EXPECT_EQ(seen.link_name("/lib/libcuda.so.1"), "libcuda.so.580.65.06");
}

TEST(Tree, EndlessLinksAreUnreadable) {
  FakeTree tree;
  tree.link("/a", "b");
  tree.link("/b", "/a");
  tree.link("/deep", "deep/deep");
  const Tree seen(tree.root());
  for (const char* const path : {"/a", "/b/c", "/deep", "/deep/x"}) {
    EXPECT_EQ(seen.read(path).fact(), "unreadable") << path;
    EXPECT_EQ(seen.resolve(path), "") << path;
    EXPECT_EQ(seen.at(path), "") << path;
    EXPECT_TRUE(seen.list(path).empty()) << path;
  }
}

TEST(Tree, AFolderThatMayNotBeListedIsNotAnEmptyOne) {
  FakeTree tree;
  tree.file("/open/x", "");
  tree.file("/shut/inner/x", "");
  tree.link("/lead", "shut");
  tree.link("/loop", "loop");
  tree.forbid("/shut");
  const AsNobody user(tree);
  if (!user.is()) GTEST_SKIP() << "root may look everywhere";
  const Tree seen(tree.root());
  EXPECT_EQ(seen.folder("/open"), Presence::present);
  for (const char* const path : {"/shut", "/lead", "/shut/inner"}) {
    EXPECT_EQ(seen.folder(path), Presence::unreadable) << path;
    EXPECT_EQ(seen.folder(path, false), Presence::unreadable) << path;
  }
  for (const char* const path : {"/none", "/open/x", "/loop"})
    EXPECT_EQ(seen.folder(path), Presence::absent) << path;
}

TEST(Tree, ReadsTheEndOfALogAndRawBytes) {
  FakeTree tree;
  tree.file("/log", "first\nsecond\nthird\n");
  tree.file("/raw", std::string("a\0 \n\0", 5));
  const Tree seen(tree.root());
  EXPECT_EQ(seen.read_end("/log", 6).text, "third\n");
  EXPECT_EQ(seen.read_end("/log", 1000).text, "first\nsecond\nthird\n");
  EXPECT_EQ(seen.read_end("/none", 10).presence, Presence::absent);
  EXPECT_EQ(seen.read_raw("/raw", 100).text, std::string("a\0 \n\0", 5));
  EXPECT_EQ(seen.read("/raw").text, "a");
}

TEST(Tree, OnTheLiveMachineLinksAreTheKernels) {
  const Tree live("/");
  EXPECT_TRUE(live.live());
  EXPECT_TRUE(Tree("/.").live());
  EXPECT_EQ(live.resolve("/proc/self/exe"), std::filesystem::read_symlink("/proc/self/exe").string());
  EXPECT_EQ(live.resolve("/no/such/place"), "");
}

}  // namespace
}  // namespace gpugauge::stack
