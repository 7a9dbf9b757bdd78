// Facts about a GPU's state before it was measured, for a diagnosis: its clock settings and who else used it.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds the application clock of the SMs and whether it is the default, as any of `rounds` had it set. A clock above the default, or the same as in `before` (may be nullptr), is no lock that would explain
/// a loss, so the flag is then left out.
///
/// Adds other processes and the utilisation before the families began: the most processes of any round, and
/// the utilisation of the first, since a later round may see what is left of the round before. Both only where
/// they show somebody: none and idle at that moment do not show that nobody came later. A probe asks again.
void add_gpu_before(const std::vector<result::Run>& rounds, const std::vector<result::Run>* before,
                    diagnose::Observation& out);

}  // namespace gpugauge::conductor
