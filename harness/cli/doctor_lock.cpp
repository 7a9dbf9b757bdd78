// gpugauge doctor lock, verify and diff: one stack against a lock, many, or another.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/doctor.hpp"
#include "cli/named_files.hpp"
#include "conductor/saved_inventory.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/time.hpp"
#include "stack/plan/diff.hpp"
#include "stack/plan/lock.hpp"

namespace gpugauge::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* lock_footer =
    "Options of `gpugauge doctor` that it takes: --root, --inventory, --python, --pid, --import, --redact.\n"
    "\n"
    "Exit codes: 0 written; 2 usage or tool error, or nothing to pin.";

constexpr const char* verify_footer =
    "Options of `gpugauge doctor` that it takes: --json and --redact; for this node also --root, --inventory, "
    "--python, --pid and --import.\n"
    "\n"
    "Exit codes: 0 as locked; 1 a node drifted; 2 usage or tool error; 3 of a node it cannot be told.";

constexpr const char* diff_footer =
    "Options of `gpugauge doctor` that it takes: --json and --redact.\n"
    "\n"
    "Exit codes: 0 no difference; 1 a difference; 2 usage or tool error.";

struct DoctorLockArguments {
  std::string output, lock;
  std::vector<std::string> files;
  bool json = false;
  bool force = false;
};

int lock(const DoctorLockArguments& arguments, const DoctorArguments& doctor) {
  const bool to_standard_output = arguments.output.empty() || arguments.output == "-";
  if (!to_standard_output && !arguments.force && result::is_there(arguments.output))
    throw result::UsageError(fmt::format(
        "{} exists; a lock is not overwritten: choose another --output, or say --force", arguments.output));
  const stack::Lock made = stack::make_lock(inventory_of(doctor), result::utc_now());
  if (made.fields.empty())
    throw result::UsageError("there is nothing to pin: no driver, library, framework or system was found");
  if (to_standard_output) {
    print(stack::to_json(made));
    return 0;
  }
  // Another may have made it while this stack was read.
  if (arguments.force)
    result::write_file(arguments.output, stack::to_json(made));
  else
    result::write_file(arguments.output, stack::to_json(made), std::nullopt);
  print(fmt::format("{} fields pinned in {}\n", made.fields.size(), arguments.output));
  return 0;
}

/// A lock that ignores everything, or a node that tells nothing, passes nobody.
bool sure(const stack::LockReport& report) {
  return report.unknown.empty() && report.compared > 0;
}

struct Node {
  std::string name;
  stack::LockReport report;
};

ordered_json json_of(const std::vector<stack::Drift>& drifts) {
  ordered_json out = ordered_json::array();
  for (const stack::Drift& drift : drifts)
    out.push_back({{"key", drift.key},
                   {"kind", stack::to_string(drift.kind)},
                   {"expected", drift.expected},
                   {"found", drift.found},
                   {"sentence", drift.sentence}});
  return out;
}

std::string to_json(const std::vector<Node>& nodes) {
  ordered_json out = ordered_json::array();
  for (const Node& node : nodes)
    out.push_back({{"node", node.name},
                   {"as_locked", node.report.as_locked() && sure(node.report)},
                   {"compared", node.report.compared},
                   {"ignored", node.report.ignored},
                   {"drifts", json_of(node.report.drifts)},
                   {"unknown", json_of(node.report.unknown)}});
  return ordered_json{{"schema", "gpugauge.verify/1"}, {"nodes", out}}.dump(
             2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

std::string draw(const std::vector<Node>& nodes, const report::Terminal& terminal) {
  using report::Tone;
  std::string out;
  std::size_t drifted = 0;
  std::size_t unsure = 0;
  for (const Node& node : nodes) {
    const stack::LockReport& report = node.report;
    drifted += report.drifts.empty() ? 0 : 1;
    unsure += report.drifts.empty() && !sure(report) ? 1 : 0;
    const auto [word, tone] = !report.drifts.empty() ? std::pair{"drifted", Tone::bad}
                              : !sure(report)        ? std::pair{"not sure", Tone::doubt}
                                                     : std::pair{"as locked", Tone::good};
    out += fmt::format("{}  {} ({} fields compared, {} ignored)\n",
                       terminal.paint(report::plain(node.name), Tone::strong), terminal.paint(word, tone),
                       report.compared, report.ignored);
    for (const auto* list : {&report.drifts, &report.unknown})
      for (const stack::Drift& drift : *list)
        out += "  " + report::wrap(report::plain(drift.sentence), terminal.width, 4) + "\n";
  }
  return out + fmt::format("{} of {} as locked, {} drifted, {} not sure\n", nodes.size() - drifted - unsure,
                           nodes.size(), drifted, unsure);
}

int verify(const DoctorLockArguments& arguments, const DoctorArguments& doctor) {
  const stack::Lock lock = stack::lock_from_json(result::read_file(arguments.lock), arguments.lock);
  std::vector<Node> nodes;
  stack::Redactor redactor(names_of(doctor));
  // Judged first: a lock holds what nodes have, and not placeholders.
  const auto judge = [&](const std::string& name, const stack::Inventory& found) {
    stack::LockReport report = stack::verify(lock, found);
    if (doctor.redact) {
      redactor.learn(found);
      report = stack::redacted(std::move(report), redactor);
    }
    nodes.push_back({name, std::move(report)});
  };
  for (const std::string& file : arguments.files)
    judge(doctor.redact ? redactor.path(file) : file, conductor::read_inventory(file));
  if (nodes.empty()) {
    DoctorArguments as_it_is = doctor;
    as_it_is.redact = false;
    judge("this node", inventory_of(as_it_is));
  }
  int code = 0;
  for (const Node& node : nodes)
    if (!sure(node.report)) code = 3;
  if (std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return !node.report.drifts.empty(); }))
    code = 1;
  return print_verdict(arguments.json ? to_json(nodes) : draw(nodes, report::terminal(1)), code);
}

