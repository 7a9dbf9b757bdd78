// Finds cards that the machine had when its baselines were recorded and has lost since. A node that lost a
// card fails as a whole, however well the others perform.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/summary.hpp"
#include "stack/now.hpp"

namespace gpugauge::conductor {

/// What the kernel shows, including devices hidden from this command.
struct Shown {
  bool listed = true;           ///< false: the GPUs cannot be listed (WSL), so none is reported missing
  std::set<std::string> uuids;  ///< GPUs that the driver holds
  std::function<bool(const std::string& address)> on_bus;  ///< true for any device at that PCI address
};

/// What the kernel lists in `now`; the bus is asked when on_bus is called.
Shown shown_of(const stack::MachineNow& now);
/// The same of this machine now.
Shown shown_by_the_kernel();

/// Returns a failed verdict "gpu/gone/UUID" per card that a used baseline lists for this machine and that is
/// gone. A card is gone when this command does not see it, the driver does not hold it, and its PCI address
/// is empty. The address may also hold another card of that baseline that moved there. A card that is only
/// hidden or given to a virtual machine is present. A card whose place another card took was replaced. The
/// bus is not believed where it does not show the measured card itself. Empty where the policy sets the
/// number of GPUs, because that expectation then decides.
std::vector<judge::Verdict> judge_gone_cards(const std::vector<report::DeviceReport>& devices,
                                             const judge::Policy& policy, const Shown& shown);

}  // namespace gpugauge::conductor
