// The processors that a probe confines a repetition to.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conductor/probe_run.hpp"

namespace gpugauge::conductor {

/// Where a probe repeats its measurement.
struct ChosenProcessors {
  std::vector<int> processors;  ///< ascending; empty where there are none, or where none need be chosen
  std::string detail;           ///< for the fact in the observation
  std::string why_none;         ///< "" where there are some
  bool stopped = false;         ///< a signal asked the command to stop
};

/// All of the machine, those that are idle now, or those of the GPU's NUMA node, as far as the kernel lets
/// this process use them. `pinned`: what is repeated pins its thread to one of them, so that of all only
/// those are an answer which the mask keeps from it. `wait` waits that many seconds and says whether it may
/// go on.
ChosenProcessors choose_processors(diagnose::Processors which, bool pinned, const ProbeContext& context,
                                   const std::function<bool(double)>& wait);

/// What the kernel and the control group leave this process of these, whatever it is bound to now; why_none
/// where they leave none.
ChosenProcessors processors_left_of(const std::vector<int>& processors);

/// Processors of `allowed` that were idle between two readings of /proc/stat; empty when none was.
std::vector<int> idle_processors(const std::vector<int>& allowed, const std::string& before,
                                 const std::string& after);

/// The kernel knows the GPU's node, there are several, and the process may use processors of another one.
bool needs_pinning(const ProbeContext& context);

}  // namespace gpugauge::conductor
