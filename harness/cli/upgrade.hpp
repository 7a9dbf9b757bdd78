// The subcommands of `gpugauge upgrade`, one file each.
#pragma once

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "conductor/upgrade.hpp"
#include "run/output_lock.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/plan/plan.hpp"

namespace gpugauge::cli {

void add_upgrade_begin(CLI::App& upgrade, const Invocation& invocation, Action& action);
void add_upgrade_end(CLI::App& upgrade, const Invocation& invocation, Action& action);
/// status, close
void add_upgrade_status(CLI::App& upgrade, Action& action);
void add_upgrade_plan(CLI::App& upgrade, Action& action);

/// Where the stack is read: this machine, a tree, or what `doctor --json` saved.
struct StackSource {
  std::string root = "/";  ///< "/", a folder, or a file
  std::string python;      ///< interpreter or environment whose packages are read; "" = the active one
};
/// --root, --inventory and --python; a given one replaces what `source` holds.
void add_stack_options(CLI::App& command, StackSource& source);
/// The inventory, with rpm's packages where the live machine's database is rpm's. Throws like inventory_of.
stack::Inventory read_stack(const StackSource& source);

/// --to: the layers and versions of a plan; no GPU, no driver beside it. Empty text is no plan. Throws
/// result::UsageError, the sentence naming --to.
stack::PlanRequest parse_target(const std::string& text);

/// Keeps other commands that change an upgrade of this state directory out, as long as it lives: what one has
/// read, another must not save over. `command` names it to them. Throws result::FileError that says who has
/// it. Where no lock can be made, nobody is kept out.
std::unique_ptr<run::OutputLocks> hold_upgrades(const std::filesystem::path& state, const char* command);

/// The open upgrade. Throws result::UsageError where none is, naming the last one.
conductor::KeptUpgrade require_open(const std::filesystem::path& state);

/// The host that this command runs on.
conductor::HostHere this_host();
/// Throws result::UsageError where the upgrade was begun on another host.
void require_this_host(const conductor::UpgradeRecord& record);

/// What `upgrade begin` recorded of the stack.
stack::Inventory recorded_stack(const conductor::KeptUpgrade& kept);
/// The stack now, read where it was read then and by the same interpreter, whatever is active now; what
/// `given` names is read instead. `before` is recorded_stack().
stack::Inventory stack_now(const conductor::KeptUpgrade& kept, const stack::Inventory& before,
                           const StackSource& given);

/// What to do where the stack changed before the old one was measured.
inline constexpr const char* old_stack_is_gone =
    "go back first, and `gpugauge upgrade begin --resume` goes on, or close it with `gpugauge upgrade close "
    "--reason ...` and compare with an earlier baseline by `gpugauge check --treatment ...`";

}  // namespace gpugauge::cli
