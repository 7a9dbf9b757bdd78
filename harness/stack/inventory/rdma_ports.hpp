// The ports of the RDMA network as an inventory tells them (host.infiniband.*).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// A network card's PCIe link.
struct CardLink {
  std::optional<double> generation, width;  ///< in use
  /// What card and slot can together; of the card alone where the slot is unknown, as in virtual machines, which make
  /// theirs up.
  std::optional<double> generation_possible, width_possible;

  /// True where less is in use than possible.
  bool below() const;
  /// Gb/s of data in one direction, before the packets' own overhead: transfers per second and lane times the share of
  /// the line code (8b/10b, 128b/130b; PCI Express Base Specification). nullopt where unknown, and from generation 6 on.
  std::optional<double> gigabits() const;
};

/// One device of /sys/class/infiniband that may carry data between nodes. What nobody told is "" or empty.
struct RdmaPort {
  std::string name;            ///< "mlx5_0"
  std::string driver;          ///< the kernel's: "mlx5_core", "efa", "bnxt_re"
  std::string role;            ///< "network" where that is certain; docs/inventory.md
  std::string board;           ///< the maker's identifier of the card's model: "MT_0000000838"
  std::string address;         ///< on the PCI bus: "0000:3b:00.0"
  std::string link_layer;      ///< "InfiniBand", "Ethernet", "Unspecified"
  std::string state;           ///< of the logical link: "ACTIVE", "INIT", "DOWN"
  std::string physical_state;  ///< "LinkUp", "Polling", "Disabled"
  std::string rate;            ///< as the kernel writes it: "400 Gb/sec (4X NDR)"
  std::string interface;       ///< of the kernel's network: "ens1f0np0", "ib0"
  CardLink link;               ///< the card's PCIe link

  bool active() const { return state == "ACTIVE"; }
  /// The rate in Gb/s; what a port that is not active shows is no rate of anything.
  std::optional<double> gigabits() const;
  /// "mlx5_0 (0000:3b:00.0, ens1f0np0)", with what is known of it.
  std::string shown() const;
};

/// Ports that ought to be alike.
using RdmaPorts = std::vector<RdmaPort>;

/// The ports in groups that ought to be alike: of one model of card, with one link layer, at one place on the card. The
/// second port of a card is compared with second ports only, as many machines leave it empty.
std::vector<RdmaPorts> alike(const RdmaPorts& ports);

/// In the inventory's order, without devices that only manage NVSwitches.
RdmaPorts rdma_ports(const Inventory& inventory);

}  // namespace gpugauge::stack
