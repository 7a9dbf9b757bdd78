#include "report/console.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "judge/provisional.hpp"
#include "report/diagnosis.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace gpugauge::report {
namespace {

using judge::Verdict;
using judge::VerdictKind;

/// Worst first: the order in which verdicts of one row hide each other.
int rank(const Verdict& verdict) {
  switch (verdict.kind) {
    case VerdictKind::failed:
      return 0;
    case VerdictKind::missing:
      return 1;
    case VerdictKind::regressed:
      return verdict.advisory ? 4 : 2;
    case VerdictKind::unstable:
      return 3;
    case VerdictKind::inconclusive:
      return verdict.advisory ? 6 : 4;
    case VerdictKind::new_metric:
      return 7;
    case VerdictKind::improved:
      return 8;
    case VerdictKind::ok:
      break;
  }
  return verdict.advisory ? 10 : 9;
}

Tone tone(const Verdict& verdict) {
  switch (verdict.kind) {
    case VerdictKind::failed:
    case VerdictKind::missing:
    case VerdictKind::regressed:
      return verdict.advisory ? Tone::doubt : Tone::bad;
    case VerdictKind::unstable:
    case VerdictKind::inconclusive:
      return Tone::doubt;
    case VerdictKind::improved:
    case VerdictKind::ok:
      return Tone::good;
    case VerdictKind::new_metric:
      break;
  }
  return Tone::normal;
}

std::string word(const Verdict& verdict) {
  return std::string(to_string(verdict.kind)) + (verdict.advisory ? ", advisory" : "");
}

/// What a person must act on or know of.
bool problem(const Verdict& verdict) {
  return rank(verdict) <= 5;
}

/// A row of the table: a benchmark with one of its metrics and the verdict on it, or a metric with its own.
/// All cells of a row are of one metric.
struct Row {
  std::string name;
  const Measured* measured = nullptr;
  const Verdict* shown = nullptr;  ///< whose change is shown: the baseline judge's
  const Verdict* worst = nullptr;
  const Verdict* physical = nullptr;  ///< the physical judge's, where it knows the share of a limit
};

/// The metric that stands for a benchmark: the one with the gravest problem, by its own name; its median
/// where there is none.
struct Chosen {
  const Measured* median = nullptr;  ///< or the first that is judged, or the first
  const Verdict* problem = nullptr;
};

std::vector<Row> rows(const std::vector<Measured>& measured, const std::vector<Verdict>& verdicts,
                      bool every_metric) {
  std::map<std::string, Chosen> benchmarks;
  std::map<std::string, const Measured*> metrics;
  for (const Measured& metric : measured) {
    metrics.emplace(metric.key, &metric);
    const Measured*& median = benchmarks[metric.benchmark].median;
    const bool better = median == nullptr || (metric.judged && !median->judged) ||
                        (metric.statistic == "median" && median->statistic != "median");
    if (better) median = &metric;
  }
  std::map<std::string, Row> by_metric;
  for (const auto& [key, metric] : metrics) by_metric[key].measured = metric;
  for (const Verdict& verdict : verdicts) {
    Row& row = by_metric[verdict.metric];
    if (row.worst == nullptr || rank(verdict) < rank(*row.worst)) row.worst = &verdict;
    if (verdict.judge == judge::Judge::baseline && (row.shown == nullptr || rank(verdict) < rank(*row.shown)))
      row.shown = &verdict;
    if (verdict.judge == judge::Judge::physical && verdict.share) row.physical = &verdict;
    const Verdict*& worst = benchmarks[judge::benchmark_of(verdict.metric)].problem;
    if (problem(verdict) && (worst == nullptr || rank(verdict) < rank(*worst))) worst = &verdict;
  }
  std::vector<Row> out;
  if (every_metric) {
    for (auto& [key, row] : by_metric) {
      row.name = key;
      out.push_back(row);
    }
    return out;
  }
  for (const auto& [name, chosen] : benchmarks) {
    const std::string median = chosen.median != nullptr ? chosen.median->key : "";
    // A class is judged and has no metric of its own.
    const std::string& metric = chosen.problem != nullptr ? chosen.problem->metric
                                : median.empty()          ? name
                                                          : median;
    Row row = by_metric.count(metric) > 0 ? by_metric.at(metric) : Row{};
    row.name = metric == median || metric == name ? name : metric;
    out.push_back(std::move(row));
  }
  return out;
}

/// The verdict's word. Where the width is short, advisory is said by brackets.
std::string verdict_of(const Row& row, bool with_room) {
  if (row.worst == nullptr) return "measured";
  if (with_room) return word(*row.worst);
  const std::string short_word(to_string(row.worst->kind));
  return row.worst->advisory ? "(" + short_word + ")" : short_word;
}

/// Share of the physical limit, from the metric's own limit or the physical judge.
std::optional<double> share_of(const Row& row) {
  if (row.measured != nullptr && row.measured->share_of_limit) return row.measured->share_of_limit;
  return row.physical != nullptr ? row.physical->share : std::nullopt;
}

std::string legend(bool judged, bool with_limit) {
  std::string text =
      "now: median over the processes; range: largest minus smallest of the processes, relative to that "
      "median";
  if (with_limit) text += "; of limit: share of the physical limit";
  if (judged)
    text +=
        "; change: against what it is compared with, + is worse; detects: smallest drop that would be found "
        "with "
        "90% probability; a verdict in brackets is advisory: said, and not counted";
  return text;
}

/// Whether any row tells the share of a physical limit.
bool any_limit(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return share_of(row); });
}

