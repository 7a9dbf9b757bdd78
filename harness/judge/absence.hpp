// Why a metric of the baseline has no value now.
#pragma once

#include <string>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// Why a metric of the baseline has no value now, as its verdict will say it.
struct Absence {
  VerdictKind kind = VerdictKind::missing;  ///< missing, failed, or inconclusive (interrupted, recorded only)
  std::string reason;                       ///< one sentence
};

/// For a metric of `benchmark` without a judged value in `run`, which `now` was collected from.
Absence explain_absence(const std::string& key, const std::string& benchmark, const Collected& now,
                        const result::Run& run);

}  // namespace gpugauge::judge
