// Several rounds of one device in a row: what a baseline, or one side of a comparison, is made of.
#pragma once

#include <string>
#include <vector>

#include "conductor/conductor.hpp"

namespace gpugauge::conductor {

/// Rounds that were measured one after the other.
struct Rounds {
  std::vector<Stored> whole;  ///< complete ones, oldest first, each with its file
  std::string stopped;        ///< why the last one is partial or unfit, or the next was not begun; else ""
  std::string stopped_by;     ///< the signal that asked to stop, also when all rounds were whole; else ""
  bool unfit = false;         ///< it is whole, and could be no part of a baseline
};

/// Measures rounds `first` to `last`, and ends at the first partial one, and after the first in which a
/// signal asked to stop. Each is stored as soon as it is measured. With `fit` it also ends
/// at the first that could be no part of a baseline (refuse_unfit): a machine that is not fit must not cost
/// all the rounds. Throws like refuse_unmeasured then.
Rounds measure_rounds(const MeasureOptions& options, const Target& target, const Choice& choice,
                      const stack::GpuReport& gpus, int first, int last, bool fit);

/// A clause of a stop that came too late to cut a round short.
std::string stopped_after(const std::string& signal, int round, int last);

/// A baseline with a failed benchmark would make the failure normal: throws result::UsageError for a run that
/// is partial, has a process that did not end well, or fails a physical check.
void refuse_unfit(const result::Run& run);
/// A baseline without a family would make its absence normal: throws result::UsageError where one that was
/// wanted cannot be measured.
void refuse_unmeasured(const Choice& choice);

}  // namespace gpugauge::conductor
