// Packages of the stack as the machine's package managers list them, and the commands that hold them, keep
// copies, and return to them. Only builds text; runs nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/plan/change.hpp"

namespace gpugauge::stack {

/// The manager that installs packages; none: no package of the stack is known.
enum class PackageManager { none, apt, dnf, zypper, pip };
const char* to_string(PackageManager manager);  ///< the command's name, "none" for none

/// One installed package, under its manager's name.
struct StackPackage {
  std::string name;     ///< "libnccl2"
  std::string version;  ///< as the manager writes it: "2.27.3-1+cuda12.9"
  std::string layer;    ///< package_layer(), or the wheel's layer
  /// package.*.held is "yes": its manager or a pin holds this version. False for wheels.
  bool held = false;
  /// The file whose pin or exclusion holds it and that the user must edit; "" if a command can release it.
  std::string pinned_in = {};

  bool operator==(const StackPackage&) const = default;  ///< member by member
};

/// The stack's system packages (package.*), sorted by name. Names and versions that no manager would write
/// are left out, because they appear in commands.
std::vector<StackPackage> system_packages(const Inventory& inventory);
/// Wheels of NVIDIA and of frameworks, in the environment that the inventory covers.
std::vector<StackPackage> python_packages(const Inventory& inventory);
/// Chosen by the database, and for rpm by the distribution; none if no package is known.
PackageManager system_manager(const Inventory& inventory);

/// The command that holds these packages at their version (`on`) or releases them; "" for pip and none, which
/// cannot hold.
std::string hold_command(PackageManager manager, const std::vector<std::string>& packages, bool on = true);

/// One recommended action with its commands.
struct Advice {
  std::string what;                   ///< one or more sentences: what the commands do
  std::string why;                    ///< one sentence
  std::vector<std::string> commands;  ///< to be typed in this order; may be empty

  bool operator==(const Advice&) const = default;  ///< member by member
};

/// Before the change: keep copies of the old packages, hold what the plan does not touch, and release what it
/// does. Also names what else may change by itself. `upgrade`: the upgrade's name, used for the folder of
/// kept packages.
std::vector<Advice> advice_before(const Inventory& inventory, const PlanRequest& request,
                                  const std::string& upgrade = "");

/// After a change that passed: hold the current versions.
std::vector<Advice> advice_after_pass(const Inventory& before, const Inventory& now);

/// The steps back to the recorded versions, in order. `now` may equal the earlier inventory: then they undo a
/// planned change, given by `request`. `upgrade`: the name given to advice_before().
std::vector<Advice> way_back(const Inventory& before, const Inventory& now, const PlanRequest& request,
                             const std::string& upgrade = "");

/// A pip constraints file that pins the environment's wheels; "" if there are none.
std::string pip_constraints(const Inventory& inventory);

/// Adds the output of `rpm -qa --queryformat '%{NAME} %|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\n'` as
/// package.* items. Ignores lines that are no package of the stack.
void add_rpm_packages(std::string_view text, Inventory& inventory);

}  // namespace gpugauge::stack
