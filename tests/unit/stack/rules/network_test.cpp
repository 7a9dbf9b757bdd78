// The ports of the RDMA network against their siblings, and the cards' PCIe links.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "stack/rules/host_parts.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Eight InfiniBand ports at 400 Gb/s, each on a card of its own in a slot of Gen5 x16.
class Ports : public testing::Test {
 protected:
  Ports() : node_(h100_server()) {
    std::string names;
    for (int i = 0; i < 8; ++i) names += fmt::format("mlx5_{} ", i);
    set(node_, "host.infiniband", names);
    for (int i = 0; i < 8; ++i)
      tell(i, {{"driver", "mlx5_core"},
               {"board", "MT_0000000838"},
               {"firmware", "28.39.1002"},
               {"pci", fmt::format("0000:{:02x}:00.0", 0x18 + i)},
               {"pcie_generation", "5"},
               {"pcie_generation_max", "5"},
               {"pcie_width", "16"},
               {"pcie_width_max", "16"},
               {"slot_pcie_generation_max", "5"},
               {"slot_pcie_width_max", "16"},
               {"link_layer", "InfiniBand"},
               {"state", "ACTIVE"},
               {"physical_state", "LinkUp"},
               {"rate", "400 Gb/sec (4X NDR)"}});
  }

  void tell(int port, const std::vector<std::pair<std::string, std::string>>& facts) {
    for (const auto& [fact, value] : facts)
      set(node_, fmt::format("host.infiniband.mlx5_{}.{}", port, fact), value, "sysfs");
  }
  void tell_all(const std::vector<std::pair<std::string, std::string>>& facts) {
    for (int i = 0; i < 8; ++i) tell(i, facts);
  }
  Findings findings() const { return findings_of(check_ports, node_); }
  std::vector<std::string> found() const { return said(findings()); }

  Inventory node_;
};

TEST_F(Ports, AllAlikeAreLeftAlone) {
  EXPECT_THAT(found(), IsEmpty());
  node_.absent("host.infiniband", "/sys/class/infiniband");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Ports, OneThatIsDownIsNamedWithItsPhysicalState) {
  tell(3, {{"state", "DOWN"}, {"physical_state", "Polling"}, {"rate", "10 Gb/sec (4X SDR)"}});
  const Findings one = findings();
  ASSERT_THAT(said(one), ElementsAre("warning rdma_link_degraded"));
  EXPECT_EQ(one[0].title, "InfiniBand port mlx5_3 is not active, unlike 7 of 8 cards of the model");
  EXPECT_THAT(one[0].evidence, ElementsAre("mlx5_3 (0000:1b:00.0): DOWN, physically Polling"));
}

TEST_F(Ports, WhatMostMachinesLeaveEmptyIsNoFault) {
  // Four cards with two ports, of which the second ones are empty; on one card it is the first.
  for (int i = 0; i < 8; i += 2) {
    tell(i, {{"pci", fmt::format("0000:{:02x}:00.0", 0x18 + i)}});
    tell(i + 1,
         {{"pci", fmt::format("0000:{:02x}:00.1", 0x18 + i)}, {"state", "DOWN"}, {"rate", "10 Gb/sec"}});
  }
  EXPECT_THAT(found(), IsEmpty());
  tell(0, {{"state", "DOWN"}});
  tell(1, {{"state", "ACTIVE"}, {"rate", "400 Gb/sec (4X NDR)"}});
  EXPECT_THAT(found(), IsEmpty());
  tell(1, {{"state", "DOWN"}});
  EXPECT_THAT(found(), ElementsAre("warning rdma_link_degraded")) << "a card with none beside three with one";
  tell_all({{"state", "DOWN"}});
  EXPECT_THAT(found(), IsEmpty()) << "a network that is not used";
}

TEST_F(Ports, OneOfTwoPortsDownWhereTheOtherCardsHaveBoth) {
  for (int i = 0; i < 8; ++i) tell(i, {{"pci", fmt::format("0000:{:02x}:00.{}", 0x18 + i / 2, i % 2)}});
  EXPECT_THAT(found(), IsEmpty());
  tell(5, {{"state", "DOWN"}});
  const Findings one = findings();
  ASSERT_THAT(said(one), ElementsAre("warning rdma_link_degraded"));
  EXPECT_EQ(one[0].title, "InfiniBand port mlx5_5 is not active, unlike 3 of 4 cards of the model");
}

TEST_F(Ports, VirtualFunctionsAreNotCounted) {
  for (int i = 4; i < 8; ++i) tell(i, {{"virtual_function", "yes"}, {"state", "DOWN"}});
  tell(3, {{"virtual_function", "yes"}});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Ports, FunctionsThatMayManageSwitchesAreLeftOut) {
  for (int i = 0; i < 8; ++i) set(node_, fmt::format("gpu.{}.compute_capability", i), "10.0");
  for (int i = 4; i < 8; ++i) tell(i, {{"state", "INIT"}});
  EXPECT_THAT(found(), IsEmpty()) << "only root is told what they are";
  tell_all({{"role", "network"}});
  EXPECT_THAT(found(), ElementsAre("note rdma_link_degraded"));
}

