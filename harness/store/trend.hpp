// What a series of runs shows: its centre, a monitor, and the runs at which its level changed, with the
// fingerprint changes there. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "judge/history.hpp"
#include "judge/judge.hpp"
#include "store/store.hpp"

namespace gpugauge::store {

/// One metric of one device in one profile.
struct Series {
  Device device;              ///< whose runs they are
  Metric metric;              ///< of all points
  std::string profile;        ///< Record::profile of all points
  std::vector<Point> points;  ///< oldest first
};

/// Splits the series of a device and metric by profile: other windows and repetitions are a different
/// measurement.
std::vector<Series> by_profile(const Device& device, const Metric& metric, std::vector<Point> points);

/// A change of level at run `at`.
struct Change {
  std::size_t at = 0;   ///< index into Series::points
  double before = 0;    ///< median of the level before, in the metric's unit
  double after = 0;     ///< median of the level from here on
  double relative = 0;  ///< (after - before) / before, + is worse
  double z = 0;         ///< step / its standard error; may be infinite
  double weight = 0;    ///< |step| / the metric's tolerance: how important it is
  /// Facts that differ between two neighbouring runs, most important first.
  std::vector<baseline::Mismatch> since;
  /// Where those two runs lie relative to `at`: runs after (+) or before (-), as `at` is an estimate.
  int runs_off = 0;
};

/// The run on which the monitor's sum reached its limit.
struct Alarm {
  std::size_t at = 0;  ///< index of that run in Series::points
  /// Change::at is the run where the sum left zero, most likely the start of the shift. `before` is the
  /// centre, `after` the median from there to Alarm::at; `z` is 0.
  Change change;
  /// A level around it is at least a third of the tolerance worse than the centre; `changes` already reports
  /// it.
  bool told_by_a_level = false;
};

/// The result of analysing a series.
struct Trend {
  Series series;      ///< with all its points
  double centre = 0;  ///< median of the reference, or of all runs if there are too few; in the metric's unit
  double spread = 0;  ///< standard deviation of a run's value, relative; 0 without a reference
  double tolerance = 0;         ///< relative
  std::size_t reference = 0;    ///< how many of the first runs form the reference; 0 = too few runs to watch
  double limit = 0;             ///< the monitor's limit; 0 without a monitor
  std::vector<double> sums;     ///< the monitor's sum, one per run after the reference
  std::vector<Alarm> alarms;    ///< in the order of the runs; the sum was zero between two alarms
  std::vector<Change> changes;  ///< in the order of the runs
  /// The last run or two, if they differ from the level before by more than the tolerance and far more than
  /// the noise. They are too few to form a level. `at` is the first of them.
  std::optional<Change> last;

  /// True if the monitor's sum is at its limit or above on the last run.
  bool alarming() const { return !sums.empty() && sums.back() >= limit; }
};

/// Fewest runs that allow finding a change of level, and running a monitor.
inline constexpr std::size_t least_runs = 6;

/// Returns the facts of a fingerprint id.
using Facts = std::function<const result::Fingerprint&(std::int64_t)>;

/// `metrics`: how many metrics are watched on the device; sets the monitor's limit. The reference is half of
/// the runs, at least 5 and at most 10. Needs one point or more.
Trend analyse(Series series, int metrics, const judge::Policy& policy, const Facts& facts);

/// What happened on one device at one run, probably from one cause.
struct Event {
  Device device;                          ///< the device of the runs
  std::string profile;                    ///< the profile of the runs
  std::string started;                    ///< start of the run; the gathering function says which run
  std::string run_id;                     ///< result::Run::id of that run
  std::vector<baseline::Mismatch> since;  ///< Change::since of the most consequential item that has one
  int runs_off = 0;                       ///< Change::runs_off of the same item
  /// One affected metric.
  struct Item {
    Metric metric;       ///< the metric of the series
    Change change;       ///< its `since` omits facts that concern only other families
    std::string from;    ///< start of the run Change::at
    int runs = 0;        ///< number of runs in the series from there on
    bool still = false;  ///< Trend::alarming()
  };
  std::vector<Item> items;  ///< most consequential first
  /// Change::weight of the most consequential item.
  double weight() const { return items.empty() ? 0 : items.front().change.weight; }
};

/// Gathers the events of one series after the other. The series and its points need not stay: those of a
/// whole fleet would fill the memory.
class Events {
 public:
  /// Takes what `trend` tells; the next one may be of any series.
  void add(const Trend& trend);
  // Each of the three may be taken once.
  /// Changes of level, grouped by device, profile and first run of the new level; most important first.
  std::vector<Event> take_levels();
  /// The alarms that no level reports, grouped by the run that raised them; in the same order.
  std::vector<Event> take_alarms();
  /// Trend::last of each series, grouped by its first run; in the same order. Omits one that an alarm already
  /// reports: the alarm is still up, no level reports it, and its shift began no later.
  std::vector<Event> take_last();

 private:
  using ByRun = std::map<std::tuple<std::int64_t, std::string, std::string, std::string>, Event>;
  static void gather(ByRun& events, const Trend& trend, std::size_t run, const Change& change);
  static std::vector<Event> ordered(ByRun& events);
  ByRun levels_, alarms_, last_;
};

}  // namespace gpugauge::store
