// The ports of the RDMA network as an inventory tells them (host.infiniband.*).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// A network card's PCIe link.
struct CardLink {
  std::optional<double> generation;  ///< in use
  std::optional<double> width;       ///< lanes in use
  /// What card and slot can together; what the card can where the slot is unknown, as in virtual machines, which make
  /// theirs up.
  std::optional<double> generation_possible;
  std::optional<double> width_possible;  ///< as generation_possible, in lanes

  bool below() const;  ///< true where less is in use than possible
};

/// One port that may carry data between nodes. What nobody told is "" or empty.
struct RdmaPort {
  std::string name;     ///< of the device in /sys/class/infiniband: "mlx5_0"
  std::string driver;   ///< of the PCI function: "mlx5_core", "efa", "bnxt_en"
  std::string model;    ///< of the card: its PCI identifiers, "15b3:1021 15b3:0040", else its maker's board
  std::string address;  ///< on the PCI bus: "0000:3b:00.0"
  std::string link_layer;      ///< "InfiniBand", "Ethernet", "Unspecified"
  std::string state;           ///< of the logical link: "ACTIVE", "INIT", "DOWN"
  std::string physical_state;  ///< "LinkUp", "Polling", "Disabled"
  std::string rate;            ///< as the kernel writes it: "400 Gb/sec (4X NDR)"
  std::string interface;       ///< of the kernel's network: "ens1f0np0", "ib0"
  CardLink link;               ///< the card's PCIe link
  /// False where it may be a function through which NVSwitches are managed: on boards that have such, and where only root
  /// is told.
  bool certain = true;

  /// True where data can be sent through it.
  bool active() const { return state == "ACTIVE"; }
  /// The rate in Gb/s; what a port that is not active shows is no rate of anything.
  std::optional<double> gigabits() const;
  /// "mlx5_0 (0000:3b:00.0, ens1f0np0)", with what is known of it.
  std::string shown() const;
};
using RdmaPorts = std::vector<RdmaPort>;

/// In the inventory's order, without devices that only manage NVSwitches and without virtual functions of cards that are
/// there themselves.
RdmaPorts rdma_ports(const Inventory& inventory);
/// The same, only those that surely carry data.
RdmaPorts certain_rdma_ports(const Inventory& inventory);

/// The cards of one model whose ports have one link layer: what ought to be alike.
struct CardGroup {
  std::vector<RdmaPorts> cards;  ///< the ports of each card, by its place on the bus
  /// Active ports of more than half of the cards; nullopt where there is no such number.
  std::optional<std::size_t> usual_active;
  /// Rate in Gb/s of more than half of the active ports; nullopt where there is none.
  std::optional<double> usual_rate;

  RdmaPorts active() const;  ///< of all cards
};

/// Groups of the ports whose model is known. A card with one of two ports connected is like another on which it is the
/// other one.
std::vector<CardGroup> alike(const RdmaPorts& ports);

}  // namespace gpugauge::stack
