// Shows the history to people and programs: the plot of a series, its changes, and the list of all changes.
#pragma once

#include <string>
#include <vector>

#include "report/summary.hpp"
#include "report/terminal.hpp"
#include "store/health_findings.hpp"
#include "store/trend.hpp"

namespace gpugauge::report {

inline constexpr std::string_view history_schema = "gpugauge.history/1";

/// Draws one series: the plot, its centre, its changes with the facts that changed there, and the monitor's
/// state. The plot has one column per run. With more runs than columns, a column shows the median of several.
std::string draw(const store::Trend& trend, const Terminal& terminal);

/// Only the plot: lines of "label |....*...". '*' is a run, '-' the centre, ':' the first run of a new level.
std::string plot(const store::Trend& trend, const Terminal& terminal);

/// The lists of `history changes`, each with the most important first.
struct ChangeList {
  std::vector<store::HealthFinding> health;  ///< store::put_gravest_first()
  std::vector<store::Event> levels;          ///< store::Events::take_levels()
  std::vector<store::Event> alarms;          ///< store::Events::take_alarms()
  std::vector<store::Event> last;            ///< store::Events::take_last()
  std::size_t series = 0;                    ///< how many series were analysed
  std::size_t too_short = 0;                 ///< how many of these have fewer than store::least_runs runs
};

/// What runs found on the health of GPUs. Then the changes with their metrics, and one line for each alarm without a change, and for each device whose
/// last runs are too few to form a level. `every_metric` lists all metrics instead of the first five.
std::string draw(const ChangeList& list, const Terminal& terminal, bool every_metric);

/// "stack.driver.version 570.86 -> 580.65 and 2 more"; "" if nothing differs.
std::string cause_text(const std::vector<baseline::Mismatch>& since, std::size_t shown);

/// "since stack.driver.version 570.86 -> 580.65 (1 run later)", or a statement that nothing changed there.
std::string cause_of(const std::vector<baseline::Mismatch>& since, int runs_off, std::size_t shown);
/// One sentence on the monitor: when its latest alarm began, and what changed then.
std::string monitor_text(const store::Trend& trend);
/// "the last 2 runs are too few to make a level: +50.0% worse against the level before, since ..."; "" if the
/// last runs lie at their level.
std::string last_text(const store::Trend& trend);

/// The series for a view of one metric: each run has the changes at it, of a level or a stack version.
Trend chart_trend(const store::Trend& trend, const store::Facts& facts);
/// An HTML page: each series with its levels, versions and monitor.
std::string html_text(const std::vector<store::Trend>& trends, const store::Facts& facts);

std::string to_json(const std::vector<store::Trend>& trends);
std::string to_json(const ChangeList& list);

}  // namespace gpugauge::report
