// The way from a processor to a PCI function, as the kernel shows it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "result/facts.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// Where Linux shows the functions on the PCI bus, by address.
inline constexpr const char* pci_devices = "/sys/bus/pci/devices";

/// The bridges above a function ("0000:02:00.0"), the root port first. Empty where it is on a root bus itself, as the
/// devices of many virtual machines are, and where it is not there.
std::vector<std::string> bridges_above(const Tree& tree, const std::string& address);

/// A maker's and a device's number ("0x8086", "0xa340") in the text of pci.ids, the list that lspci reads:
/// "Cannon Lake PCH PCI Express Root Port #21". "" if the list does not have it.
std::string_view pci_name(std::string_view list, std::string_view vendor, std::string_view device);

/// Facts of the topology of a function:
/// - pci_bridges: the addresses of bridges_above(), "none" without any
/// - pci_chipset: the name of the first bridge that belongs to a chipset, which shares one link to the processor with
///   disks and network; "none" if no bridge does, "unknown" where pci.ids (of pciutils) is absent or lacks one of them
/// - socket: the number of the processor package that is nearest, "unknown" if the kernel does not tell
result::Facts pci_way(const Tree& tree, const std::string& address);

}  // namespace gpugauge::stack
