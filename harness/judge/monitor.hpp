// The monitor of a device: what its nightly checks, each within the tolerance, say together against the
// pinned baseline. An alarm asks for one more round and decides nothing.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "baseline/baseline.hpp"
#include "judge/history.hpp"
#include "judge/judge.hpp"

namespace gpugauge::judge {

/// What the first round of a check says of one metric.
struct WatchedNight {
  std::string metric;                                    ///< result::metric_key
  std::string benchmark;                                 ///< that measures it
  result::Direction better = result::Direction::higher;  ///< of the metric
  double value = 0;  ///< on the gate's scale, from the baseline's centre or an accepted change; + is worse
  double tolerance = 0;  ///< relative
  Watched watched;       ///< with centre 0
};

/// True for a metric that can be watched: a verdict can be reached on it, and its rounds spread by no more
/// than a third of its tolerance. The centre of ten noisier rounds may be off by so much that every night
/// bears it.
bool can_be_watched(const Scale& scale);

/// What the monitor holds a metric against: centre 0, and the baseline's spread, but at least the one with
/// which a night that is worse by the tolerance says all that one night may.
Watched watched_of(const Scale& scale, double contamination);

/// What a round says to the monitor.
struct Night {
  std::vector<WatchedNight> metrics;  ///< those that the round measured
  int watched = 0;                    ///< how many the baseline can watch, whatever the round measured
};

/// A round as a night. Watched is what can_be_watched() and no policy calls advisory. Nothing where the
/// baseline is provisional, because from boot to boot a machine differs by what that one has not seen; nor
/// where it is of another node, because healthy nodes differ: either would be a shift, night after night.
/// What was accepted and is in force on the day of the round is no shift.
Night night_of(const result::Run& round, const baseline::Baseline& baseline, const Policy& policy);

/// The sum of one metric, and the nights since it left zero.
struct WatchedSum {
  std::string last;   ///< start of the round that was its last night, RFC 3339
  double sum = 0;     ///< as of cumulative_sums(), 0 to twice the limit: a mended fault is forgotten in days
  double total = 0;   ///< of the nights' values since it left zero
  int nights = 0;     ///< how many these are
  std::string since;  ///< start of the first of these rounds, RFC 3339; "" = none
};

/// The sums of one device against one baseline, by metric.
using Monitor = std::map<std::string, WatchedSum>;

/// A night of a metric counts where this much time is past since the one before: what is bad for an hour is
/// one night's evidence, however often it is checked meanwhile. One that begins so much before the last one adds nothing,
/// and the next is counted from it: the clock was set back.
inline constexpr double least_hours_between_nights = 12;

/// A metric whose sum has reached the limit.
struct Decline {
  std::string metric;     ///< result::metric_key
  std::string benchmark;  ///< that measures it
  std::string since;      ///< start of the round from which on it is worse, RFC 3339
  int nights = 0;         ///< that it is of
  double change = 0;      ///< their mean, relative; + is worse
  double tolerance = 0;   ///< relative
  /// Change in the round that measured it once more, relative; nullopt where none did.
  std::optional<double> again{};
};

/// Keeps the declines that another round of the same check confirms: it is worse by more than a third of the
/// tolerance there, too. Those that it did not measure are kept as they are, and so are those that another
/// one confirmed before.
void confirm(std::vector<Decline>& declines, const Night& another_round);

/// Adds a night that began at `started` (RFC 3339), and returns the metrics of it whose sum is at the limit
/// or above, in their order. What is too soon after a metric's last night adds nothing; one that is as far
/// before it counts, because a clock was set right. Metrics that the night lacks keep their sums.
std::vector<Decline> add_night(Monitor& monitor, const std::string& started, const Night& night);

}  // namespace gpugauge::judge
