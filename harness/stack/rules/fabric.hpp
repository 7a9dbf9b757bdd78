// NVSwitch systems: the fabric manager must run, in exactly the driver's version, before CUDA can start.
#pragma once

#include <optional>
#include <string>

#include "stack/rules/support.hpp"

namespace gpugauge::stack {

/// What an inventory tells of the NVLink fabric that joins the GPUs.
struct Fabric {
  bool present = false;  ///< an NVSwitch, or a GPU that is part of a fabric
  /// The fabric manager belongs on this machine and goes with its driver: an NVSwitch, or a manager that is
  /// there beside GPUs of a fabric. Switches of NVLink 5 are no PCI function of NVIDIA's.
  bool managed = false;
  /// The fabric manager's process could be seen from here: no container, and a guest only where it has
  /// switches or a manager of its own.
  bool visible = false;
  bool absent = false;    ///< no fabric manager is installed, as far as could be seen
  bool switches = false;  ///< topology.nvswitch
  bool guest = false;     ///< a virtual machine, whose host may be the one that runs it
  bool rack = false;      ///< GB200, GB300: switches and their manager are elsewhere in the rack
  bool subnet = false;    ///< NVLink 5: the fabric manager needs NVLSM and ib_umad beside it
  std::string state;      ///< fabric_manager.state, "" unless present
  GpuViews waiting;       ///< GPUs whose fabric state is neither completed nor not_supported
};
Fabric look_at_fabric(const Inventory& inventory);  ///< all that the functions below need

/// The fabric manager has another version than the driver, or does not run; nullopt where neither can be
/// said. Between an upgrade and its reboot the driver is that of the installed libraries, and a manager of
/// their version waits for the reboot. A warning: that CUDA cannot start because of it is known to error 802
/// only.
std::optional<Finding> fabric_manager_finding(const Inventory& inventory, const Fabric& fabric);
/// Error 802 on an NVSwitch system whose fabric manager looks right or cannot be seen: a failure.
Finding fabric_unseen_finding(const Inventory& inventory, const Fabric& fabric);

/// Where the fabric manager is or how it was found, after fabric_manager_finding() had nothing to say: "it
/// runs, in the driver's version".
std::string fabric_manager_excluded(const Inventory& inventory, const Fabric& fabric);

/// GPUs that have not joined the NVLink fabric, while CUDA does not complain: a warning.
Finding fabric_waiting_finding(const Inventory& inventory, const Fabric& fabric);

}  // namespace gpugauge::stack
