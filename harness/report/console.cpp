// Writes a report for the terminal.
#include "report/console.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/provisional.hpp"
#include "judge/reasons.hpp"
#include "report/diagnosis.hpp"
#include "report/format.hpp"
#include "report/metric_rows.hpp"
#include "report/sustained.hpp"
#include "report/table.hpp"
#include "result/counted.hpp"

namespace gpugauge::report {
namespace {

using judge::Verdict;
using judge::VerdictKind;

/// Families of which nothing was measured, and why: draw_families() tells them.
std::set<std::string> unmeasured_families(const std::vector<result::Run>& rounds) {
  std::set<std::string> out;
  for (const FamilyState& state : family_states(rounds.front()))
    if (state.benchmarks == 0 && !state.reason.empty()) out.insert(state.family);
  return out;
}

/// One paragraph per verdict that needs action, worst first. An inconclusive one on a family of `told` has
/// only the reason why that was not measured, which stands above.
std::string draw_problems(const std::vector<Verdict>& verdicts, const std::set<std::string>& told,
                          const Terminal& terminal) {
  constexpr std::size_t most = 12;
  std::vector<const Verdict*> problems;
  for (const Verdict& verdict : verdicts)
    if (is_problem(verdict) && !(verdict.kind == VerdictKind::inconclusive && told.contains(verdict.metric)))
      problems.push_back(&verdict);
  std::stable_sort(problems.begin(), problems.end(), [](const Verdict* a, const Verdict* b) {
    if (verdict_rank(*a) != verdict_rank(*b)) return verdict_rank(*a) < verdict_rank(*b);
    return a->change.value_or(0) > b->change.value_or(0);
  });
  // A baseline of too few rounds decides nothing of any metric, for one reason: that is said once.
  std::map<std::string, std::size_t> alike;
  std::erase_if(problems, [&](const Verdict* one) {
    return one->kind == VerdictKind::inconclusive && !one->reason.empty() && alike[one->reason]++ > 0;
  });
  std::string out;
  for (std::size_t i = 0; i < std::min(most, problems.size()); ++i) {
    const Verdict& verdict = *problems[i];
    const auto others = alike.find(verdict.reason);
    const std::string more =
        verdict.kind == VerdictKind::inconclusive && others != alike.end() && others->second > 1
            ? fmt::format(" and {} more", others->second - 1)
            : "";
    const std::string kind = "  " + terminal.paint(verdict_word(verdict), verdict_tone(verdict)) + "  ";
    out += wrap_behind(kind, terminal.paint(plain(verdict.metric), Tone::strong) + more, terminal.width, 4) +
           "\n" + "    " + wrap(plain(verdict.reason), terminal.width, 4) + "\n";
  }
  if (problems.size() > most)
    out += fmt::format("  and {} more; --every-metric and the JSON report hold them all\n",
                       problems.size() - most);
  return out;
}

/// Why the physical judge knows nothing of a metric: the table has only the word for it. One paragraph per reason.
std::string draw_unknown(const std::vector<Verdict>& verdicts, const Terminal& terminal) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> metrics;  // by reason, as they come
  for (const Verdict& verdict : verdicts) {
    if (verdict.judge != judge::Judge::physical || verdict.kind != VerdictKind::inconclusive ||
        is_problem(verdict) || verdict.reason.empty())
      continue;
    auto found = std::find_if(metrics.begin(), metrics.end(),
                              [&](const auto& one) { return one.first == verdict.reason; });
    if (found == metrics.end()) found = metrics.insert(found, {verdict.reason, {}});
    found->second.push_back(verdict.metric);
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(most, metrics.size()); ++i)
    out += "  " +
           wrap(plain(fmt::format("{}: {}", judge::some_of(metrics[i].second), metrics[i].first)),
                terminal.width, 4) +
           "\n";
  if (metrics.size() > most)
    out += fmt::format("  and {}; the JSON report holds them all\n",
                       result::counted(metrics.size() - most, "more reason"));
  return out;
}

/// What could not be measured. Families that share a reason (a GPU that is gone) share a paragraph.
std::string draw_families(const result::Run& run, const Terminal& terminal) {
  const std::vector<FamilyState> states = family_states(run);
  std::map<std::string, std::vector<const FamilyState*>> alike;
  for (const FamilyState& state : states)
    if (!state.reason.empty()) alike[state.reason].push_back(&state);
  std::string out;
  for (const FamilyState& state : states) {
    const auto found = alike.find(state.reason);
    if (found != alike.end() && found->second.front() == &state) {
      std::vector<std::string> families;
      for (const FamilyState* one : found->second)
        families.push_back(
            fmt::format("{} ({} of {} processes whole)", plain(one->family), one->ok, one->processes));
      const std::string word = families.size() == 1 ? "family" : "families";
      out += wrap_behind("  " + terminal.paint(word, Tone::doubt) + " ",
                         fmt::format("{}: {}", fmt::join(families, ", "), plain(state.reason)),
                         terminal.width, 4) +
             "\n";
    }
    for (const std::string& line : state.skipped) out += "  " + wrap(plain(line), terminal.width, 4) + "\n";
  }
  return out;
}

/// One sentence for each benchmark under a long load.
std::string draw_sustained(std::span<const result::Run> rounds, const Terminal& terminal) {
  std::string out;
  for (const Sustained& course : sustained(rounds))
    out += "  " + wrap(plain(sentence(course)), terminal.width, 4) + "\n";
  return out;
}

Tone tone(judge::ExitCode code) {
  switch (code) {
    case judge::ExitCode::pass:
      return Tone::good;
    case judge::ExitCode::regressed:
    case judge::ExitCode::error:
      return Tone::bad;
    case judge::ExitCode::cannot_judge:
    case judge::ExitCode::inconclusive:
      break;
  }
  return Tone::doubt;
}

std::string head(const std::string& label, const result::Run& run, std::size_t rounds, double seconds,
                 const Terminal& terminal) {
  return wrap_behind(terminal.paint(plain(label), Tone::strong) + "  ",
                     fmt::format("profile {}, {}, {}{}", plain(run.profile), result::counted(rounds, "round"),
                                 duration(seconds), run.complete ? "" : ", PARTIAL"),
                     terminal.width, 4) +
         "\n";
}

/// "Processes took 58 s, 51 s were estimated; cudnn 14 s instead of 9 s." "" without estimates. With a single
/// family the total is enough.
std::string against_estimate(const result::Run& run) {
  struct Sum {
    double expected = 0, wall = 0;
  };
  std::map<std::string, Sum> families;
  Sum all;
  for (const result::Process& process : run.processes) {
    if (!process.expected_seconds || process.status == result::Status::interrupted) continue;
    for (Sum* sum : {&families[process.family], &all}) {
      sum->expected += *process.expected_seconds;
      sum->wall += process.wall_seconds;
    }
  }
  if (all.expected <= 0) return "";
  std::string text =
      fmt::format("Processes took {}, {} were estimated", duration(all.wall), duration(all.expected));
  for (const auto& [family, sum] : families) {
    const double off = std::abs(sum.wall - sum.expected);
    if (families.size() == 1 || off < 1 || off < sum.expected / 4) continue;
    text += fmt::format("; {} {} instead of {}", plain(family), duration(sum.wall), duration(sum.expected));
  }
  return text + ".";
}

std::string draw(const DeviceReport& device, const Terminal& terminal, const ConsoleOptions& options) {
  std::string out;
  if (device.rounds.empty()) return out;
  const result::Run& run = device.rounds.front();
  out += head(device.label, run, device.rounds.size(), device.seconds, terminal);
  out += "  " + wrap(plain(device.baseline_origin), terminal.width, 4) + "\n";
  for (const std::string& remark : device.remarks)
    out += "  " + wrap(plain(remark), terminal.width, 4) + "\n";
  for (const result::Run& round : device.rounds) {
    const std::string disturbed = disturbance(round);
    if (disturbed.empty()) continue;
    const std::string which = device.rounds.size() > 1 ? fmt::format("Round {}. ", round.round) : "";
    out += "  " + terminal.paint(wrap(which + disturbed, terminal.width, 4), Tone::doubt) + "\n";
  }
  out += draw_families(run, terminal);
  const std::string problems = draw_problems(device.verdicts, unmeasured_families(device.rounds), terminal);
  if (!problems.empty()) out += "\n" + problems;
  const bool judged = std::any_of(device.verdicts.begin(), device.verdicts.end(), [](const Verdict& verdict) {
    return verdict.judge == judge::Judge::baseline;
  });
  out += "\n" + draw(MetricTable{summarise(device), device.verdicts, device.rounds.size(), judged,
                                 options.every_metric},
                     terminal);
  out += draw_unknown(device.verdicts, terminal);
  out += draw_sustained(device.rounds, terminal);
  if (device.diagnosis && (device.diagnosis->state == diagnose::State::found ||
                           device.diagnosis->state == diagnose::State::unknown))
    out += "\n" + draw(*device.diagnosis, terminal, "Cause") + "\n";
  if (device.going_back && !device.going_back->diagnosis.findings.empty())
    out += "\n" + draw(device.going_back->diagnosis, terminal, "Of the change that was taken back (A/B/A)") +
           "\n";
  if (!device.probes.empty()) out += terminal.paint("Asked by measuring", Tone::strong) + "\n";
  for (const ProbeAsked& asked : device.probes)
    out += "  " + wrap(plain(sentence(asked)), terminal.width, 4) + "\n";
  if (!device.probes.empty()) out += "\n";
  for (const auto& file : device.files) out += fmt::format("  kept as {}\n", plain(file.string()));
  return out;
}

/// Names the doctor's causes; what they rest on is in the explanation above, and in full with the doctor.
std::string draw_pointer(const Report& report, const Terminal& terminal) {
  if (report.findings.empty()) return "";
  std::vector<std::string> causes;
  for (const stack::Finding& finding : report.findings) causes.push_back(plain(finding.cause));
  return "  " +
         wrap(fmt::format("`gpugauge doctor` names {} and shows the evidence", fmt::join(causes, ", ")),
              terminal.width, 2) +
         "\n";
}

}  // namespace

