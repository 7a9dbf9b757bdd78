// The cards and ports of the RDMA network.
#include <gmock/gmock.h>

#include "servers.hpp"
#include "stack/inventory/machine.hpp"
#include "stack/inventory/overview.hpp"
#include "stack/inventory/rdma_ports.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;

/// A card at the address below one bridge, as sysfs shows it.
void add_card(FakeTree& tree, const std::string& name, const std::string& bridge,
              const std::string& address) {
  const std::string place = "/sys/devices/pci0000:00/" + bridge;
  const std::string function = place + "/" + address;
  tree.file(place + "/max_link_speed", "32.0 GT/s PCIe\n");
  tree.file(place + "/max_link_width", "8\n");
  tree.file(place + "/class", "0x060400\n");
  tree.link("/sys/bus/pci/devices/" + bridge, "../../../devices/pci0000:00/" + bridge);
  tree.link("/sys/bus/pci/devices/" + address, "../../../devices/pci0000:00/" + bridge + "/" + address);
  tree.file(function + "/current_link_speed", "16.0 GT/s PCIe\n");
  tree.file(function + "/max_link_speed", "32.0 GT/s PCIe\n");
  tree.file(function + "/current_link_width", "8\n");
  tree.file(function + "/max_link_width", "16\n");
  tree.file(function + "/vendor", "0x15b3\n");
  tree.file(function + "/device", "0x1021\n");
  tree.file(function + "/subsystem_vendor", "0x15b3\n");
  tree.file(function + "/subsystem_device", "0x0041\n");
  tree.file(function + "/numa_node", "1\n");
  tree.file(function + "/net/ens1f0np0/mtu", "9000\n");
  const std::string card = function + "/infiniband/" + name;
  tree.file(card + "/board_id", "MT_0000000838\n");
  tree.file(card + "/fw_ver", "28.39.1002\n");
  tree.link(card + "/device", "../../../" + address);
  tree.file(card + "/ports/1/link_layer", "Ethernet\n");
  tree.file(card + "/ports/1/state", "4: ACTIVE\n");
  tree.file(card + "/ports/1/phys_state", "5: LinkUp\n");
  tree.file(card + "/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  tree.file(card + "/ports/1/counters/link_downed", "2\n");
  tree.file(card + "/ports/1/counters/symbol_error", "17\n");
  tree.link("/sys/class/infiniband/" + name,
            "../../devices/pci0000:00/" + bridge + "/" + address + "/infiniband/" + name);
}

Inventory network_of(const FakeTree& tree) {
  Inventory inventory;
  collect_infiniband(context_of(tree, {}).tree, inventory);
  return inventory;
}

TEST(Network, ACardWithItsSlotItsInterfaceAndItsPort) {
  FakeTree tree;
  add_card(tree, "mlx5_0", "0000:00:01.0", "0000:18:00.0");
  const Inventory found = network_of(tree);
  const std::vector<std::pair<std::string, std::string>> expected{{"board", "MT_0000000838"},
                                                                  {"pci_id", "15b3:1021 15b3:0041"},
                                                                  {"firmware", "28.39.1002"},
                                                                  {"pci", "0000:18:00.0"},
                                                                  {"pcie_generation", "4"},
                                                                  {"pcie_generation_max", "5"},
                                                                  {"pcie_width", "8"},
                                                                  {"pcie_width_max", "16"},
                                                                  {"slot_pcie_generation_max", "5"},
                                                                  {"slot_pcie_width_max", "8"},
                                                                  {"numa_node", "1"},
                                                                  {"interface", "ens1f0np0"},
                                                                  {"mtu", "9000"},
                                                                  {"link_layer", "Ethernet"},
                                                                  {"state", "ACTIVE"},
                                                                  {"physical_state", "LinkUp"},
                                                                  {"rate", "400 Gb/sec (4X NDR)"},
                                                                  {"link_downed", "2"},
                                                                  {"symbol_errors", "17"}};
  for (const auto& [fact, value] : expected)
    EXPECT_EQ(found.value("host.infiniband.mlx5_0." + fact), value) << fact;
}

TEST(Network, APortIsWhatTheInventoryTellsOfIt) {
  FakeTree tree;
  add_card(tree, "mlx5_0", "0000:00:01.0", "0000:18:00.0");
  Inventory inventory = network_of(tree);
  const RdmaPort port = rdma_ports(inventory).at(0);
  EXPECT_EQ(port.shown(), "mlx5_0 (0000:18:00.0, ens1f0np0)");
  EXPECT_EQ(port.gigabits(), 400);
  EXPECT_EQ(port.link.width_possible, 8) << "the slot has no more";
  EXPECT_TRUE(port.link.below()) << "generation 4 of 5";
  inventory.present("host.virtualization", "kvm", "test");
  EXPECT_EQ(rdma_ports(inventory).at(0).link.width_possible, 16);
  inventory.present("host.infiniband.mlx5_0.state", "DOWN", "test");
  EXPECT_EQ(rdma_ports(inventory).at(0).gigabits(), std::nullopt)
      << "the rate of a port that is down means nothing";
}

TEST(Network, ALinkThatIsNotKnownIsNotBelow) {
  EXPECT_FALSE(CardLink{}.below());
  EXPECT_FALSE((CardLink{4, 8, std::nullopt, 8}).below());
  EXPECT_FALSE((CardLink{4, 8, 4, 8}).below());
  EXPECT_TRUE((CardLink{4, 8, 4, 16}).below());
}

TEST(Network, TheInterfaceIsThatOfThePortsFirstAddress) {
  FakeTree tree;
  add_card(tree, "mlx5_bond_0", "0000:00:01.0", "0000:18:00.0");
  const std::string card = "/sys/devices/pci0000:00/0000:00:01.0/0000:18:00.0/infiniband/mlx5_bond_0";
  tree.file(card + "/ports/1/gid_attrs/ndevs/0", "bond0\n");
  tree.file("/sys/class/net/bond0/mtu", "4200\n");
  const Inventory found = network_of(tree);
  EXPECT_EQ(found.value("host.infiniband.mlx5_bond_0.interface"), "bond0");
  EXPECT_EQ(found.value("host.infiniband.mlx5_bond_0.mtu"), "4200");
}

TEST(Network, OfADeviceWithTwoPortsTheActiveOneIsTold) {
  FakeTree tree;
  add_card(tree, "mlx4_0", "0000:00:01.0", "0000:18:00.0");
  const std::string ports = "/sys/devices/pci0000:00/0000:00:01.0/0000:18:00.0/infiniband/mlx4_0/ports";
  tree.file(ports + "/1/state", "1: DOWN\n");
  tree.file(ports + "/2/state", "4: ACTIVE\n");
  tree.file(ports + "/2/rate", "56 Gb/sec (4X FDR)\n");
  EXPECT_EQ(network_of(tree).value("host.infiniband.mlx4_0.rate"), "56 Gb/sec (4X FDR)");
}

TEST(Network, AVirtualFunctionIsNoCardOfItsOwn) {
  FakeTree tree;
  add_card(tree, "mlx5_0", "0000:00:01.0", "0000:18:00.0");
  add_card(tree, "mlx5_1", "0000:00:02.0", "0000:18:00.2");
  tree.link("/sys/devices/pci0000:00/0000:00:02.0/0000:18:00.2/physfn", "../../0000:00:01.0/0000:18:00.0");
  const Inventory found = network_of(tree);
  EXPECT_EQ(rdma_ports(found).size(), 1u);
  EXPECT_EQ(found.value("host.infiniband.mlx5_1.virtual_function"), "yes");
}

TEST(Network, TheOverviewCountsActivePorts) {
  FakeTree tree;
  add_card(tree, "mlx5_0", "0000:00:01.0", "0000:18:00.0");
  add_card(tree, "mlx5_1", "0000:00:02.0", "0000:19:00.0");
  tree.file("/sys/devices/pci0000:00/0000:00:02.0/0000:19:00.0/infiniband/mlx5_1/ports/1/state", "1: DOWN\n");
  std::vector<std::string> lines;
  for (const Layer& layer : overview(network_of(tree)))
    if (layer.name == "RDMA network") lines.push_back(layer.version + "; " + layer.detail);
  EXPECT_THAT(lines, ElementsAre("1 of 2 ports active; 1 x Ethernet 400 Gb/sec (4X NDR)"));
}

}  // namespace
}  // namespace gpugauge::stack
