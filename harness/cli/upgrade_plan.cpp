// gpugauge upgrade plan: in which order many nodes take an upgrade, and what may stand side by side
// meanwhile.
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/doctor.hpp"
#include "cli/named_files.hpp"
#include "cli/run_files.hpp"
#include "cli/upgrade.hpp"
#include "conductor/saved_inventory.hpp"
#include "report/doctor.hpp"
#include "report/format.hpp"
#include "report/rollout.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/object_reader.hpp"
#include "result/run_file.hpp"
#include "result/schema_in.hpp"
#include "stack/plan/lock.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* upgrade_plan_footer =
    "Examples:\n"
    "  gpugauge upgrade plan nodes/ --to driver=580       order, waves, allowed mixtures\n"
    "\n"
    "Exit codes: 0 every node can take it or has it; 1 a node cannot, or is to be mended first; 2 usage or "
    "tool error; 3 of a node it cannot be told.";

struct UpgradePlanArguments {
  std::vector<std::string> paths;
  std::string target;
  std::string policy = "development";
  double at_once = 25;
  bool every_node = false;
  bool json = false;
};

/// A doctor's report or inventory, a lock, or a run file; nullopt for another file of a folder. Throws
/// result::FileError or result::FormatError.
std::optional<stack::RolloutNode> read_told(const FoundFile& found) {
  const std::string file = found.file.string();
  const std::string text = result::read_file(found.file);
  const std::string schema = result::schema_in(text);
  stack::RolloutNode node;
  node.name = found.label;
  if (schema == result::run_schema) {
    node.inventory = stack::inventory_of(result::parse_run(text, file, result::Detail::values).fingerprint);
  } else if (schema == stack::lock_schema) {
    node.inventory = stack::inventory_of(stack::lock_from_json(text, file));
  } else if (schema == stack::inventory_schema || schema == report::doctor_schema) {
    node.inventory = conductor::read_inventory(file);
    node.whole = true;
  } else if (found.in_a_folder) {
    if (result::parse_json(text, file).empty()) throw result::FormatError(file + " holds nothing");
    return std::nullopt;
  } else {
    throw result::FormatError(fmt::format(
        "{} tells of no node: give what `doctor --json` or `doctor lock` wrote, or a run file", file));
  }
  return node;
}

/// As read_told(). A file of a folder that cannot be read may be a node's: it counts as one.
std::optional<stack::RolloutNode> read_node(const FoundFile& found) {
  const auto unreadable = [&](const std::exception& error) {
    stack::RolloutNode node;
    node.name = found.label;
    node.unreadable = error.what();
    return node;
  };
  if (!found.in_a_folder) return read_told(found);
  try {
    return read_told(found);
  } catch (const result::FileError& error) {
    return unreadable(error);
  } catch (const result::FormatError& error) {
    return unreadable(error);
  }
}

/// Several files of one node would count it twice.
void refuse_twins(const std::vector<stack::RolloutNode>& nodes) {
  std::map<std::string, std::string> cards;
  for (const stack::RolloutNode& node : nodes) {
    const std::string card = node.inventory.value("gpu.0.uuid");
    // A redacted inventory numbers its GPUs from 0 on, as that of any other node does.
    if (card.empty() || card.starts_with("gpu-uuid-")) continue;
    const auto [other, added] = cards.emplace(card, node.name);
    if (!added)
      throw result::UsageError(fmt::format("{} and {} are of one node (the GPU {}): give one file a node",
                                           other->second, node.name, card));
  }
}

int plan(const UpgradePlanArguments& arguments) {
  const stack::PlanRequest request = parse_target(arguments.target);
  if (request.versions.empty()) throw result::UsageError("--to is empty: say what the nodes are to become");
  std::vector<stack::RolloutNode> nodes;
  std::size_t passed_over = 0;
  for (const FoundFile& found : find_files(arguments.paths)) {
    if (auto node = read_node(found))
      nodes.push_back(std::move(*node));
    else
      ++passed_over;
  }
  if (nodes.empty())
    throw result::UsageError(
        "none of the files tells of a node: give what `doctor --json` or `doctor lock` wrote, "
        "or run files");
  refuse_twins(nodes);
  constexpr double percent = 100;
  stack::Rollout rollout = stack::roll_out(
      nodes, request, stack::tables(), {policy_of(arguments.policy), today()}, arguments.at_once / percent);
  if (passed_over > 0)
    rollout.remarks.push_back(fmt::format("{} passed over: in the folders, and of no node.",
                                          result::counted(passed_over, "file was", "files were")));
  return print_verdict(arguments.json ? report::to_json(rollout, arguments.target)
                                      : report::draw(rollout, report::terminal(1), arguments.every_node),
                       report::exit_code(rollout));
}

}  // namespace

void add_upgrade_plan(CLI::App& upgrade, Action& action) {
  CLI::App* command = upgrade.add_subcommand(
      "plan", "Many nodes: which can take it, in which order, and what may stand side by side meanwhile");
  command->footer(upgrade_plan_footer);
  auto arguments = std::make_shared<UpgradePlanArguments>();
  reads(command
            ->add_option(
                "paths", arguments->paths,
                "One file a node, or folders of them: of `doctor --json` or `doctor lock`, or run files")
            ->required(),
        "PATH", Reads::runs);
  command->add_option("--to", arguments->target, "What the nodes are to become")
      ->required()
      ->type_name("LAYER=VERSION,...");
  add_policy_option(*command, arguments->policy);
  command->add_option("--at-once", arguments->at_once, "At most this share of the nodes in a wave")
      ->capture_default_str()
      ->check(finite())
      ->check(CLI::Range(1.0, 100.0))
      ->type_name("PERCENT");
  command->add_flag("--every-node", arguments->every_node, "Name every node of every list");
  command->add_flag("--json", arguments->json, "As JSON on standard output");
  command->callback([arguments, &action] { action = [arguments] { return plan(*arguments); }; });
}

}  // namespace gpugauge::cli
