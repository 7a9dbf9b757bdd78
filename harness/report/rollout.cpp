// Writes a rollout plan for the terminal and as JSON.
#include "report/rollout.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/doctor.hpp"
#include "report/finding_json.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;
using stack::Fit;
using Reason = stack::LeftOutNode::Reason;

std::string listed_nodes(const std::vector<std::string>& names, bool every_node) {
  constexpr std::size_t most = 12;
  const std::size_t shown = every_node ? names.size() : std::min(most, names.size());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < shown; ++i) texts.push_back(plain(names[i]));
  return fmt::format("{}{}", fmt::join(texts, " "),
                     shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "");
}

const char* fit_word(Fit fit) {
  switch (fit) {
    case Fit::works:
      return "allowed";
    case Fit::limited:
      return "with limits";
    case Fit::fails:
      return "not allowed";
    case Fit::unknown:
      break;
  }
  return "not known";
}

Tone fit_tone(Fit fit) {
  return fit == Fit::works ? Tone::good : fit == Fit::fails ? Tone::bad : Tone::doubt;
}

std::string draw_waves(const stack::Rollout& rollout, const Terminal& terminal, bool every_node) {
  std::string out = terminal.paint("Order", Tone::strong) + "\n";
  int number = 0;
  for (const stack::RolloutWave& wave : rollout.waves) {
    const std::string name =
        terminal.paint(fmt::format("{} ({})", wave.name, wave.nodes.size()), Tone::strong);
    out += wrap_behind(fmt::format("  {}. {}  ", ++number, name), listed_nodes(wave.nodes, every_node),
                       terminal.width, 5) +
           "\n";
    out += "     " + terminal.paint(wrap(plain(wave.why), terminal.width, 5), Tone::faint) + "\n";
    if (number == 1)
      out += "     " + wrap("Canary: " + plain(rollout.why_canary) + ".", terminal.width, 5) + "\n";
  }
  return out + "  " +
         wrap(
             "On each node `gpugauge upgrade begin` before and `gpugauge upgrade end` after; the next wave "
             "begins "
             "when every node of this one passed. From wave 1 on `gpugauge fleet` compares the nodes that "
             "are "
             "through with each other.",
             terminal.width, 2) +
         "\n";
}

std::string draw_steps(const stack::Rollout& rollout, const Terminal& terminal, bool every_node) {
  const std::vector<stack::RolloutStep>& steps = rollout.steps;
  if (steps.empty()) return "";
  const std::size_t all = rollout.in_waves();
  const bool alike = std::all_of(steps.begin(), steps.end(),
                                 [&](const stack::RolloutStep& one) { return one.nodes.size() == all; });
  std::string out = "\n" +
                    terminal.paint(alike ? "On each node, in this order"
                                         : "In this order, each step on the nodes that it names",
                                   Tone::strong) +
                    "\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [step, nodes] = steps[i];
    out += fmt::format("  {}. {}\n", i + 1, wrap(plain(step.what), terminal.width, 5));
    if (!alike)
      out += "     " +
             wrap(nodes.size() == all ? std::string("on each node")
                                      : fmt::format("on {} of {} nodes: {}", nodes.size(), all,
                                                    listed_nodes(nodes, every_node)),
                  terminal.width, 5) +
             "\n";
    // Consecutive steps with the same reason show it once.
    if (i + 1 == steps.size() || steps[i + 1].step.why != step.why)
      out += "     " + terminal.paint(wrap(plain(step.why), terminal.width, 5), Tone::faint) + "\n";
  }
  return out;
}

std::string draw_left_out(const stack::Rollout& rollout, const Terminal& terminal, bool every_node) {
  // Group nodes with the same reason.
  std::vector<std::pair<const stack::LeftOutNode*, std::vector<std::string>>> groups;
  for (const stack::LeftOutNode& node : rollout.left_out) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group.first->reason == node.reason && group.first->why == node.why;
    });
    if (same == groups.end())
      groups.push_back({&node, {node.node}});
    else
      same->second.push_back(node.node);
  }
  if (groups.empty()) return "";
  std::string out = "\n" + terminal.paint("In no wave", Tone::strong) + "\n";
  for (const auto& [node, names] : groups) {
    const Tone shade = node->reason == Reason::there     ? Tone::good
                       : node->reason == Reason::unknown ? Tone::doubt
                                                         : Tone::bad;
    const std::string reason =
        terminal.paint(fmt::format("{} ({})", to_string(node->reason), names.size()), shade);
    out += wrap_behind("  " + reason + "  ", listed_nodes(names, every_node), terminal.width, 4) + "\n    " +
           wrap(plain(node->why), terminal.width, 4) + "\n";
    if (!node->remedy.empty()) out += "    next    " + wrap(plain(node->remedy), terminal.width, 12) + "\n";
    for (const std::string& source : node->sources)
      out += "    source  " + terminal.paint(wrap(plain(source), terminal.width, 12), Tone::faint) + "\n";
  }
  return out;
}

