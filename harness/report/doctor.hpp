// Shows what the doctor found, for a terminal, for an issue report and for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/terminal.hpp"
#include "stack/gpu_report.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/rules/finding.hpp"

namespace gpugauge::report {

inline constexpr std::string_view doctor_schema = "gpugauge.doctor/1";  ///< the "schema" of its JSON

/// An inspected stack and the findings about it.
struct Doctor {
  stack::Inventory inventory;            ///< everything that was looked for
  std::vector<stack::Finding> findings;  ///< worst first
  std::vector<stack::Layer> layers;      ///< the stack side by side: stack::overview
};

/// The number of findings per severity, and the result: the last line of every report.
struct DoctorOutcome {
  int failures = 0,      ///< something does not work, or is unsupported
      warnings = 0,      ///< it works, but something will suffer
      notes = 0;         ///< worth knowing; never counts
  int exit_code = 0;     ///< 0: nothing is broken; 1: something is; 3: there is no GPU to judge
  std::string sentence;  ///< "fits: 0 failures, 1 warning, 2 notes"
};
/// Counts the findings. The finding that there is no GPU counts too, but gives code 3, not 1.
DoctorOutcome outcome(const Doctor& doctor);

/// One screen: findings, then layers, then the outcome. Notes show only their titles. `whole` shows them in
/// full and lists every item of the inventory.
std::string draw(const Doctor& doctor, const Terminal& terminal, bool whole);

/// One finding: its title. Failures, warnings, and with `whole` also notes, add evidence and remedy.
std::string draw(const stack::Finding& finding, const Terminal& terminal, bool whole);

/// {"schema": doctor_schema, ...}, docs/schema/doctor.schema.json.
std::string to_json(const Doctor& doctor);

/// Markdown to paste into an issue. Foreign text stands in code spans and cannot become markup.
std::string to_markdown(const Doctor& doctor);

}  // namespace gpugauge::report