std::string draw_stack(const std::vector<stack::Layer>& stack, const Terminal& terminal) {
  Table table({{"layer"}, {"version", false, true}, {"detail", false, true}});
  for (const stack::Layer& layer : stack)
    table.add({{layer.name, Tone::strong}, {plain(layer.version)}, {plain(layer.detail), Tone::faint}});
  return table.draw(uncut(terminal));
}

std::string draw(const Report& report, const Terminal& terminal, const ConsoleOptions& options) {
  std::string out;
  if (!report.stack.empty())
    out += terminal.paint("Stack", Tone::strong) + "\n" + draw_stack(report.stack, terminal) + "\n";
  if (!report.gpu_explanation.empty())
    out += terminal.paint("GPU", Tone::strong) + "\n  " +
           wrap(plain(report.gpu_explanation), terminal.width, 2) + "\n" + draw_pointer(report, terminal) +
           "\n";
  for (const Verdict& verdict : report.node)
    out += wrap_behind("  " + terminal.paint(verdict_word(verdict), verdict_tone(verdict)) + "  ",
                       plain(verdict.reason), terminal.width, 4) +
           "\n";
  if (!report.node.empty()) out += "\n";
  for (const DeviceReport& device : report.devices) {
    out += draw(device, terminal, options) + "\n";
    if (report.devices.size() > 1)
      out += terminal.paint(wrap(plain(device.outcome.sentence), terminal.width), tone(device.outcome.code)) +
             "\n\n";
  }
  out +=
      terminal.paint(wrap(plain(report.outcome.sentence), terminal.width), tone(report.outcome.code)) + "\n";
  return out;
}

