// Why a metric of the baseline has no value now, or one from some of the processes only.
#pragma once

#include <optional>
#include <string>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// Why a metric of the baseline has no value now, as its verdict will say it.
struct Absence {
  /// missing, failed, or inconclusive (interrupted, recorded only, occupied)
  VerdictKind kind = VerdictKind::missing;
  std::string reason;  ///< one sentence
  /// Something else held the GPU or its memory: inconclusive, and made good by a later round that has it.
  bool occupied = false;
};

/// Whether one says more against the device than the other: failed before missing before inconclusive, and
/// occupied last.
bool graver(const Absence& one, const Absence& other);

/// For a metric of `benchmark` without a judged value in `run`, which `now` was collected from.
Absence explain_absence(const std::string& key, const std::string& benchmark, const Collected& now,
                        const result::Run& run);

/// How far the processes of one run bear a metric out.
struct Coverage {
  int processes = 0;  ///< of its family, that were asked for it
  int judged = 0;     ///< of these, with a value that counts
  int reported = 0;   ///< of these, that report it, also where it is recorded only or another quantity
  int occupied = 0;   ///< of these, that could not measure it because something else held the GPU

  int lacking() const { return processes - judged; }   ///< That lend no value that counts.
  int silent() const { return processes - reported; }  ///< That say nothing of it.
};
/// For a metric of `benchmark` in the run that `now` was collected from; `asked` is the most that
/// processes_asked() says of a run of either side.
Coverage coverage(const std::string& key, const std::string& benchmark, const Collected& now, int asked);
/// BenchmarkState::asked; 0 where the run does not list it.
int processes_asked(const std::string& benchmark, const Collected& now);

/// What the runs of the other side leave out of a metric, each the most that any of them does.
struct Usual {
  int lacking = 0;  ///< Coverage::lacking()
  int silent = 0;   ///< Coverage::silent()

  void add(const Coverage& run);  ///< A run that reports it nowhere says nothing of what is usual.
};

/// What is to be said of a metric that more processes of `run` leave without a judged value than is `usual`;
/// nullopt where there are no more, or where none reports it at all (explain_absence). Such a metric is never
/// ok: the processes that the fault struck are those that are silent. Where most of them report nothing at
/// all it is absent (missing, failed), else inconclusive; those that were occupied speak for neither.
std::optional<Absence> explain_gaps(const std::string& key, const std::string& benchmark,
                                    const Collected& now, const result::Run& run, const Usual& usual,
                                    int asked);
/// Gives a verdict on a metric with gaps its due: what speaks against it and counts stays and is told of
/// them, all else becomes what `gaps` says, and counts: nothing that excuses a change (noise, a young
/// baseline, somebody's acceptance) excuses silence.
void apply_gaps(const Absence& gaps, Verdict& verdict);

}  // namespace gpugauge::judge
