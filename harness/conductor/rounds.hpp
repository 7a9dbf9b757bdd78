// Several consecutive rounds of one device, for a baseline or one side of a comparison.
#pragma once

#include <string>
#include <vector>

#include "conductor/conductor.hpp"

namespace gpugauge::conductor {

/// Rounds measured one after the other.
struct Rounds {
  std::vector<Stored> whole;  ///< complete ones, oldest first, each with its file
  std::string stopped;     ///< why the last round is partial or unfit, or why the next did not start; else ""
  std::string stopped_by;  ///< signal that asked to stop, set even when all rounds are whole; else ""
  bool unfit = false;      ///< the last round is whole but cannot be part of a baseline
};

/// Measures rounds `first` to `last` and stores each one at once. Ends at the first partial round, and after
/// a round in which a signal asked to stop. With `fit` it also ends at the first round that refuse_unfit()
/// rejects, to save the time of the others, and throws like refuse_unmeasured(). Throws result::FileError
/// where a round cannot be stored.
Rounds measure_rounds(const MeasureOptions& options, const Target& target, const Choice& choice,
                      const stack::GpuReport& gpus, int first, int last, bool fit);

/// Clause for a stop that came too late to cut a round short.
std::string stopped_after(const std::string& signal, int round, int last);

/// Throws result::UsageError for a run that is partial, has a process that did not end well, or fails a
/// physical check. A baseline of it would make the failure normal.
void refuse_unfit(const result::Run& run);
/// Throws result::UsageError where a wanted family cannot be measured. A baseline without it would make its
/// absence normal.
void refuse_unmeasured(const Choice& choice);

}  // namespace gpugauge::conductor
