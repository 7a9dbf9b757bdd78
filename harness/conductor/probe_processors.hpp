// Chooses the processors that a probe's repetition is confined to.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conductor/probe_run.hpp"

namespace gpugauge::conductor {

/// Where a probe repeats its measurement.
struct ChosenProcessors {
  std::vector<int> processors;  ///< ascending; empty where none qualify or no choice is needed
  std::string detail;           ///< for the fact in the observation
  std::string why_none;         ///< why there are none; "" otherwise
  bool stopped = false;         ///< a signal asked the command to stop
};

/// Chooses all of the machine's processors, those that are idle now, or those of the GPU's NUMA node, as far
/// as the kernel allows. `pinned`: the repeated benchmark pins its thread, so "all" then means only
/// processors that this process's mask excludes. `wait` waits that many seconds and returns whether to go on.
ChosenProcessors choose_processors(diagnose::Processors which, bool pinned, const ProbeContext& context,
                                   const std::function<bool(double)>& wait);

/// The processors of this list that the kernel and the control group allow, whatever this process is bound to
/// now. Sets why_none where there are none.
ChosenProcessors processors_left_of(const std::vector<int>& processors);

/// Processors of `allowed` that were idle between two readings of /proc/stat; may be empty.
std::vector<int> idle_processors(const std::vector<int>& allowed, const std::string& before,
                                 const std::string& after);

/// True when the kernel knows the GPU's node, there are several nodes, and the process may use processors of
/// another node.
bool needs_pinning(const ProbeContext& context);

}  // namespace gpugauge::conductor