std::string draw_mixtures(const stack::Rollout& rollout, const Terminal& terminal) {
  if (rollout.mixtures.empty()) return "";
  std::string out = "\n" + terminal.paint("Side by side meanwhile", Tone::strong) + "\n";
  for (const stack::Mixture& mixture : rollout.mixtures) {
    out += wrap_behind("  " + terminal.paint(fit_word(mixture.fit), fit_tone(mixture.fit)) + "  ",
                       plain(mixture.what), terminal.width, 4) +
           "\n    " + wrap(plain(mixture.reason), terminal.width, 4) + "\n";
    for (const std::string& source : mixture.sources)
      out += "    source  " + terminal.paint(wrap(plain(source), terminal.width, 12), Tone::faint) + "\n";
  }
  return out;
}

}  // namespace

std::string draw(const stack::Rollout& rollout, const Terminal& terminal, bool every_node) {
  std::string out;
  for (const stack::Finding& finding : rollout.findings) out += draw(finding, terminal, true) + "\n";
  if (!rollout.waves.empty()) {
    out += terminal.paint("Kinds", Tone::strong) + "\n";
    for (const stack::RolloutKind& kind : rollout.kinds)
      out +=
          fmt::format("  {:>5}  {}\n", kind.nodes.size(), wrap(plain(kind.description), terminal.width, 9));
    out += "\n" + draw_waves(rollout, terminal, every_node);
    out += draw_steps(rollout, terminal, every_node);
  }
  out += draw_left_out(rollout, terminal, every_node);
  out += draw_mixtures(rollout, terminal);
  if (!rollout.remarks.empty()) out += "\n";
  for (const std::string& remark : rollout.remarks)
    out += "  " + wrap(plain(remark), terminal.width, 2) + "\n";
  const int code = exit_code(rollout);
  return out + "\n" +
         terminal.paint(wrap(rollout.sentence, terminal.width), code == 0   ? Tone::good
                                                                : code == 1 ? Tone::bad
                                                                            : Tone::doubt) +
         "\n";
}

std::string to_json(const stack::Rollout& rollout, const std::string& target) {
  ordered_json kinds = ordered_json::array();
  for (const stack::RolloutKind& kind : rollout.kinds)
    kinds.push_back({{"description", kind.description}, {"nodes", kind.nodes}});
  ordered_json waves = ordered_json::array();
  for (const stack::RolloutWave& wave : rollout.waves)
    waves.push_back({{"name", wave.name}, {"why", wave.why}, {"nodes", wave.nodes}});
  ordered_json left_out = ordered_json::array();
  for (const stack::LeftOutNode& node : rollout.left_out)
    left_out.push_back({{"node", node.node},
                        {"reason", to_string(node.reason)},
                        {"why", node.why},
                        {"remedy", node.remedy},
                        {"sources", node.sources}});
  ordered_json mixtures = ordered_json::array();
  for (const stack::Mixture& mixture : rollout.mixtures)
    mixtures.push_back({{"what", mixture.what},
                        {"answer", fit_word(mixture.fit)},
                        {"reason", mixture.reason},
                        {"sources", mixture.sources}});
  ordered_json steps = ordered_json::array();
  for (const auto& [step, nodes] : rollout.steps)
    steps.push_back({{"layer", step.layer},
                     {"from", step.from},
                     {"to", step.to},
                     {"what", step.what},
                     {"why", step.why},
                     {"nodes", nodes}});
  return result::dump_json(
             {{"schema", "gpugauge.rollout/1"},
              {"target", target},
              {"exit_code", exit_code(rollout)},
              {"sentence", rollout.sentence},
              {"canary", rollout.canary},
              {"why_canary", rollout.why_canary},
              {"kinds", std::move(kinds)},
              {"waves", std::move(waves)},
              {"steps", std::move(steps)},
              {"left_out", std::move(left_out)},
              {"mixtures", std::move(mixtures)},
              {"findings",
               result::array_of(rollout.findings, [](const stack::Finding& one) { return json_of(one); })},
              {"remarks", rollout.remarks}}) +
         "\n";
}

int exit_code(const stack::Rollout& rollout) {
  if (rollout.count(Reason::cannot) + rollout.count(Reason::faulty) > 0) return 1;
  return rollout.count(Reason::unknown) > 0 || (rollout.waves.empty() && rollout.left_out.empty()) ? 3 : 0;
}

}  // namespace gpugauge::report
