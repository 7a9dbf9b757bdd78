// The monitor's sums, kept on the node from check to check: what many nights say together that each alone may
// say by chance.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "judge/monitor.hpp"

namespace gpugauge::conductor {

/// What the monitor says of a night.
struct Nightly {
  std::vector<judge::Decline> declines;  ///< metrics to measure once more
  std::string problem;  ///< why the sums could not be read or kept, a sentence; "" = they were
};

/// Adds the first round of a check to the sums of its device and baseline, which are kept in `folder`. Adds
/// nothing where the round is partial, or a night already counts (judge::add_night). A file that cannot be
/// read is begun anew, and that is said. Throws nothing: the monitor must not cost a verdict.
Nightly add_to_nights(const std::filesystem::path& folder, const result::Run& first,
                      const baseline::Baseline& baseline, const judge::Policy& policy);

/// The declines that are told: those that the first of the `other` rounds that measured them confirms
/// (judge::confirm), the largest in units of its tolerance first. What `verdicts` show as regressed is not
/// repeated.
std::vector<judge::Decline> told_of(std::vector<judge::Decline> declines,
                                    std::span<const result::Run* const> other,
                                    const baseline::Baseline& baseline, const judge::Policy& policy,
                                    const std::vector<judge::Verdict>& verdicts);

}  // namespace gpugauge::conductor
