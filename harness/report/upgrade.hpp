// Shows an upgrade to a person: what changed, what to type, what the old side will be able to show.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/terminal.hpp"
#include "stack/plan/change.hpp"
#include "stack/plan/pins.hpp"

namespace gpugauge::report {

/// A table of the layers, a sentence for each that deviates from the plan, then the settings.
std::string draw(const stack::StackChange& change, const Terminal& terminal);

/// Numbered advice, each with its reason and commands; "" for none. A line with a command holds nothing else.
std::string draw(const std::vector<stack::Advice>& advice, const std::string& title,
                 const Terminal& terminal);

/// The recorded packages, one line per manager and layer.
std::string draw_packages(const stack::Inventory& inventory, const Terminal& terminal);

/// Per class: the number of metrics, and the drops that a comparison will be able to detect.
std::string draw_by_class(const std::vector<judge::Sensitivity>& rows, const Terminal& terminal);

}  // namespace gpugauge::report
