#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/stack/inventory/collected.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::AllOf;
using ::testing::MatchesRegex;

Inventory all_of(const FakeTree& tree, const Environment& environment = {}) {
  Context context{Tree(tree.root()), environment, "", 42, true, 20, {}};
  return collect(context);
}

TEST(Collect, ComesInReadingOrderAndSaysWhatItLookedAt) {
  FakeTree tree;
  tree.healthy(2);
  tree.file("/usr/local/cuda-12.8/bin/nvcc", "");
  tree.file("/usr/local/cuda-12.8/include/cuda.h", "#define CUDA_VERSION 12080\n");
  tree.file("/usr/lib64/libnccl.so.2.27.3", "");
  tree.link("/usr/lib64/libnccl.so.2", "libnccl.so.2.27.3");
  tree.file("/proc/42/comm", "train\n");
  tree.file("/proc/42/maps", "1-2 r-xp 0 fe:01 1 /usr/lib64/libnccl.so.2.27.3\n");
  tree.file("/usr/bin/python3.11", "");
  tree.link("/usr/bin/python3", "python3.11");
  tree.file("/usr/lib/python3/dist-packages/torch-2.8.0.dist-info/METADATA",
            "Name: torch\nVersion: 2.8.0+cpu\n");
  const Inventory inventory = all_of(tree, {{"PATH", "/usr/bin"}});
  EXPECT_EQ(inventory.value("driver.kernel_module_version"), "580.65.06");
  EXPECT_EQ(inventory.value("toolkit.0.version"), "12.8");
  EXPECT_EQ(inventory.value("library.nccl.0.version"), "2.27.3");
  EXPECT_EQ(inventory.value("process.library.0.version"), "2.27.3");
  EXPECT_EQ(inventory.value("framework.torch.build"), "cpu");
  EXPECT_EQ(inventory.find("framework.torch.import.outcome"), nullptr) << "nothing of a mounted image is run";
  EXPECT_EQ(inventory.value("collected.root"), tree.root());
  EXPECT_THAT(inventory.value("collected.at"), MatchesRegex("20..-..-..T..:..:..Z"));
  EXPECT_THAT(inventory.value("collected.seconds"), MatchesRegex("[0-9]+\\.[0-9][0-9][0-9]"));
  std::vector<std::string> places;
  for (const char* const key :
       {"driver.kernel_module_version", "toolkit.0.path", "library.nccl.0.path", "process.pid",
        "framework.torch.version", "host.cpus", "container.kind", "collected.seconds"}) {
    const Item* const item = inventory.find(key);
    ASSERT_NE(item, nullptr) << key;
    places.push_back(fmt::format("{:05}", item - inventory.items().data()));
  }
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
}

TEST(Collect, AnEmptyTreeIsManyAbsences) {
  const FakeTree tree;
  const Inventory inventory = all_of(tree);
  for (const char* const key : {"toolkit.selected", "library.cublas.picked", "process.pid", "python.path"}) {
    EXPECT_TRUE(is_absent(inventory, key)) << key;
  }
}

TEST(Collect, FilesOfTheWrongKindNeitherHangNorCrash) {
  FakeTree tree;
  const std::string site = "/usr/lib/python3/dist-packages";
  tree.file("/usr/bin/python3.11", "");
  tree.link("/usr/bin/python3", "python3.11");
  tree.file(site + "/torch-2.8.0.dist-info/x", "");
  tree.file("/usr/local/cuda-12.8/x", "");
  tree.file("/usr/lib64/x", "");
  tree.file("/proc/42/x", "");
  tree.file("/etc/x", "");
  for (const std::string& path :
       {site + "/torch-2.8.0.dist-info/METADATA", std::string("/usr/local/cuda-12.8/version.json"),
        std::string("/usr/local/cuda-12.8/version.txt"), std::string("/usr/lib64/libcublas.so.12"),
        std::string("/proc/42/maps"), std::string("/proc/42/environ"), std::string("/etc/ld.so.conf"),
        std::string("/etc/ld.so.cache")}) {
    ASSERT_EQ(::mkfifo(tree.at(path).c_str(), 0600), 0) << path;
  }
  tree.link("/usr/local/cuda", "/usr/local/cuda");
  tree.link("/usr/lib64/libnccl.so.2", "../lib64/libnccl.so.2");
  tree.link("/usr/lib64/libcudnn.so.9", "/");
  const Inventory inventory =
      all_of(tree, {{"PATH", "/usr/bin"}, {"LD_LIBRARY_PATH", "/proc/42/maps:/usr/local/cuda/lib64"}});
  EXPECT_EQ(inventory.value("framework.torch.version"), "2.8.0");
  EXPECT_TRUE(is_absent(inventory, "library.nccl.picked"));
  EXPECT_TRUE(is_absent(inventory, "toolkit.by./usr/local/cuda"));
}

}  // namespace
}  // namespace gpugauge::stack
