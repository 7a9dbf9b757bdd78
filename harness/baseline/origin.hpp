// Words about a baseline: when it was measured, and how one is made.
#pragma once

#include <string>

#include "baseline/baseline.hpp"

namespace gpugauge::baseline {

/// "5 rounds from 2026-11-21", "6 rounds from 2026-11-01 to 2026-11-06": the days of the measurement, which
/// may be long before the pinning.
std::string rounds_in_words(const Baseline& found);

/// The command that creates a baseline for this measurement, in backquotes. Runs of other commands reach `baseline
/// create` only as files.
std::string how_to_make(const result::Fingerprint& fingerprint, const std::string& device);

}  // namespace gpugauge::baseline
