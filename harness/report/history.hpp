// The history for people and programs: the plot of a series, its changes, and the list of all changes.
#pragma once

#include <string>
#include <vector>

#include "report/summary.hpp"
#include "report/terminal.hpp"
#include "store/trend.hpp"

namespace gpugauge::report {

inline constexpr std::string_view history_schema = "gpugauge.history/1";

/// One series: a plot of one column a run (a column holds the median of several where there are more runs
/// than columns), its centre, its changes with what changed there, and what the monitor says.
std::string draw(const store::Trend& trend, const Terminal& terminal);

/// The plot alone: lines of "label |....*...". '*' a run, '-' the centre, ':' the first run of a new level.
std::string plot(const store::Trend& trend, const Terminal& terminal);

/// What `history changes` lists, each list the most consequential first.
struct ChangeList {
  std::vector<store::Event> levels;  ///< store::events()
  std::vector<store::Event> alarms;  ///< store::alarm_events()
  std::vector<store::Event> last;    ///< store::last_events()
  std::size_t series = 0;            ///< how many were looked at
  std::size_t too_short = 0;         ///< of these, with fewer than store::least_runs
};

/// The changes with their metrics, then a line for each alarm without one and for each device whose last runs
/// are too few to make a level; `every_metric` lists all of each instead of the first five.
std::string draw(const ChangeList& list, const Terminal& terminal, bool every_metric);

/// "stack.driver.version 570.86 -> 580.65 and 2 more"; "" when nothing differs.
std::string cause_text(const std::vector<baseline::Mismatch>& since, std::size_t shown);

/// "since stack.driver.version 570.86 -> 580.65 (1 run later)", or that nothing changed there.
std::string cause_of(const std::vector<baseline::Mismatch>& since, int runs_off, std::size_t shown);
/// What the monitor says, one sentence: of its latest alarm since when, and since what.
std::string monitor_text(const store::Trend& trend);
/// "the last 2 runs are too few to make a level: +50.0% worse against the level before, since ..."; "" where
/// the last runs lie at their level.
std::string last_text(const store::Trend& trend);

/// The series as whoever shows one metric needs it: at each run what changed there, a level or a version of
/// the stack.
Trend chart_trend(const store::Trend& trend, const store::Facts& facts);
/// A page for a browser: each series with its levels, versions and monitor.
std::string html_text(const std::vector<store::Trend>& trends, const store::Facts& facts);

std::string to_json(const std::vector<store::Trend>& trends);
std::string to_json(const ChangeList& list);

}  // namespace gpugauge::report
