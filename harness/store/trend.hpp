// What a series of runs shows: its centre, a monitor, and the runs at which it changed, with what changed
// there in the fingerprint. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judge/history.hpp"
#include "judge/judge.hpp"
#include "store/store.hpp"

namespace gpugauge::store {

/// One metric of one device in one profile, oldest first.
struct Series {
  Device device;              ///< whose runs they are
  Metric metric;              ///< of all points
  std::string profile;        ///< Record::profile of all points
  std::vector<Point> points;  ///< oldest first
};

/// The series of a device and metric, apart by profile: other windows and repetitions are another
/// measurement.
std::vector<Series> by_profile(const Device& device, const Metric& metric, std::vector<Point> points);

/// From run `at` on the level is another one.
struct Change {
  std::size_t at = 0;   ///< index into Series::points
  double before = 0;    ///< median of the level before, in the metric's unit
  double after = 0;     ///< median of the level from here on
  double relative = 0;  ///< (after - before) / before, + is worse
  double z = 0;         ///< step over its standard error, may be infinite
  double weight = 0;    ///< |step| over the metric's tolerance: how consequential
  /// Facts that differ between two neighbouring runs, those that matter most first.
  std::vector<baseline::Mismatch> since;
  int runs_off = 0;  ///< they differ so many runs after (+) or before (-) `at`: the estimate may be off
};

/// The monitor's sum reached its limit.
struct Alarm {
  std::size_t at = 0;  ///< index into Series::points of the run on which it did
  /// Change::at is where the sum left zero, which is where the shift most likely began; `before` is the
  /// centre, `after` the median from there to `at`; `z` is 0.
  Change change;
  /// A level around it is worse than the centre by a third of the tolerance or more: the changes tell of it.
  bool told_by_a_level = false;
};

/// What a series shows.
struct Trend {
  Series series;      ///< with all its points
  double centre = 0;  ///< median of the reference, of all runs where they are too few; in the metric's unit
  double spread = 0;  ///< standard deviation of a run's value, relative; 0 without a reference
  double tolerance = 0;         ///< relative
  std::size_t reference = 0;    ///< the first so many runs are the reference; 0 = too few runs to watch
  double limit = 0;             ///< of the monitor, 0 without one
  std::vector<double> sums;     ///< of the monitor, one a run after the reference
  std::vector<Alarm> alarms;    ///< in the order of the runs; between two of them the sum was zero
  std::vector<Change> changes;  ///< in the order of the runs
  /// The last run, or the last two, where they lie off the level before by more than the tolerance and far
  /// beyond the noise: too few to make a level. `at` is the first of them.
  std::optional<Change> last;

  /// The monitor's sum is at its limit or above on the last run.
  bool alarming() const { return !sums.empty() && sums.back() >= limit; }
};

/// Fewest runs in which a change of level can be seen, and for a monitor.
inline constexpr std::size_t least_runs = 6;

/// The facts of a run.
using Facts = std::function<const result::Fingerprint&(std::int64_t)>;

/// `metrics`: how many are watched on the device, which sets the monitor's limit. The reference is half of
/// the runs, 5 at least and 10 at most. Needs one point or more.
Trend analyse(Series series, int metrics, const judge::Policy& policy, const Facts& facts);

/// What happened on one device with one run, probably of one cause.
struct Event {
  Device device;                          ///< of which the runs are
  std::string profile;                    ///< of the runs
  std::string started;                    ///< of the run, see the function that gathered it
  std::string run_id;                     ///< result::Run::id of that run
  std::vector<baseline::Mismatch> since;  ///< Change::since of the most consequential item that has one
  int runs_off = 0;                       ///< Change::runs_off of the same item
  /// One metric that it concerns.
  struct Item {
    Metric metric;       ///< that the series is of
    Change change;       ///< its `since` leaves out what concerns other families only
    std::string from;    ///< start of the run Change::at
    int runs = 0;        ///< how many the series has from there on
    bool still = false;  ///< Trend::alarming()
  };
  std::vector<Item> items;  ///< most consequential first
  /// Change::weight of the most consequential item.
  double weight() const { return items.empty() ? 0 : items.front().change.weight; }
};

/// Changes of level gathered by device, profile and run, the first of the new level; most consequential
/// first.
std::vector<Event> events(const std::vector<Trend>& trends);
/// The alarms that no level tells of, by the run on which they were raised; in the same order.
std::vector<Event> alarm_events(const std::vector<Trend>& trends);
/// Trend::last of each series, by its first run; in the same order. Not where an alarm that no level tells of
/// is still up and its shift began no later: that tells it already.
std::vector<Event> last_events(const std::vector<Trend>& trends);

}  // namespace gpugauge::store