/// The table with its legend; nothing where there is no row.
std::string draw_rows(const std::vector<Row>& rows, const Terminal& terminal, bool judged,
                      bool every_metric) {
  if (rows.empty()) return "";
  // Where the width is short, what can be told from the other columns is left out.
  constexpr int wide = 120;
  const bool with_limit = any_limit(rows);
  const bool with_room = terminal.width >= wide;
  const bool with_baseline = judged && with_room;
  std::vector<Column> columns{
      {every_metric ? "metric" : "benchmark", false, true}, {"now", true}, {"range", true}};
  if (with_limit) columns.push_back({"of limit", true});
  if (with_baseline) columns.push_back({"baseline", true});
  if (judged) columns.insert(columns.end(), {{"change", true}, {"detects", true}});
  columns.push_back({"verdict"});
  Table table(columns);
  const auto number = [](const std::optional<double>& value, const auto& text) {
    return Cell{value ? text(*value) : "-", Tone::faint};
  };
  for (const Row& row : rows) {
    const Measured* now = row.measured;
    const Verdict* shown = row.shown;
    std::vector<Cell> cells{{plain(row.name)}};
    cells.push_back(now != nullptr ? Cell{quantity(now->value, now->unit), Tone::strong}
                                   : Cell{"-", Tone::faint});
    cells.push_back(number(now != nullptr ? now->range : std::nullopt, percent));
    if (with_limit) cells.push_back(number(share_of(row), percent));
    if (with_baseline)
      cells.push_back(number(shown != nullptr ? shown->baseline : std::nullopt,
                             [&](double value) { return quantity(value, shown->unit); }));
    if (judged) {
      Cell change = number(shown != nullptr ? shown->change : std::nullopt, signed_percent);
      if (shown != nullptr) change.tone = tone(*shown);
      cells.push_back(std::move(change));
      cells.push_back(number(shown != nullptr ? shown->minimum_detectable_drop : std::nullopt, detectable));
    }
    cells.push_back(Cell{verdict_of(row, with_room), row.worst != nullptr ? tone(*row.worst) : Tone::faint});
    table.add(std::move(cells));
  }
  return table.draw(terminal) + "  " +
         terminal.paint(wrap(legend(judged, with_limit), terminal.width, 2), Tone::faint) + "\n";
}

