// Cards that a machine had when its baselines were recorded and has no more: a node that is asked about as a
// whole is not the same one then, however well the others do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {

/// Failed, "gpu/gone/UUID", one for each card that a baseline which a device was compared with names as its
/// machine's, that the driver does not show now, and that `on_bus` does not find at its PCI address either (a
/// card that is only hidden from this command, or given to a virtual machine, is there). Empty where the
/// policy says how many GPUs there shall be: that is then what counts.
std::vector<judge::Verdict> judge_gone_cards(const std::vector<report::DeviceReport>& devices,
                                             const judge::Policy& policy,
                                             const std::function<bool(const std::string& address)>& on_bus);

}  // namespace gpugauge::conductor
