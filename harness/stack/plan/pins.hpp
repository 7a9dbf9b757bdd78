// Packages of the stack as the machine's package managers know them, and the commands that hold, keep and
// return to them. Text only: nothing here runs anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/plan/change.hpp"

namespace gpugauge::stack {

/// Who installs; none: no package of the stack is known.
enum class PackageManager { none, apt, dnf, zypper, pip };
const char* to_string(PackageManager manager);  ///< the command's name, "none" for none

/// One installed package, as its manager names it.
struct StackPackage {
  std::string name;     ///< "libnccl2"
  std::string version;  ///< as the manager writes it: "2.27.3-1+cuda12.9"
  std::string layer;    ///< package_layer(), or of a wheel
  /// package.*.held is "yes": its manager or a pin keeps it at this version; false for wheels.
  bool held = false;
  /// The file whose pin or exclusion keeps it, of which only an editor lets go; "" where a command does.
  std::string pinned_in = {};

  bool operator==(const StackPackage&) const = default;  ///< member by member
};

/// The system's packages of the stack (package.*), sorted by name. Names and versions that no manager would
/// write are left out: they end up in commands.
std::vector<StackPackage> system_packages(const Inventory& inventory);
/// Wheels of NVIDIA's and of the frameworks, in the environment that the inventory read.
std::vector<StackPackage> python_packages(const Inventory& inventory);
/// By the database, and where it is rpm's by the distribution; none where no package is known.
PackageManager system_manager(const Inventory& inventory);

/// What keeps these packages at their version (`on`), or lets go of them; "" for pip and none, which hold
/// none.
std::string hold_command(PackageManager manager, const std::vector<std::string>& packages, bool on = true);

/// One thing to do, with the commands to type.
struct Advice {
  std::string what;                   ///< one or more sentences: what the commands do together
  std::string why;                    ///< one sentence
  std::vector<std::string> commands;  ///< to be typed in this order; may be empty

  bool operator==(const Advice&) const = default;  ///< member by member
};

/// Before the change: keep the old packages, hold what the plan does not touch, let go of what it does, and
/// what else may change by itself meanwhile. `upgrade`: its name, which the folder of the kept packages
/// bears.
std::vector<Advice> advice_before(const Inventory& inventory, const PlanRequest& request,
                                  const std::string& upgrade = "");

/// After a change that passed: hold what is there now.
std::vector<Advice> advice_after_pass(const Inventory& before, const Inventory& now);

/// The way back to the recorded versions, in the order in which to go it. `now` may be the inventory of
/// before: then it is the way back from a change that is still to come, by `request`. `upgrade`: as
/// advice_before() was given it.
std::vector<Advice> way_back(const Inventory& before, const Inventory& now, const PlanRequest& request,
                             const std::string& upgrade = "");

/// A constraints file for pip that pins the environment's wheels; "" where there are none.
std::string pip_constraints(const Inventory& inventory);

/// The list that `rpm -qa --queryformat '%{NAME} %|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\n'` prints, as
/// package.* of the inventory. Lines that are no package of the stack are left out.
void add_rpm_packages(std::string_view text, Inventory& inventory);

}  // namespace gpugauge::stack
