// Why a metric of the baseline has no value now, or one from some of the processes only.
#pragma once

#include <optional>
#include <string>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// Why a metric of the baseline has no value now, as its verdict will say it.
struct Absence {
  VerdictKind kind = VerdictKind::missing;  ///< missing, failed, or inconclusive (interrupted, recorded only)
  std::string reason;                       ///< one sentence
};

/// How much it says against the device: failed before missing before inconclusive.
int gravity(const Absence& absence);

/// For a metric of `benchmark` without a judged value in `run`, which `now` was collected from.
Absence explain_absence(const std::string& key, const std::string& benchmark, const Collected& now,
                        const result::Run& run);

/// How far the processes of one run bear a metric out.
struct Coverage {
  int processes = 0;  ///< of its family
  int judged = 0;     ///< of these, with a value that counts
  int reported = 0;   ///< of these, that report it, also where it is recorded only or another quantity

  int lacking() const { return processes - judged; }  ///< That lend no value that counts.
};
/// For a metric of `benchmark` in the run that `now` was collected from.
Coverage coverage(const std::string& key, const std::string& benchmark, const Collected& now);

/// What is to be said of a metric that more processes of `run` leave without a judged value than `usual`, the
/// most that any run of the other side did; nullopt where there are no more, or where none reports it at all
/// (explain_absence). Such a metric is never ok: the processes that the fault struck are those that are
/// silent. Where most of them report nothing at all it is absent (missing, failed), else inconclusive.
std::optional<Absence> explain_gaps(const std::string& key, const std::string& benchmark,
                                    const Collected& now, const result::Run& run, int usual);
/// Gives a verdict on a metric with gaps its due: what speaks against it and counts stays and is told of
/// them, all else becomes what `gaps` says, and counts: nothing that excuses a change (noise, a young
/// baseline, somebody's acceptance) excuses silence.
void apply_gaps(const Absence& gaps, Verdict& verdict);

}  // namespace gpugauge::judge