std::string draw(const result::Run& run, const Terminal& terminal, const ConsoleOptions& options) {
  std::string out = head(run.device, run, 1, run.wall_seconds, terminal);
  for (const std::string& remark : run.remarks) out += "  " + wrap(plain(remark), terminal.width, 4) + "\n";
  if (const std::string disturbed = disturbance(run); !disturbed.empty())
    out += "  " + terminal.paint(wrap(disturbed, terminal.width, 4), Tone::doubt) + "\n";
  out += draw_families(run, terminal);
  if (const std::string estimate = against_estimate(run); !estimate.empty())
    out += "  " + terminal.paint(wrap(estimate, terminal.width, 2), Tone::faint) + "\n";
  std::vector<Measured> measured = summarise(run);
  if (measured.empty()) return out + "  nothing was measured\n";
  out += "\n" + draw(MetricTable{std::move(measured), {}, 1, false, options.every_metric}, terminal);
  return out + draw_sustained({&run, 1}, terminal);
}

std::string draw(const std::vector<judge::Sensitivity>& sensitivity, const Terminal& terminal) {
  Table table({{"metric", false, true},
               {"centre", true},
               {"spread", true},
               {"tolerance", true},
               {"detects", true},
               {"use"}});
  for (const judge::Sensitivity& row : sensitivity)
    table.add({{plain(row.metric)},
               {quantity(row.centre, row.unit), Tone::strong},
               {percent(row.spread)},
               {percent(row.tolerance)},
               {detectable(row.minimum_detectable_drop)},
               row.advisory ? Cell{"advisory", Tone::doubt} : Cell{"judged", Tone::good}});
  return table.draw(terminal) + "  " +
         wrap(fmt::format(
                  "spread: standard deviation of a round's value; detects: smallest drop found with 90% "
                  "probability; advisory: too noisy for its tolerance; counts only when it gets worse "
                  "by more than that noise hides, from a provisional baseline by more than {} times "
                  "as much",
                  judge::provisional_noisy_multiple),
              terminal.width, 2) +
         "\n";
}

}  // namespace gpugauge::report