int diff(const DoctorLockArguments& arguments, const DoctorArguments& doctor) {
  stack::Inventory left = read_whole_inventory(arguments.files.at(0));
  stack::Inventory right = read_whole_inventory(arguments.files.at(1));
  std::vector<std::string> names = arguments.files;
  if (doctor.redact) {
    stack::Redactor redactor(names_of(doctor));
    for (std::string& name : names) name = redactor.path(name);
    left = redactor.inventory(left);
    right = redactor.inventory(right);
  }
  const std::vector<stack::Difference> differences = stack::diff(left, right);
  std::string shown = "no difference but in what moves by itself\n";
  if (arguments.json) {
    ordered_json out = ordered_json::array();
    for (const stack::Difference& one : differences)
      out.push_back({{"key", one.key},
                     {"consequence", stack::to_string(one.consequence)},
                     {"left", one.left},
                     {"right", one.right}});
    shown = ordered_json{{"schema", "gpugauge.diff/1"}, {"differences", out}}.dump(
                2, ' ', false, ordered_json::error_handler_t::replace) +
            "\n";
  } else if (!differences.empty()) {
    report::Table table({{"layer"},
                         {"item", false, true},
                         {report::plain(names[0]), false, true},
                         {report::plain(names[1]), false, true}});
    for (const stack::Difference& one : differences)
      table.add({{stack::to_string(one.consequence), report::Tone::faint},
                 {report::plain(one.key), report::Tone::strong},
                 {report::plain(one.left)},
                 {report::plain(one.right)}});
    shown = table.draw(report::uncut(report::terminal(1)));
  }
  return print_verdict(shown, differences.empty() ? 0 : 1);
}

/// A question beside one of these subcommands would go unanswered.
void refuse_questions(const CLI::App& doctor) {
  for (const char* const name : {"--plan", "--image-env", "--binary", "--report"})
    if (doctor.count(name) > 0)
      throw CLI::ValidationError(name, "it goes with none of lock, verify and diff");
}

}  // namespace

void add_doctor_lock(CLI::App& doctor, DoctorArguments& arguments, Action& action) {
  auto own = std::make_shared<DoctorLockArguments>();
  CLI::App* lock_command = doctor.add_subcommand("lock", "Write this stack as a lock")->fallthrough();
  lock_command->footer(lock_footer);
  writes(lock_command->add_option("-o,--output", own->output, "The file (default: standard output)"), "FILE",
         Dash::standard_output);
  lock_command->add_flag("--force", own->force, "Overwrite the file");
  lock_command->callback([own, &arguments, &action, &doctor] {
    refuse_questions(doctor);
    arguments.runs_too = true;
    action = [own, &arguments] { return lock(*own, arguments); };
  });

  CLI::App* verify_command =
      doctor.add_subcommand("verify", "Compare this node, or what others saved, with a lock")->fallthrough();
  verify_command->footer(verify_footer);
  reads(verify_command->add_option("lock", own->lock, "What `doctor lock` wrote")->required(), "LOCK");
  reads(verify_command->add_option("inventories", own->files,
                                   "What `doctor --json` saved, or run files (default: this node)"),
        "FILE");
  verify_command->callback([own, &arguments, &action, &doctor] {
    refuse_questions(doctor);
    own->json = doctor.get_option("--json")->as<bool>();
    arguments.runs_too = true;
    action = [own, &arguments] { return verify(*own, arguments); };
  });

  CLI::App* diff_command =
      doctor.add_subcommand("diff", "Two saved inventories: what differs, most consequential first")
          ->fallthrough();
  diff_command->footer(diff_footer);
  reads(
      diff_command->add_option("files", own->files, "Two files of `doctor --json`")->required()->expected(2),
      "FILE");
  diff_command->callback([own, &arguments, &action, &doctor] {
    refuse_questions(doctor);
    own->json = doctor.get_option("--json")->as<bool>();
    action = [own, &arguments] { return diff(*own, arguments); };
  });
}

}  // namespace gpugauge::cli
