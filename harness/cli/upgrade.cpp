// gpugauge upgrade: an upgrade from the old stack's measurement to the verdict on the new one.
#include "cli/upgrade.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "cli/doctor.hpp"
#include "cli/named_files.hpp"
#include "conductor/saved_inventory.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "stack/child.hpp"
#include "stack/environment.hpp"
#include "stack/hardware.hpp"
#include "stack/plan/pins.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* upgrade_footer =
    "Examples:\n"
    "  gpugauge upgrade begin --to driver=580,cuda=13.0   plan, record and measure the old stack\n"
    "  gpugauge upgrade status                            what was recorded, and what has changed since\n"
    "  gpugauge upgrade end                               measure the new stack and compare\n"
    "  gpugauge upgrade close --reason 'postponed'        end it without a verdict\n"
    "  gpugauge upgrade plan nodes/ --to driver=580       many nodes: order, waves, allowed mixtures\n"
    "\n"
    "Exit codes: --help of each subcommand has its own; 2 is a usage or tool error of any.";

/// rpm's database is no plain file; on the machine itself rpm can be asked.
void ask_rpm(stack::Inventory& inventory) {
  if (!inventory.unreadable("packages.database")) return;
  for (const char* const program : {"/usr/bin/rpm", "/bin/rpm"}) {
    std::error_code error;
    if (!std::filesystem::exists(program, error)) continue;
    const stack::ChildResult answer = stack::run_child(
        {program, "-qa", "--queryformat", "%{NAME} %|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n"}, 30);
    if (answer.exit_code == 0) stack::add_rpm_packages(answer.out, inventory);
    return;
  }
}

}  // namespace

void add_stack_options(CLI::App& command, StackSource& source) {
  CLI::Option* root = command
                          .add_option_function<std::string>(
                              "--root", [&source](const std::string& given) { source.root = given; },
                              "Read the stack below this folder, not of this machine")
                          ->type_name("DIR");
  reads(command
            .add_option_function<std::string>(
                "--inventory", [&source](const std::string& given) { source.root = given; },
                "Read the stack from what `doctor --json` saved")
            ->excludes(root),
        "FILE");
  reads(command.add_option("--python", source.python,
                           "Interpreter or environment whose frameworks are read (default: the active one)"),
        "PATH");
}

stack::Inventory read_stack(const StackSource& source) {
  DoctorArguments arguments;
  std::error_code error;
  const bool file = std::filesystem::is_regular_file(source.root, error) ||
                    (!std::filesystem::exists(source.root, error) && source.root.ends_with(".json"));
  if (file) {
    arguments.inventory = source.root;
  } else {
    arguments.root = source.root;
    arguments.python = source.python;
  }
  stack::Inventory inventory = inventory_of(arguments);
  if (source.root == "/") ask_rpm(inventory);
  return inventory;
}

stack::PlanRequest parse_target(const std::string& text) {
  if (text.empty()) return {};
  stack::PlanRequest request = stack::parse_plan(text, "", "", "--to");
  if (!request.gpus.empty())
    throw result::UsageError("--to: gpu is no layer that an upgrade of software changes; leave it out");
  return request;
}

std::unique_ptr<run::OutputLocks> hold_upgrades(const std::filesystem::path& state, const char* command) {
  std::error_code error;
  std::filesystem::create_directories(state, error);  // the lock lies in it; whoever saves says what is wrong
  return std::make_unique<run::OutputLocks>(
      std::vector<std::filesystem::path>{conductor::upgrades_folder(state)}, command,
      run::HeldWords{"is being changed by", "nothing was changed; wait for its end"});
}

conductor::KeptUpgrade require_open(const std::filesystem::path& state) {
  if (auto kept = conductor::open_upgrade(state)) return std::move(*kept);
  const auto all = conductor::list_upgrades(state);
  if (all.empty())
    throw result::UsageError(fmt::format(
        "no upgrade was begun in {}: name the state folder of `gpugauge upgrade begin` in GPUGAUGE_STATE; a "
        "`begin` after the change would record the new stack as the old one",
        conductor::upgrades_folder(state).string()));
  throw result::UsageError(fmt::format("no upgrade is open; the last one, {}, is {} since {}",
                                       all.back().record.name, to_string(all.back().record.state),
                                       all.back().record.closed));
}

conductor::HostHere this_host() {
  const stack::Tree tree("/");
  const bool kubernetes = stack::current_environment().contains("KUBERNETES_SERVICE_HOST");
  return conductor::host_here(tree, !stack::container_kind(tree, kubernetes).empty());
}

void require_this_host(const conductor::UpgradeRecord& record) {
  if (const std::string why = conductor::of_another_host(record, this_host()); !why.empty())
    throw result::UsageError(why);
}

stack::Inventory recorded_stack(const conductor::KeptUpgrade& kept) {
  return conductor::read_inventory((kept.folder / "inventory.json").string());
}

stack::Inventory stack_now(const conductor::KeptUpgrade& kept, const stack::Inventory& before,
                           const StackSource& given) {
  // Records of earlier versions hold --python as it was given; what it was then, the inventory tells.
  const std::string read_then = before.value("python.path");
  StackSource source{kept.record.root, read_then.empty() ? kept.record.python : read_then};
  if (given.root != "/") source = {given.root, ""};
  // One that is gone was taken away since, which is a change to be told and no error.
  std::error_code error;
  const std::filesystem::path below = std::filesystem::path(source.python).relative_path();
  if (!std::filesystem::exists(std::filesystem::path(source.root) / below, error)) source.python.clear();
  if (!given.python.empty()) source.python = given.python;
  return read_stack(source);
}

void add_upgrade(CLI::App& app, const Invocation& invocation, Action& action) {
  CLI::App* upgrade =
      app.add_subcommand("upgrade", "Before and after a change of the stack: plan, hold, judge");
  upgrade->footer(upgrade_footer);
  upgrade->require_subcommand(1);
  add_upgrade_begin(*upgrade, invocation, action);
  add_upgrade_end(*upgrade, invocation, action);
  add_upgrade_status(*upgrade, action);
  add_upgrade_plan(*upgrade, action);
}

}  // namespace gpugauge::cli
