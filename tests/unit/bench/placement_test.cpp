// Host memory and threads near the GPU, on nodes that a directory shows.
#include "support/placement.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "result/processor_list.hpp"
#include "support/host.hpp"

namespace gpugauge::bench {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string gpu = "0000:c1:00.0";

/// A directory that stands for "/", of two sockets with eight processors each, as hyper-threads are counted.
class FakeNodes : public testing::Test {
 protected:
  FakeNodes() {
    fs::remove_all(root_);
    put("sys/devices/system/node/node0/cpulist", "0-3,8-11\n");
    put("sys/devices/system/node/node1/cpulist", "4-7,12-15\n");
    put("sys/devices/system/node/has_cpu", "0-1\n");
    put_gpu("1\n");
  }
  ~FakeNodes() override { fs::remove_all(root_); }

  void put(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void put_gpu(const std::string& node) const { put("sys/bus/pci/devices/" + gpu + "/numa_node", node); }
  Placement placed(const std::string& allowed) const {
    return placement_near(gpu, result::parse_processors(allowed), root_);
  }

  fs::path root_ =
      fs::path(testing::TempDir()) /
      (std::string("gpugauge_nodes_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(FakeNodes, ShowWhereGpuAndProcessorsAre) {
  EXPECT_EQ(node_of_device(gpu, root_), 1);
  EXPECT_EQ(node_of_cpu(8, root_), 0);
  EXPECT_EQ(node_of_cpu(4, root_), 1);
  EXPECT_EQ(node_of_cpu(16, root_), std::nullopt);
  for (const char* unknown : {"-1\n", "", "one\n", "1 2\n"}) {
    put_gpu(unknown);
    EXPECT_EQ(node_of_device(gpu, root_), std::nullopt) << unknown;
  }
  for (const char* none : {"", "0000:c2:00.0", "../"}) EXPECT_EQ(node_of_device(none, root_), std::nullopt);
  EXPECT_EQ(node_of_cpu(0, root_ / "none"), std::nullopt);
}

TEST_F(FakeNodes, NarrowToTheGpusNode) {
  const Placement found = placed("0-15");
  EXPECT_EQ(found.gpu_node, 1);
  EXPECT_THAT(found.cpus, ElementsAre(4, 5, 6, 7, 12, 13, 14, 15));
  EXPECT_EQ(found.said, "processors 4-7,12-15: those of the GPU's NUMA node among 0-15");
}

TEST_F(FakeNodes, NeverWidenWhatALauncherGave) {
  EXPECT_THAT(placed("2-5").cpus, ElementsAre(4, 5));
  for (const char* other : {"0-3", "8"}) {
    EXPECT_THAT(placed(other).cpus, IsEmpty()) << other;
    EXPECT_EQ(placed(other).said,
              "left as it was: no processor that it may use belongs to the GPU's NUMA node");
  }
  for (const char* all : {"4-7", "12"}) {
    EXPECT_THAT(placed(all).cpus, IsEmpty()) << all;
    EXPECT_THAT(placed(all).said, HasSubstr("every processor that it may use belongs"));
  }
}

TEST_F(FakeNodes, LeaveMoreThanOneProcessor) {
  EXPECT_THAT(placed("0-4").cpus, IsEmpty());
  EXPECT_THAT(placed("0-4").said, HasSubstr("only one processor that it may use belongs"));
}

TEST_F(FakeNodes, LeaveAProcessAloneWhereNothingIsKnown) {
  put_gpu("-1\n");
  EXPECT_THAT(placed("0-15").cpus, IsEmpty());
  EXPECT_EQ(placed("0-15").gpu_node, std::nullopt);
  EXPECT_THAT(placed("0-15").said, HasSubstr("does not say which NUMA node"));
  put_gpu("7\n");  // a node without processors
  EXPECT_THAT(placed("0-15").cpus, IsEmpty());
  EXPECT_EQ(placed("0-15").gpu_node, 7);
}

/// Ends with 0 when all that is expected of a process that stays near its GPU holds; 1, 2, ... else. In a
/// process of its own: what it does to its affinity lasts.
[[noreturn]] void stay_near(const fs::path& root, const std::vector<int>& near) {
  place_near(gpu, root);
  if (!placement_notes(root).empty()) _exit(1);  // nobody asked for it
  prefer_gpu_node();
  place_near(gpu, root);
  if (allowed_cpus() != near) _exit(2);
  const result::Facts notes = placement_notes(root);
  if (notes.size() != 3 || notes.at("gpu_numa_node") != "1" || notes.at("numa_node") != "1") _exit(3);
  _exit(0);
}

TEST_F(FakeNodes, HoldAProcessThatAsksForIt) {
  const std::vector<int> allowed = allowed_cpus();
  put("sys/devices/system/node/node0/cpulist", "");
  put("sys/devices/system/node/node1/cpulist", result::processors_text(allowed) + "\n");
  EXPECT_EXIT(stay_near(root_, allowed), testing::ExitedWithCode(0), "");
  if (allowed.size() < 3) GTEST_SKIP() << "two of three processors are needed to see that it is narrowed";
  const std::vector<int> last(allowed.end() - 2, allowed.end());
  put("sys/devices/system/node/node1/cpulist", result::processors_text(last) + "\n");
  EXPECT_EXIT(stay_near(root_, last), testing::ExitedWithCode(0), "");
}

TEST(AllowOnly, HoldsForGood) {
  const std::vector<int> one{allowed_cpus().back()};
  EXPECT_EXIT(
      {
        allow_only(one);
        _exit(allowed_cpus() == one ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gpugauge::bench
