// gpugauge doctor: what is in the stack, what does not fit, and what to do about it.
#include "cli/doctor.hpp"

#include <ctime>
#include <filesystem>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/definition.hpp"
#include "cli/named_files.hpp"
#include "conductor/saved_inventory.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/from_run.hpp"
#include "stack/inventory/overview.hpp"
#include "stack/plan/redact.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* doctor_footer =
    "Examples:\n"
    "  gpugauge doctor                                    every layer side by side, and what does not fit\n"
    "  gpugauge doctor --all                              also every item that was looked for\n"
    "  gpugauge doctor --json --redact > stack.json       for a program, or to show to strangers\n"
    "  gpugauge doctor --pid 4711                         what that process has really loaded\n"
    "  gpugauge doctor --plan cuda=13.0,torch=2.9         would this combination work here?\n"
    "  gpugauge doctor --plan cuda=12.8 --gpu h100 --driver 535\n"
    "  gpugauge doctor --binary ./simulation              can this program run here, at what first-launch "
    "cost?\n"
    "  gpugauge doctor --error 803                        what that error means here, and what to do\n"
    "  gpugauge doctor lock --output stack.lock           pin this stack; `doctor verify stack.lock` "
    "compares\n"
    "  gpugauge doctor diff before.json after.json        what differs, most consequential first\n"
    "\n"
    "Exit codes: 0 fits; 1 something does not fit, or drifted; 2 usage or tool error; 3 no NVIDIA GPU to "
    "judge (with --root also where nothing fails), or what was asked cannot be told.";

struct DoctorCommand {
  DoctorArguments doctor;
  std::vector<std::string> reports;
  bool json = false;
  bool whole = false;
};

std::string rendered(const report::Doctor& doctor, const std::string& kind) {
  return kind == "json" ? report::to_json(doctor) : report::to_markdown(doctor);
}

/// Whose home a relative path leads through, only the whole one tells.
std::string absolute_folder(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

int run(const DoctorCommand& arguments) {
  const std::vector<ReportFile> reports = reports_of(arguments.reports, {"json", "markdown"});
  const report::Doctor doctor = examine(inventory_of(arguments.doctor), policy_of(arguments.doctor.policy));
  Beside beside;
  beside.attempt("", [&] {
    print(arguments.json ? report::to_json(doctor)
                         : report::draw(doctor, report::terminal(1), arguments.whole));
  });
  for (const ReportFile& one : reports)
    beside.attempt(one.label(), [&] { result::write_file(one.file, rendered(doctor, one.kind)); });
  return beside.end(report::outcome(doctor).exit_code);
}

}  // namespace

void add_inventory_options(CLI::App& command, DoctorArguments& arguments) {
  command
      .add_option("--root", arguments.root, "Look below this folder: a mounted image or a container's root")
      ->type_name("DIR");
  reads(command.add_option("--inventory", arguments.inventory,
                           "Judge what `doctor --json` saved, not this machine"),
        "FILE");
  reads(command.add_option("--python", arguments.python,
                           "Interpreter or environment whose frameworks are read (default: the active one)"),
        "PATH");
  command.add_option("--pid", arguments.pid, "Also what this running process has loaded")
      ->type_name("PID")
      ->check(CLI::Range(1, 1 << 30).description(""));
  command.add_flag("--import", arguments.import_frameworks,
                   "Also import the frameworks, which runs their code (slow)");
  command.add_flag("--redact", arguments.redact,
                   "Leave out serial numbers, UUIDs, host names and paths under home");
}

stack::RedactNames names_of(const DoctorArguments& arguments) {
  stack::RedactNames names = stack::current_names();
  const stack::RedactNames below = stack::names_below(stack::Tree(arguments.root));
  names.hosts.insert(names.hosts.end(), below.hosts.begin(), below.hosts.end());
  names.users.insert(names.users.end(), below.users.begin(), below.users.end());
  names.homes.insert(names.homes.end(), below.homes.begin(), below.homes.end());
  return names;
}

