#include "stack/now.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fake_tree.hpp"

namespace gpugauge::stack {
namespace {

std::string information(const std::string& uuid) {
  return "Model: \t\t NVIDIA H200\nIRQ:   \t\t 87\nGPU UUID: \t " + uuid +
         "\nVideo BIOS: \t 96.00.89.00.01\nBus Type: \t PCIe\n";
}

TEST(MachineNow, ShowsGpusDriverAndNothingElse) {
  FakeTree tree;
  tree.healthy(2);
  tree.file("/proc/driver/nvidia/gpus/0000:01:00.0/information", information("GPU-1111"));
  tree.file("/proc/driver/nvidia/gpus/0000:02:00.0/information",
            information("GPU-" + std::string(8, '?') + "-" + std::string(4, '?')));
  const MachineNow now = machine_now(tree.root());
  EXPECT_TRUE(now.nvidia);
  EXPECT_TRUE(now.gpus_listed);
  EXPECT_EQ(now.driver_version, "580.65.06");
  EXPECT_EQ(now.gpus, (std::vector<KernelGpu>{{"0000:01:00.0", "GPU-1111", "NVIDIA H200"},
                                              {"0000:02:00.0", "", "NVIDIA H200"}}));
}

TEST(MachineNow, CountsTheInstancesOfACardWhereTheModuleTellsOfMig) {
  FakeTree tree;
  tree.healthy(2);
  for (const int minor : {0, 1})
    tree.file(fmt::format("/proc/driver/nvidia/gpus/0000:0{}:00.0/information", minor + 1),
              information(fmt::format("GPU-{}", minor)) + fmt::format("Device Minor: \t {}\n", minor));
  const auto instances = [&] {
    std::vector<int> out;
    for (const KernelGpu& gpu : machine_now(tree.root()).gpus)
      out.push_back(gpu.instances ? static_cast<int>(*gpu.instances) : -1);
    return out;
  };
  EXPECT_EQ(instances(), (std::vector{-1, -1})) << "no word of MIG";
  tree.file("/proc/driver/nvidia/capabilities/mig/config", "DeviceFileMinor: 1\n");
  EXPECT_EQ(instances(), (std::vector{0, 0}));
  for (const char* const instance : {"gi1/ci0", "gi2/ci0"})
    tree.file(fmt::format("/proc/driver/nvidia/capabilities/gpu1/mig/{}/access", instance), "");
  tree.file("/proc/driver/nvidia/capabilities/gpu1/mig/gi1/access", "");
  EXPECT_EQ(instances(), (std::vector{0, 2}));
}

TEST(OnPciBus, IsWhatTheKernelShowsAndNothingIsMissedWhereItShowsNoBus) {
  FakeTree tree;
  EXPECT_TRUE(on_pci_bus("0000:3b:00.0", tree.root())) << "no bus";
  tree.file("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  EXPECT_TRUE(on_pci_bus("0000:01:00.0", tree.root()));
  EXPECT_FALSE(on_pci_bus("0000:3b:00.0", tree.root()));
  for (const char* none : {"", "absent", "../../../../etc", "0000:3b:00.0/x"})
    EXPECT_TRUE(on_pci_bus(none, tree.root())) << none;
}

TEST(MachineNow, WithoutADriverTheBusTells) {
  FakeTree tree;
  tree.pci("0000:01:00.0", "");
  tree.pci("0000:02:00.0", "vfio-pci");
  const MachineNow now = machine_now(tree.root());
  EXPECT_TRUE(now.nvidia);
  EXPECT_EQ(now.driver_version, "");
  EXPECT_EQ(now.gpus, (std::vector<KernelGpu>{{"0000:01:00.0", "", ""}}));
  EXPECT_FALSE(machine_now(FakeTree().root()).nvidia);
}

class ChangedFiles : public testing::Test {
 protected:
  ChangedFiles() {
    tree_.file("/usr/lib/libcuda.so.580.65.06", "");
    tree_.link("/usr/lib/libcuda.so.1", "libcuda.so.580.65.06");
    tree_.file("/opt/cuda/lib64/libcublas.so.13.0.2.14", "");
    tree_.link("/opt/cuda/lib64/libcublas.so.13", "libcublas.so.13.0.2.14");
  }
  FakeTree tree_;
  result::Facts stack_{{"driver.libcuda_path", "/usr/lib/libcuda.so.580.65.06"},
                       {"driver.libcuda_version", "580.65.06"},
                       {"cublas.path", "/opt/cuda/lib64/libcublas.so.13"},
                       {"cublas.version", "13.0.2.14"},
                       {"cudnn.path", "absent"},
                       {"cudnn.version", "absent"}};
};

TEST_F(ChangedFiles, NoneOnTheSameMachine) {
  EXPECT_TRUE(changed_files(stack_, tree_.root()).empty());
  EXPECT_TRUE(changed_files({}, tree_.root()).empty());
  tree_.file("/opt/cuda/lib64/libcudnn.so.9.1.0", "");
  EXPECT_TRUE(changed_files(stack_, tree_.root()).empty()) << "what is new takes nothing away";
}

TEST_F(ChangedFiles, AnUpgradeOfTheDriversLibraryIsSeenWithoutAReboot) {
  std::filesystem::remove(tree_.at("/usr/lib/libcuda.so.1"));
  tree_.file("/usr/lib/libcuda.so.580.82.07", "");
  tree_.link("/usr/lib/libcuda.so.1", "libcuda.so.580.82.07");
  const auto found = changed_files(stack_, tree_.root());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "libcuda");
  EXPECT_EQ(found[0].then, "580.65.06");
  EXPECT_EQ(found[0].now, "580.82.07");
}

TEST_F(ChangedFiles, AnotherLibraryAndOneThatIsGone) {
  std::filesystem::remove(tree_.at("/opt/cuda/lib64/libcublas.so.13"));
  tree_.file("/opt/cuda/lib64/libcublas.so.13.1.0.3", "");
  tree_.link("/opt/cuda/lib64/libcublas.so.13", "libcublas.so.13.1.0.3");
  std::filesystem::remove(tree_.at("/usr/lib/libcuda.so.1"));
  std::filesystem::remove(tree_.at("/usr/lib/libcuda.so.580.65.06"));
  const auto found = changed_files(stack_, tree_.root());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].now, "gone");
  EXPECT_EQ(found[1].name, "cublas");
  EXPECT_EQ(found[1].now, "13.1.0.3");
}

}  // namespace
}  // namespace gpugauge::stack
