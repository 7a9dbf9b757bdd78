// What the PCI bus and the kernel module show of GPUs, without the driver's libraries.
#include <gmock/gmock.h>

#include "servers.hpp"
#include "stack/inventory/gpus.hpp"
#include "stack/inventory/pci_link.hpp"
#include "unit/stack/inventory/collected.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Inventory on_bus(const Context& context) {
  Inventory inventory;
  collect_gpus(context, inventory);
  return inventory;
}

TEST(GpusBus, WithoutDriverThePciFunctionsRemain) {
  FakeTree tree;
  tree.pci("0000:01:00.0", "nouveau");
  tree.pci("0000:02:00.0", "");
  tree.pci("0000:03:00.0", "mlx5_core", "0x020700", "0x15b3");
  const Inventory found = on_bus(context_of(tree));
  EXPECT_THAT(found.children("gpu"), IsEmpty());
  EXPECT_THAT(found.children("pci"), ElementsAre("0", "1"));
  EXPECT_EQ(found.value("pci.0.class"), "gpu");
  EXPECT_EQ(found.value("pci.0.driver"), "nouveau");
  EXPECT_EQ(found.value("pci.0.device_id"), "0x2330");
  EXPECT_EQ(found.find("pci.1.driver")->presence, Presence::absent);
  const Inventory nothing = on_bus(context_of(FakeTree()));
  ASSERT_EQ(nothing.items().size(), 1U) << "that there is no bus is told";
  EXPECT_EQ(nothing.find("pci")->presence, Presence::absent);
}

TEST(GpusBus, VirtualFunctionsAreNoGpusOfTheirOwn) {
  FakeTree tree;
  tree.pci("0000:01:00.0", "nvidia");
  tree.pci("0000:01:00.4", "nvidia");
  tree.link("/sys/bus/pci/devices/0000:01:00.4/physfn", "../0000:01:00.0");
  const Inventory found = on_bus(context_of(tree));
  EXPECT_THAT(found.children("pci"), ElementsAre("0"));
  EXPECT_EQ(found.value("pci.0.address"), "0000:01:00.0");
}

TEST(GpusBus, WhetherADeviceNodeIsWithinReach) {
  FakeTree tree;
  for (int i = 1; i <= 4; ++i) tree.pci(fmt::format("0000:0{}:00.0", i), "nvidia");
  const auto information = [&](int gpu, int minor, const char* excluded) {
    tree.file(
        fmt::format("/proc/driver/nvidia/gpus/0000:0{}:00.0/information", gpu),
        fmt::format("Model: \t\t NVIDIA H100\nDevice Minor: \t {}\nGPU Excluded:\t {}\n", minor, excluded));
  };
  for (int i = 1; i <= 3; ++i) information(i, i - 1, i == 1 ? "Yes" : "No");
  tree.file("/dev/nvidia0", "");
  tree.link("/dev/nvidia1", "nvidia1");  // refused to root too
  Inventory found;
  add_pci_functions(Tree(tree.root()), found);
  EXPECT_EQ(found.value("pci.0.node"), "there");
  EXPECT_EQ(found.value("pci.0.excluded"), "yes");
  EXPECT_EQ(found.value("pci.1.minor"), "1");
  EXPECT_EQ(found.value("pci.1.node"), "refused");
  EXPECT_EQ(found.find("pci.1.excluded"), nullptr);
  EXPECT_EQ(found.value("pci.2.node"), "missing");
  EXPECT_EQ(found.find("pci.3.minor"), nullptr) << "a container runtime hides the module's folder";
  EXPECT_EQ(found.find("pci.3.node"), nullptr);
}

TEST(GpusBus, SpeedsOfALink) {
  for (const auto& [speed, generation] :
       std::vector<std::pair<std::string, std::string>>{{"2.5 GT/s PCIe", "1"},
                                                        {"5 GT/s", "2"},
                                                        {"5.0 GT/s PCIe", "2"},
                                                        {"8.0 GT/s PCIe", "3"},
                                                        {"16.0 GT/s PCIe", "4"},
                                                        {"32.0 GT/s PCIe", "5"},
                                                        {"64.0 GT/s PCIe", "6"},
                                                        {"Unknown", ""},
                                                        {"", ""},
                                                        {"128.0 GT/s PCIe", ""}})
    EXPECT_EQ(pcie_generation(speed), generation) << speed;
}

TEST(GpusBus, WhatTheFirmwareDoesNotSay) {
  FakeTree tree;
  make_server(tree);
  tree.file("/sys/bus/pci/devices/0000:01:00.0/numa_node", "-1\n");
  tree.file("/sys/bus/pci/devices/0000:01:00.0/current_link_width", "255\n");
  tree.file("/sys/bus/pci/devices/0000:01:00.0/current_link_speed", "Unknown\n");
  const Inventory found = on_bus(context_of(tree));
  EXPECT_EQ(how(found, "gpu.0.numa_node"), "the firmware names none");
  EXPECT_EQ(found.find("gpu.0.pcie_width"), nullptr);
  EXPECT_EQ(found.find("gpu.0.pcie_generation"), nullptr);
  EXPECT_EQ(found.value("gpu.1.numa_node"), "1");
}

}  // namespace
}  // namespace gpugauge::stack
