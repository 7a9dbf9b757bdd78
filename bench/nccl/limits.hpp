// How long ranks wait inside NCCL, and for each other, before they say so and end.
#pragma once

#include "result/launcher.hpp"
#include "result/process_limits.hpp"

namespace gpugauge::bench::nccl {

/// In seconds.
struct Limits {
  double collective = 60;  ///< a collective that is not known to be slow
  double making = 120;     ///< communicators of several processes, and their first collective of a size
  double step = 150;       ///< one rank waits for the others between collectives: they may say better why
  double end = 20;         ///< a process still hangs after its communicators were aborted
  /// Anything in a process that runs alone: the command would end it later, with a less specific reason.
  double alone = 0.75 * result::process_limit_seconds;

  /// For a collective that is not known to be slow; `several` processes measure, or one that runs alone.
  double usual(bool several) const;
  /// For `iterations` collectives of one size that are in flight. `iteration_seconds`: what one took before; 0
  /// for the first of all, which may have to connect many ranks.
  double patience(bool several, double iteration_seconds, int iterations) const;
};

/// The limits where GPUGAUGE_COLLECTIVE_TIMEOUT sets `collective`: whole seconds, 1 to 3600. `making` and
/// `step` keep their share of it, and so does `end`, from 5 to 20. Throws result::UsageError for anything
/// else.
Limits limits_from(const result::Lookup& lookup);

/// Those of this process.
const Limits& limits();

}  // namespace gpugauge::bench::nccl
