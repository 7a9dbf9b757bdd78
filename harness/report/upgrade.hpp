// An upgrade for a person: what changed, what to type, what the old side will be able to show.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/terminal.hpp"
#include "stack/plan/change.hpp"
#include "stack/plan/pins.hpp"

namespace gpugauge::report {

/// A table of the layers, then a sentence for each that is not simply as planned, then the settings.
std::string draw(const stack::StackChange& change, const Terminal& terminal);

/// The same as sentences, for remarks of a report.
std::vector<std::string> sentences(const stack::StackChange& change);

/// Numbered, each with its reason and its commands; "" for none. A line with a command holds nothing else.
std::string draw(const std::vector<stack::Advice>& advice, const std::string& title,
                 const Terminal& terminal);

/// The packages that were recorded, one line a manager and layer.
std::string draw_packages(const stack::Inventory& inventory, const Terminal& terminal);

/// By class: how many metrics, and the drops that a comparison will be able to show.
std::string draw_by_class(const std::vector<judge::Sensitivity>& rows, const Terminal& terminal);

}  // namespace gpugauge::report
