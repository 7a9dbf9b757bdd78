#include "stack/inventory/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "unit/stack/inventory/collected.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

Inventory of_process(const FakeTree& tree, int pid) {
  Context context{Tree(tree.root()), {}, "", pid, false, 20, {}};
  Inventory inventory;
  collect_process(context, inventory);
  return inventory;
}

TEST(Process, MappedFilesAreNamedOnce) {
  EXPECT_THAT(mapped_files("7f00-7f01 r-xp 00000000 fe:01 12    /usr/lib/liba.so.1\n"
                           "7f01-7f02 r--p 00001000 fe:01 12    /usr/lib/liba.so.1\n"
                           "7f02-7f03 rw-p 00000000 00:00 0     [heap]\n7f03-7f04 rw-p 00000000 00:00 0\n"
                           "7f04-7f05 r-xp 00000000 fe:01 13    /a folder/lib b.so (deleted)\n"),
              ElementsAre(MappedFile{"/usr/lib/liba.so.1", false}, MappedFile{"/a folder/lib b.so", true}));
  EXPECT_TRUE(mapped_files("").empty());
}

TEST(Process, LibrariesAndEnvironmentAreTold) {
  FakeTree tree;
  tree.file("/proc/42/comm", "python3\n");
  tree.file("/proc/42/maps",
            "1-2 r-xp 0 fe:01 1 /opt/cudnn/lib/libcudnn.so.9.10.2\n"
            "2-3 r-xp 0 fe:01 2 /opt/cudnn/lib/libcudnn_ops.so.9 (deleted)\n"
            "3-4 r-xp 0 fe:01 3 /usr/lib/libcuda.so.580.65.06\n"
            "4-5 r-xp 0 fe:01 4 /usr/lib/libc.so.6\n");
  tree.file("/proc/42/environ", "PATH=/bin\0NCCL_DEBUG=INFO\0NVIDIA_API_KEY=secret\0=x\0broken\0"s);
  const Inventory inventory = of_process(tree, 42);
  EXPECT_EQ(inventory.value("process.pid"), "42");
  EXPECT_EQ(inventory.value("process.name"), "python3");
  EXPECT_EQ(inventory.value("process.library.0.name"), "cudnn");
  EXPECT_EQ(inventory.value("process.library.0.version"), "9.10.2");
  EXPECT_EQ(inventory.value("process.library.0.deleted"), "no");
  EXPECT_EQ(inventory.value("process.library.1.deleted"), "yes");
  EXPECT_EQ(inventory.value("process.library.1.version"), "unknown");
  EXPECT_EQ(inventory.value("process.library.2.name"), "libcuda");
  EXPECT_EQ(inventory.value("process.library.2.version"), "580.65.06");
  EXPECT_FALSE(inventory.has("process.library.3.path"));
  EXPECT_EQ(inventory.value("process.env.NCCL_DEBUG"), "INFO");
  EXPECT_EQ(inventory.value("process.env.NVIDIA_API_KEY"), "set, value withheld");
  EXPECT_EQ(inventory.find("process.env.PATH"), nullptr);
}

TEST(Process, MissingOnesKernelThreadsAndForeignOnesAreDifferentAnswers) {
  FakeTree tree;
  EXPECT_TRUE(is_absent(of_process(tree, 7), "process.pid"));
  EXPECT_EQ(how(of_process(tree, 7), "process.pid"), "no process 7 is running");
  tree.file("/proc/8/comm", "kthreadd\n");
  tree.file("/proc/8/maps", "");
  EXPECT_TRUE(is_absent(of_process(tree, 8), "process.library"));
  tree.file("/proc/9/maps/inside", "");  // refuses to be read, as a foreign process's does
  tree.file("/proc/9/environ/inside", "");
  const Inventory refused = of_process(tree, 9);
  EXPECT_TRUE(refused.unreadable("process.library"));
  EXPECT_EQ(refused.find("process.library")->needs, "the same user or root");
  EXPECT_TRUE(refused.unreadable("process.env"));
}

TEST(Process, NothingIsCollectedUnlessAsked) {
  const FakeTree tree;
  EXPECT_TRUE(collected(tree, collect_process).items().empty());
}

TEST(Process, OurOwnIsReadOnTheLiveMachine) {
  Context context{Tree("/"), {}, "", ::getpid(), false, 20, {}};
  Inventory inventory;
  collect_process(context, inventory);
  EXPECT_EQ(inventory.value("process.pid"), std::to_string(::getpid()));
  EXPECT_THAT(inventory.value("process.name"), HasSubstr("test_stack"));
}

}  // namespace
}  // namespace gpugauge::stack