stack::Inventory read_whole_inventory(const std::string& file) {
  stack::Inventory found = conductor::read_inventory(file);
  if (stack::is_of_run(found))
    throw result::UsageError(fmt::format(
        "{} is a run file, which tells only a part of a stack: `doctor lock` and `doctor verify` take it; "
        "here it takes what `gpugauge doctor --json` saved",
        file));
  return found;
}

stack::Inventory inventory_of(const DoctorArguments& arguments) {
  stack::Inventory found;
  if (!arguments.inventory.empty()) {
    if (arguments.root != "/" || arguments.pid || arguments.import_frameworks || !arguments.python.empty())
      throw result::UsageError(
          "--inventory judges what was saved: it goes with none of --root, --python, --pid and --import");
    found = arguments.runs_too ? conductor::read_inventory(arguments.inventory)
                               : read_whole_inventory(arguments.inventory);
  } else {
    std::error_code error;
    if (!std::filesystem::is_directory(arguments.root, error))
      throw result::UsageError(fmt::format("--root {}: there is no such folder", arguments.root));
    const bool live = std::filesystem::canonical(arguments.root, error) == "/";
    if (!live && (arguments.pid || arguments.import_frameworks))
      throw result::UsageError("--root looks at files only: it goes with neither --pid nor --import");
    if (arguments.pid && !std::filesystem::exists(fmt::format("/proc/{}", *arguments.pid), error))
      throw result::UsageError(fmt::format("--pid {}: there is no such process", *arguments.pid));
    stack::Context context;
    context.tree = stack::Tree(live ? "/" : absolute_folder(arguments.root));
    if (live) context.environment = stack::current_environment();
    context.python = arguments.python;
    if (live && !arguments.python.empty()) {
      if (!std::filesystem::exists(arguments.python, error))
        throw result::UsageError(
            fmt::format("--python {}: there is no such interpreter or environment", arguments.python));
      context.python = absolute_folder(arguments.python);
    }
    context.pid = arguments.pid;
    context.import_frameworks = arguments.import_frameworks;
    if (context.import_frameworks) stack::drop_relative_python_path();
    found = stack::collect(context);
    if (!arguments.python.empty() && !found.has("python.path"))
      throw result::UsageError(fmt::format(
          "--python {}: no Python is there: name an interpreter (bin/python3) or an environment's folder",
          arguments.python));
  }
  return arguments.redact ? stack::Redactor(names_of(arguments)).inventory(found) : found;
}

void add_policy_option(CLI::App& command, std::string& policy) {
  command
      .add_option(
          "--policy", policy,
          "production also warns of short-lived driver branches, unpinned packages and unattended upgrades")
      ->check(CLI::IsMember({"development", "production"}))
      ->capture_default_str();
}

stack::Policy policy_of(const std::string& policy) {
  return policy == "production" ? stack::Policy::production : stack::Policy::development;
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

report::Doctor examine(stack::Inventory inventory, stack::Policy policy) {
  report::Doctor doctor;
  const stack::RuleInput input{inventory, stack::tables(), policy, today()};
  doctor.findings = stack::diagnose_stack(input);
  doctor.layers = stack::overview(inventory);
  doctor.inventory = std::move(inventory);
  return doctor;
}

void add_doctor(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command =
      app.add_subcommand("doctor", "List every layer of the GPU stack and say what does not fit");
  command->footer(doctor_footer);
  command->require_subcommand(0, 1);
  auto arguments = std::make_shared<DoctorCommand>();
  add_inventory_options(*command, arguments->doctor);
  add_policy_option(*command, arguments->doctor.policy);
  offer(writes(command->add_option("--report", arguments->reports,
                                   "Also write a report: json=FILE or markdown=FILE"),
               "KIND=FILE"),
        [] {
          return std::vector<std::string>{"json=", "markdown="};
        });
  command->add_flag("--json", arguments->json, "The report as JSON on standard output");
  command->add_flag("--all", arguments->whole,
                    "Explain the notes, and list every item with where it was found");
  command->callback([arguments, &action] {
    if (!action) action = [arguments] { return run(*arguments); };
  });
  add_doctor_lock(*command, arguments->doctor, action);
  add_doctor_questions(*command, arguments->doctor, action);
}

}  // namespace gpugauge::cli
