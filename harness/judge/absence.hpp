// Explains why a metric of the baseline has no value now, or has one from only some of the processes.
#pragma once

#include <optional>
#include <string>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// Why a metric of the baseline has no value now, in the form its verdict takes.
struct Absence {
  /// missing, failed, or inconclusive (interrupted, recorded only, occupied)
  VerdictKind kind = VerdictKind::missing;
  std::string reason;  ///< one sentence
  /// Something else held the GPU or its memory. The verdict is inconclusive, and a later round with a value
  /// cures it.
  bool occupied = false;
};

/// Whether `one` is graver evidence against the device than `other`. Order: failed, missing, inconclusive,
/// occupied.
bool graver(const Absence& one, const Absence& other);

/// Explains why a metric of `benchmark` has no judged value in `run`. `now` must be collect(run).
Absence explain_absence(const std::string& key, const std::string& benchmark, const Collected& now,
                        const result::Run& run);

/// How many processes of one run measured a metric.
struct Coverage {
  int processes = 0;  ///< processes of its family that were asked for it
  int judged = 0;     ///< of these, the ones with a value that counts
  int reported = 0;   ///< of these, the ones that report it, even recorded only or as another quantity
  int occupied = 0;   ///< of these, the ones that could not measure it because something else held the GPU

  int lacking() const { return processes - judged; }   ///< Processes without a value that counts.
  int silent() const { return processes - reported; }  ///< Processes that do not report it.
};
/// Counts the processes for a metric of `benchmark`. `now` is collect() of the run; `asked` is the largest
/// processes_asked() of any run on either side.
Coverage coverage(const std::string& key, const std::string& benchmark, const Collected& now, int asked);
/// Returns BenchmarkState::asked, or 0 where the run does not list the benchmark.
int processes_asked(const std::string& benchmark, const Collected& now);

/// For the other side's runs: the largest number of processes in any run that lacked this metric.
struct Usual {
  int lacking = 0;  ///< largest Coverage::lacking()
  int silent = 0;   ///< largest Coverage::silent()

  void add(const Coverage& run);  ///< Takes in one run; ignores a run in which no process reports the metric.
};

/// Explains a metric that more processes of `run` lack than `usual` allows. Returns nullopt where no more
/// lack it, or where no process reports it (use explain_absence). Such a metric is never ok: the processes
/// that a fault struck are the silent ones. It is absent (missing, failed) where more than half of the
/// processes report nothing, else inconclusive. Processes that were occupied do not count towards that half.
std::optional<Absence> explain_gaps(const std::string& key, const std::string& benchmark,
                                    const Collected& now, const result::Run& run, const Usual& usual,
                                    int asked);
/// Overrides the verdict of a metric that only some processes measured. A counted regression or failure
/// stays, and so does `unstable` where `gaps` is inconclusive; `gaps` is appended to the reason. Every other
/// verdict takes the kind of `gaps`. The result always counts: noise, a provisional baseline or an acceptance
/// excuses a change, but not a missing value.
void apply_gaps(const Absence& gaps, Verdict& verdict);

}  // namespace gpugauge::judge
