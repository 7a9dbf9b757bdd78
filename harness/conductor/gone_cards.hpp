// Cards that a machine had when its baselines were recorded and has no more: a node that is asked about as a
// whole is not the same one then, however well the others do.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {

/// What the kernel shows, whatever is hidden from this command.
struct Shown {
  bool listed = true;           ///< false: which GPUs there are cannot be told (WSL), so none is missed
  std::set<std::string> uuids;  ///< of the GPUs that the driver holds
  std::function<bool(const std::string& address)> on_bus;  ///< a device of any kind at that PCI address
};

/// Failed, "gpu/gone/UUID", one for each card that a baseline which a device was compared with names as its
/// machine's, and that is nowhere now: this command does not see it, the driver does not hold it, and at its
/// PCI address there is nothing, or another card of that baseline which moved there. A card that is only
/// hidden, or given to a virtual machine, is there; one whose place another card has taken was replaced; and
/// where the bus does not show the measured card itself, it is not believed. Empty where the policy says how
/// many GPUs there shall be: that is then what counts.
std::vector<judge::Verdict> judge_gone_cards(const std::vector<report::DeviceReport>& devices,
                                             const judge::Policy& policy, const Shown& shown);

}  // namespace gpugauge::conductor