TEST_F(Ports, HalfOfThemDownIsANote) {
  for (int i = 0; i < 4; ++i) tell(i, {{"state", "DOWN"}});
  EXPECT_THAT(found(), ElementsAre("note rdma_link_degraded"));
}

TEST_F(Ports, ConnectedWithoutASubnetManager) {
  tell_all({{"state", "INIT"}});
  const Findings waiting = findings();
  ASSERT_THAT(said(waiting), ElementsAre("warning rdma_link_degraded"));
  EXPECT_EQ(waiting[0].title, "InfiniBand is connected, and no subnet manager has set it up");
  tell_all({{"physical_state", "Polling"}});
  EXPECT_THAT(found(), IsEmpty());
  tell_all({{"physical_state", "LinkUp"}, {"link_layer", "Ethernet"}});
  EXPECT_THAT(found(), IsEmpty()) << "Ethernet has no subnet manager";
}

TEST_F(Ports, FewerLanesOfTheSameSpeedAreTheCables) {
  tell(5, {{"rate", "200 Gb/sec (2X NDR)"}});
  const Findings slow = findings();
  ASSERT_THAT(said(slow), ElementsAre("warning rdma_link_degraded"));
  EXPECT_EQ(slow[0].title, "InfiniBand port mlx5_5 is slower than most of the model");
  EXPECT_THAT(slow[0].evidence,
              ElementsAre("mlx5_5 (0000:1d:00.0): 200 Gb/sec (2X NDR); most others: 400 Gb/sec (4X NDR)"));
}

TEST_F(Ports, AnotherSpeedMayBeAnotherNetworks) {
  for (int i = 0; i < 2; ++i) tell(i, {{"rate", "200 Gb/sec (4X HDR)"}});
  EXPECT_THAT(found(), ElementsAre("note rdma_link_degraded"));
  for (int i = 0; i < 4; ++i) tell(i, {{"rate", "200 Gb/sec (4X HDR)"}});
  EXPECT_THAT(found(), IsEmpty()) << "no rate has a majority";
}

TEST_F(Ports, CardsOfUnknownModelsAreNotCompared) {
  tell_all({{"board", ""}});
  tell(7, {{"state", "DOWN"}});
  EXPECT_THAT(found(), IsEmpty());
  tell_all({{"pci_id", "14e4:1760 14e4:1760"}});
  EXPECT_THAT(found(), ElementsAre("warning rdma_link_degraded"));
  tell(7, {{"pci_id", "14e4:16d7 14e4:4140"}});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Ports, PortsOfAnotherModelAreNotComparedWithThem) {
  tell(7, {{"board", "MT_0000000359"}, {"rate", "100 Gb/sec (4X EDR)"}});
  EXPECT_THAT(found(), IsEmpty()) << "a card for storage";
  tell(7, {{"board", "MT_0000000838"}, {"link_layer", "Ethernet"}});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Ports, ACardWithALinkBelowWhatCardAndSlotCan) {
  tell(2, {{"pcie_width", "8"}});
  const Findings narrow = findings();
  ASSERT_THAT(said(narrow), ElementsAre("warning rdma_link_degraded"));
  EXPECT_THAT(narrow[0].evidence,
              ElementsAre("mlx5_2 (0000:1a:00.0): Gen5 x8 in use; card and slot can: Gen5 x16"));
  tell(2, {{"slot_pcie_width_max", "8"}});
  EXPECT_THAT(found(), IsEmpty()) << "the slot can do no more";
  set(node_, "host.virtualization", "kvm");
  tell(2, {{"pcie_width", "4"}, {"pcie_width_max", "16"}});
  EXPECT_THAT(found(), ElementsAre("note rdma_link_degraded")) << "a virtual machine makes its slots up";
  tell(2, {{"pcie_width", "16"}});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Ports, UnlikePacketSizesAndFirmwareAreNotes) {
  tell_all({{"interface", "ib0"}, {"mtu", "4092"}});
  tell(1, {{"mtu", "2044"}});
  EXPECT_THAT(found(), IsEmpty()) << "of IP over InfiniBand, which RDMA does not use";
  tell_all({{"link_layer", "Ethernet"}, {"interface", "ens1"}, {"mtu", "9000"}});
  EXPECT_THAT(found(), IsEmpty());
  tell(1, {{"mtu", "1500"}});
  const Findings cut = findings();
  ASSERT_THAT(said(cut), ElementsAre("note rdma_ports_differ"));
  EXPECT_THAT(cut[0].evidence, Contains("mlx5_1 (0000:19:00.0, ens1): largest packet (MTU) 1500"));
  tell(1, {{"mtu", "9000"}, {"firmware", "28.36.1010"}});
  EXPECT_THAT(found(), ElementsAre("note rdma_ports_differ"));
}

TEST_F(Ports, DamagedFactsClaimNothing) {
  tell_all({{"rate", "fast"}, {"pcie_width", "-1"}, {"pcie_generation", "99"}, {"pci", ""}});
  EXPECT_THAT(found(), testing::Not(Contains(HasSubstr("failure"))));
  tell_all({{"pcie_width", "x16"}, {"pcie_generation", ""}});
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace gpugauge::stack