/// One paragraph per verdict that a person must act on, worst first.
std::string draw_problems(const std::vector<Verdict>& verdicts, const Terminal& terminal) {
  constexpr std::size_t most = 12;
  std::vector<const Verdict*> problems;
  for (const Verdict& verdict : verdicts)
    if (problem(verdict)) problems.push_back(&verdict);
  std::stable_sort(problems.begin(), problems.end(), [](const Verdict* a, const Verdict* b) {
    if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
    return a->change.value_or(0) > b->change.value_or(0);
  });
  std::string out;
  for (std::size_t i = 0; i < std::min(most, problems.size()); ++i) {
    const Verdict& verdict = *problems[i];
    const std::string head = fmt::format("  {}  {}", terminal.paint(word(verdict), tone(verdict)),
                                         terminal.paint(plain(verdict.metric), Tone::strong));
    out += head + "\n" + "    " + wrap(plain(verdict.reason), terminal.width, 4) + "\n";
  }
  if (problems.size() > most)
    out += fmt::format("  and {} more; --every-metric and the JSON report hold them all\n",
                       problems.size() - most);
  return out;
}

std::string draw_families(const result::Run& run, const Terminal& terminal) {
  std::string out;
  for (const FamilyState& state : family_states(run)) {
    if (!state.reason.empty())
      out += fmt::format(
          "  {} {}\n", terminal.paint("family " + plain(state.family), Tone::doubt),
          wrap(fmt::format("({} of {} processes whole): {}", state.ok, state.processes, plain(state.reason)),
               terminal.width, 4));
    for (const std::string& line : state.skipped) out += "  " + wrap(plain(line), terminal.width, 4) + "\n";
  }
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
  return fmt::format("{}  profile {}, {} {}, {}{}\n", terminal.paint(plain(label), Tone::strong),
                     plain(run.profile), rounds, rounds == 1 ? "round" : "rounds", duration(seconds),
                     run.complete ? "" : ", PARTIAL");
}

/// "Processes took 58 s, 51 s were estimated; cudnn 14 s instead of 9 s." "" where nothing was estimated. Of
/// a single family the sum says it.
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
  const std::string problems = draw_problems(device.verdicts, terminal);
  if (!problems.empty()) out += "\n" + problems;
  const bool judged = std::any_of(device.verdicts.begin(), device.verdicts.end(), [](const Verdict& verdict) {
    return verdict.judge == judge::Judge::baseline;
  });
  const std::vector<Measured> measured = summarise(run);
  out += "\n" + draw_rows(rows(measured, device.verdicts, options.every_metric), terminal, judged,
                          options.every_metric);
  if (device.diagnosis && (device.diagnosis->state == diagnose::State::found ||
                           device.diagnosis->state == diagnose::State::unknown))
    out += "\n" + draw(*device.diagnosis, terminal, "Cause") + "\n";
  if (!device.probes.empty()) out += terminal.paint("Asked by measuring", Tone::strong) + "\n";
  for (const ProbeAsked& asked : device.probes)
    out += "  " + wrap(plain(sentence(asked)), terminal.width, 4) + "\n";
  if (!device.probes.empty()) out += "\n";
  for (const auto& file : device.files) out += fmt::format("  kept as {}\n", plain(file.string()));
  return out;
}

}  // namespace

std::string draw_stack(const std::vector<stack::Layer>& stack, const Terminal& terminal) {
  Table table({{"layer"}, {"version", false, true}, {"detail", false, true}});
  for (const stack::Layer& layer : stack)
    table.add({{layer.name, Tone::strong}, {plain(layer.version)}, {plain(layer.detail), Tone::faint}});
  return table.draw(terminal);
}

std::string draw(const Report& report, const Terminal& terminal, const ConsoleOptions& options) {
  std::string out;
  if (!report.stack.empty())
    out += terminal.paint("Stack", Tone::strong) + "\n" + draw_stack(report.stack, terminal) + "\n";
  if (!report.gpu_explanation.empty())
    out += terminal.paint("GPU", Tone::strong) + "\n  " +
           wrap(plain(report.gpu_explanation), terminal.width, 2) + "\n\n";
  for (const Verdict& verdict : report.node)
    out += "  " + terminal.paint(word(verdict), tone(verdict)) + "  " +
           wrap(plain(verdict.reason), terminal.width, 4) + "\n";
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
  const std::vector<Measured> measured = summarise(run);
  if (measured.empty()) return out + "  nothing was measured\n";
  out += "\n" + draw_rows(rows(measured, {}, options.every_metric), terminal, false, options.every_metric);
  return out;
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
