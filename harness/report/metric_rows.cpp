// The table of a device's metrics on a console.
#include "report/metric_rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "judge/per_clock.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::report {

using judge::Verdict;
using judge::VerdictKind;

int verdict_rank(const Verdict& verdict) {
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

Tone verdict_tone(const Verdict& verdict) {
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

std::string verdict_word(const Verdict& verdict) {
  return std::string(to_string(verdict.kind)) + (verdict.advisory ? ", advisory" : "");
}

bool is_problem(const Verdict& verdict) {
  return verdict_rank(verdict) <= 5 || verdict.accepted;
}

namespace {

/// A table row: a benchmark with one of its metrics and that metric's verdict, or a single metric. All cells
/// of a row are about one metric.
struct Row {
  std::string name;
  const Measured* measured = nullptr;
  /// Whose change to show: the baseline judge's, preferably one with a value.
  const Verdict* shown = nullptr;
  const Verdict* worst = nullptr;
  const Verdict* physical = nullptr;  ///< the physical judge's, if it knows the share of a limit
};

/// The metric that represents a benchmark: the one with the gravest problem, under its own name; without a
/// problem, its median.
struct Chosen {
  const Measured* median = nullptr;  ///< or else the first judged metric, or else the first
  const Verdict* problem = nullptr;
};

/// True if `metric` represents a benchmark better than `other`, which comes before it. Users know a matrix
/// product by its rate, and an instruction's peak by operations per clock.
bool stands_rather(const Measured& metric, const Measured& other) {
  if (metric.judged && !other.judged) return true;
  const bool median = metric.statistic == "median";
  if (other.statistic != "median") return median;
  return median && metric.judged == other.judged && !judge::is_per_clock(metric.key) &&
         judge::is_per_clock(other.key) && !metric.benchmark.starts_with("peak/");
}

/// Metrics that a judge other than the physical one found within tolerance, and counted.
std::set<std::string> held_by_others(const std::vector<Verdict>& verdicts) {
  std::set<std::string> out;
  for (const Verdict& verdict : verdicts)
    if (verdict.judge != judge::Judge::physical && !verdict.advisory &&
        (verdict.kind == VerdictKind::ok || verdict.kind == VerdictKind::improved))
      out.insert(verdict.metric);
  return out;
}

/// Only says that no limit is known.
bool knows_no_limit(const Verdict& verdict) {
  return verdict.judge == judge::Judge::physical && verdict.advisory &&
         verdict.kind == VerdictKind::inconclusive;
}

std::vector<Row> rows(const std::vector<Measured>& measured, const std::vector<Verdict>& verdicts,
                      bool every_metric) {
  std::map<std::string, Chosen> benchmarks;
  std::map<std::string, const Measured*> metrics;
  for (const Measured& metric : measured) {
    metrics.emplace(metric.key, &metric);
    const Measured*& median = benchmarks[metric.benchmark].median;
    if (median == nullptr || stands_rather(metric, *median)) median = &metric;
  }
  std::map<std::string, Row> by_metric;
  for (const auto& [key, metric] : metrics) by_metric[key].measured = metric;
  const std::set<std::string> held = held_by_others(verdicts);
  for (const Verdict& verdict : verdicts) {
    if (knows_no_limit(verdict) && held.contains(verdict.metric)) continue;
    Row& row = by_metric[verdict.metric];
    if (row.worst == nullptr || verdict_rank(verdict) < verdict_rank(*row.worst)) row.worst = &verdict;
    const auto tells_more = [&verdict](const Verdict& kept) {
      return verdict.value.has_value() != kept.value.has_value() ? verdict.value.has_value()
                                                                 : verdict_rank(verdict) < verdict_rank(kept);
    };
    if (verdict.judge == judge::Judge::baseline && (row.shown == nullptr || tells_more(*row.shown)))
      row.shown = &verdict;
    if (verdict.judge == judge::Judge::physical && verdict.share) row.physical = &verdict;
    const Verdict*& worst = benchmarks[result::benchmark_of(verdict.metric)].problem;
    if (is_problem(verdict) && (worst == nullptr || verdict_rank(verdict) < verdict_rank(*worst)))
      worst = &verdict;
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
    // A whole class can be judged; it has no metric of its own.
    const std::string& metric = chosen.problem != nullptr ? chosen.problem->metric
                                : median.empty()          ? name
                                                          : median;
    Row row = by_metric.count(metric) > 0 ? by_metric.at(metric) : Row{};
    row.name = metric == median || metric == name ? name : metric;
    out.push_back(std::move(row));
  }
  return out;
}

/// The verdict's word. With little width, brackets mean advisory.
std::string verdict_of(const Row& row, bool with_room) {
  if (row.worst == nullptr) return "measured";
  if (with_room) return verdict_word(*row.worst);
  const std::string short_word(to_string(row.worst->kind));
  return row.worst->advisory ? "(" + short_word + ")" : short_word;
}

/// Share of the physical limit, from the metric's own limit or from the physical judge.
std::optional<double> share_of(const Row& row) {
  if (row.measured != nullptr && row.measured->share_of_limit) return row.measured->share_of_limit;
  return row.physical != nullptr ? row.physical->share : std::nullopt;
}

/// The optional columns beside benchmark, value and verdict.
struct Columns {
  bool range = true;
  bool limit = false;       ///< the share of a physical limit
  bool at_highest = false;  ///< the share of a product's peak at the highest SM clock, beside `limit`
  bool baseline = false;
  bool change = false;
  bool detects = false;
  bool whole_word = false;  ///< of the verdict; otherwise brackets mean advisory

  /// Removes the least important column; false if no more can go.
  bool narrow() {
    for (bool* const column : {&at_highest, &range, &detects, &limit})
      if (std::exchange(*column, false)) return true;
    return false;
  }
};

std::string legend(const Columns& columns, std::size_t rounds) {
  std::string text = rounds == 1 ? "now: median over the processes"
                     : columns.change
                         ? "now: of the rounds that the change is of, else the median over the rounds"
                         : "now: median over the rounds";
  if (columns.range)
    text += rounds == 1 ? "; range: largest minus smallest of the processes, relative to that median"
                        : "; range: largest minus smallest of the processes of all rounds, relative to now";
  if (columns.limit) text += "; of limit: share of the physical limit";
  if (columns.at_highest)
    text += "; at top clock: a product's share of its peak at the GPU's highest clock, of limit at its own";
  if (columns.change) text += "; change: against what it is compared with, + is worse";
  if (columns.detects) text += "; detects: smallest drop that would be found with 90% probability";
  if (columns.change) text += "; a verdict in brackets is advisory: said, and not counted";
  return text;
}

/// Share of the peak at the highest clock; nullopt for what is no rate of a product.
std::optional<double> share_at_highest(const Row& row) {
  return row.physical != nullptr ? row.physical->share_at_highest_clock : std::nullopt;
}

/// True if any row has a share of a physical limit.
bool any_limit(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return share_of(row); });
}

Table table_of(const std::vector<Row>& rows, const Columns& shown, const char* of) {
  std::vector<Column> columns{{of, false, true}, {"now", true}};
  if (shown.range) columns.push_back({"range", true});
  if (shown.limit) columns.push_back({"of limit", true});
  if (shown.at_highest) columns.push_back({"at top clock", true});
  if (shown.baseline) columns.push_back({"baseline", true});
  if (shown.change) columns.push_back({"change", true});
  if (shown.detects) columns.push_back({"detects", true});
  columns.push_back({"verdict"});
  Table table(columns);
  const auto number = [](const std::optional<double>& value, const auto& text) {
    return Cell{value ? text(*value) : "-", Tone::faint};
  };
  for (const Row& row : rows) {
    const Measured* now = row.measured;
    const Verdict* judged = row.shown;
    std::vector<Cell> cells{{plain(row.name)}};
    cells.push_back(now != nullptr ? Cell{quantity(now->value, now->unit), Tone::strong}
                                   : Cell{"-", Tone::faint});
    if (shown.range) cells.push_back(number(now != nullptr ? now->range : std::nullopt, percent));
    if (shown.limit) cells.push_back(number(share_of(row), percent));
    if (shown.at_highest) cells.push_back(number(share_at_highest(row), percent));
    if (shown.baseline)
      cells.push_back(number(judged != nullptr ? judged->baseline : std::nullopt,
                             [&](double value) { return quantity(value, judged->unit); }));
    if (shown.change) {
      Cell change = number(judged != nullptr ? judged->change : std::nullopt, signed_percent);
      if (judged != nullptr) change.tone = verdict_tone(*judged);
      cells.push_back(std::move(change));
    }
    if (shown.detects)
      cells.push_back(number(judged != nullptr ? judged->minimum_detectable_drop : std::nullopt, detectable));
    cells.push_back(Cell{verdict_of(row, shown.whole_word),
                         row.worst != nullptr ? verdict_tone(*row.worst) : Tone::faint});
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

std::string draw(const MetricTable& metrics, const Terminal& terminal) {
  const std::vector<Row> found = rows(metrics.measured, metrics.verdicts, metrics.every_metric);
  if (found.empty()) return "";
  constexpr int wide = 120;
  const bool with_room = terminal.width >= wide;
  const bool at_highest =
      with_room && !metrics.judged &&
      std::any_of(found.begin(), found.end(), [](const Row& row) { return share_at_highest(row); });
  Columns columns{.limit = any_limit(found),
                  .at_highest = at_highest,
                  .baseline = metrics.judged && with_room,
                  .change = metrics.judged,
                  .detects = metrics.judged,
                  .whole_word = with_room};
  const char* const of = metrics.every_metric ? "metric" : "benchmark";
  Table table = table_of(found, columns, of);
  while (!table.fits(terminal) && columns.narrow()) table = table_of(found, columns, of);
  return table.draw(terminal) + "  " +
         terminal.paint(wrap(legend(columns, metrics.rounds), terminal.width, 2), Tone::faint) + "\n";
}

}  // namespace gpugauge::report
