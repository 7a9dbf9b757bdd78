#include "stack/pci_way.hpp"

#include <gtest/gtest.h>

#include "fake_tree.hpp"

namespace gpugauge::stack {
namespace {

constexpr const char* pci_ids =
    "# List of PCI ID's\n"
    "1000  Broadcom / LSI\n"
    "\tc030  PEX890xx PCIe Gen 5 Switch\n"
    "1022  Advanced Micro Devices, Inc. [AMD]\n"
    "\t43e9  500 Series Chipset Switch Upstream Port\n"
    "\t57ad  Matisse Switch Upstream\n"
    "8086  Intel Corporation\n"
    "# a remark in between\n"
    "\t1901  6th-10th Gen Core Processor PCIe Controller (x16)\n"
    "\t\t8086 1901  a subsystem's own name\n"
    "\ta340  Cannon Lake PCH PCI Express Root Port #21\n"
    "9005  Adaptec\n"
    "\t43e9  of another maker\n";

/// A GPU below bridges with these makers and devices; "/sys/bus/pci/devices/0000:0a:00.0".
class PciWay : public testing::Test {
 protected:
  void bridge(const std::string& address, const std::string& vendor, const std::string& device) {
    place_ += "/" + address;
    add(address, vendor, device);
  }
  result::Facts way() {
    place_ += "/0000:0a:00.0";
    add("0000:0a:00.0", "0x10de", "0x2330");
    return pci_way(Tree(tree_.root()), "0000:0a:00.0");
  }
  FakeTree tree_;

 private:
  void add(const std::string& address, const std::string& vendor, const std::string& device) {
    tree_.file(place_ + "/vendor", vendor + "\n");
    tree_.file(place_ + "/device", device + "\n");
    tree_.file(place_ + "/local_cpulist", "8-15,24-31\n");
    tree_.link("/sys/bus/pci/devices/" + address, "../../.." + place_.substr(4));
  }
  std::string place_ = "/sys/devices/pci0000:00";
};

TEST_F(PciWay, ABridgeOfTheChipsetIsNamed) {
  tree_.file("/usr/share/misc/pci.ids", pci_ids);
  tree_.file("/sys/devices/system/cpu/cpu8/topology/physical_package_id", "1\n");
  bridge("0000:00:1b.4", "0x8086", "0xa340");
  EXPECT_EQ(way(), (result::Facts{{"pci_bridges", "0000:00:1b.4"},
                                  {"pci_chipset", "Cannon Lake PCH PCI Express Root Port #21"},
                                  {"socket", "1"}}));
}

TEST_F(PciWay, ASwitchBelowTheProcessorIsNoChipset) {
  tree_.file("/usr/share/hwdata/pci.ids", pci_ids);
  bridge("0000:00:01.0", "0x8086", "0x1901");
  bridge("0000:01:00.0", "0x1000", "0xc030");
  EXPECT_EQ(way(), (result::Facts{{"pci_bridges", "0000:00:01.0 0000:01:00.0"},
                                  {"pci_chipset", "none"},
                                  {"socket", "unknown"}}));
}

TEST_F(PciWay, WhatHasNoNameMayBeAChipset) {
  tree_.file("/usr/share/misc/pci.ids", pci_ids);
  bridge("0000:00:01.0", "0x8086", "0x1901");
  bridge("0000:02:00.0", "0x1022", "0xffff");
  EXPECT_EQ(way().at("pci_chipset"), "unknown");
}

TEST_F(PciWay, WithoutAListNoBridgeHasAName) {
  bridge("0000:00:1b.4", "0x8086", "0xa340");
  EXPECT_EQ(way().at("pci_chipset"), "unknown");
}

TEST_F(PciWay, OnARootBusThereIsNothingAbove) {
  EXPECT_EQ(way(), (result::Facts{{"pci_bridges", "none"}, {"pci_chipset", "none"}, {"socket", "unknown"}}));
}

TEST(PciName, IsOfTheMakersOwnPart) {
  EXPECT_EQ(pci_name(pci_ids, "0x1022", "0x43e9"), "500 Series Chipset Switch Upstream Port");
  EXPECT_EQ(pci_name(pci_ids, "0x8086", "0x43e9"), "");
  EXPECT_EQ(pci_name(pci_ids, "0x8086", "0x1901"), "6th-10th Gen Core Processor PCIe Controller (x16)");
  EXPECT_EQ(pci_name(pci_ids, "0x9005", "0x43e9"), "of another maker") << "the last line";
  EXPECT_EQ(pci_name(pci_ids, "0x10de", "0x2330"), "");
  EXPECT_EQ(pci_name(pci_ids, "", ""), "");
  EXPECT_EQ(pci_name("", "0x8086", "0x1901"), "");
  EXPECT_EQ(pci_name("8086  Intel", "0x8086", "0x1901"), "") << "cut off";
}

}  // namespace
}  // namespace gpugauge::stack
