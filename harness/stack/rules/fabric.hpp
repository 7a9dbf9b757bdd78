// NVSwitch systems: the fabric manager must run, in exactly the driver's version, before CUDA can start.
#pragma once

#include <optional>
#include <string>

#include "stack/rules/support.hpp"

namespace gpugauge::stack {

/// An inventory's facts about the NVLink fabric that joins the GPUs.
struct Fabric {
  bool present = false;  ///< an NVSwitch, or a GPU that is part of a fabric
  /// A fabric manager belongs on this machine, with the driver's version: there is an NVSwitch, or a manager
  /// beside GPUs of a fabric. NVLink 5 switches are no PCI functions of NVIDIA's.
  bool managed = false;
  /// The fabric manager's process could be seen from here. Not in a container, and in a guest only with
  /// switches or a manager of its own.
  bool visible = false;
  bool absent = false;    ///< no fabric manager is installed, as far as visible
  bool switches = false;  ///< topology.nvswitch
  bool guest = false;     ///< a virtual machine, whose host may run the manager
  bool rack = false;      ///< GB200, GB300: the switches and their manager are elsewhere in the rack
  bool subnet = false;    ///< NVLink 5: the fabric manager needs NVLSM and ib_umad beside it
  std::string state;      ///< fabric_manager.state; "" if not present
  GpuViews waiting;       ///< GPUs whose fabric state is neither completed nor not_supported
  GpuViews unhealthy;     ///< GPUs that have joined the fabric, and NVML calls their fabric unhealthy
};
Fabric look_at_fabric(const Inventory& inventory);  ///< collects the facts for the functions below

/// The fabric manager's version differs from the driver's, or it does not run; nullopt if neither can be
/// said. Between an upgrade and its reboot the installed libraries' version counts as the driver's, and a
/// manager of that version waits for the reboot. A warning: only error 802 proves that CUDA cannot start
/// because of it.
std::optional<Finding> fabric_manager_finding(const Inventory& inventory, const Fabric& fabric);
/// Error 802 on an NVSwitch system whose fabric manager looks right or is not visible: a failure.
Finding fabric_unseen_finding(const Inventory& inventory, const Fabric& fabric);

/// A clause on where the fabric manager is or how it was found: "it runs, in the driver's version". Call
/// after fabric_manager_finding() returned nothing.
std::string fabric_manager_excluded(const Inventory& inventory, const Fabric& fabric);

/// GPUs that have not joined the NVLink fabric although CUDA does not complain: a warning.
Finding fabric_waiting_finding(const Inventory& inventory, const Fabric& fabric);

/// GPUs whose NVLink fabric is not what it ought to be (fabric_health): a warning. Only if there are any.
Finding fabric_unhealthy_finding(const Inventory& inventory, const Fabric& fabric);

}  // namespace gpugauge::stack
