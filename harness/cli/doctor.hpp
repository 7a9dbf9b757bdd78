// What the doctor's parts share: where the inventory comes from, and what is left out of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "report/doctor.hpp"
#include "stack/plan/redact.hpp"
#include "stack/rules/rules.hpp"

namespace gpugauge::cli {

/// Where the inventory comes from, and how it is judged.
struct DoctorArguments {
  std::string root = "/";              ///< look below this folder; another than / is looked at as files only
  std::string inventory;               ///< a saved inventory or report instead of this machine
  bool runs_too = false;               ///< or a run file, which tells a part of a stack
  std::string python;                  ///< interpreter or environment; empty = the active one
  std::optional<int> pid;              ///< also what this process has loaded
  bool import_frameworks = false;      ///< also import them, which runs their code
  bool redact = false;                 ///< leave out what names this machine or its user
  std::string policy = "development";  ///< or production, which also warns of what is short-lived or unpinned
};

/// --root, --inventory, --python, --pid, --import, --redact.
void add_inventory_options(CLI::App& command, DoctorArguments& arguments);

/// Collects, or reads what was collected, and redacts where that was asked for. Throws result::UsageError for
/// options that exclude each other or name what is not there, result::FormatError and result::FileError for a
/// file.
stack::Inventory inventory_of(const DoctorArguments& arguments);

/// Names that a redaction leaves out: of this machine and user, and of the root that is looked at.
stack::RedactNames names_of(const DoctorArguments& arguments);

/// conductor::read_inventory(), a run file refused: where what is missing would be taken for what is not there.
/// Throws result::UsageError for that.
stack::Inventory read_whole_inventory(const std::string& file);

/// --policy: `policy` is "development" or "production".
void add_policy_option(CLI::App& command, std::string& policy);
stack::Policy policy_of(const std::string& policy);  ///< by the option's word
/// "2026-11-21", UTC.
std::string today();

/// Findings by the rules of this build, as of today.
report::Doctor examine(stack::Inventory inventory, stack::Policy policy);

/// Each adds its options or subcommands to `doctor` and sets `action` when it was chosen.
void add_doctor_lock(CLI::App& doctor, DoctorArguments& arguments, Action& action);
void add_doctor_questions(CLI::App& doctor, DoctorArguments& arguments, Action& action);

}  // namespace gpugauge::cli
