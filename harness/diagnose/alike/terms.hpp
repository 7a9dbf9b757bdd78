// The terms of an observation: what tells how alike two reports are.
#pragma once

#include <map>
#include <string>

#include "diagnose/observation.hpp"

namespace gpugauge::diagnose {

/// A text as long as this or longer is taken by its words alone, not as a whole.
inline constexpr std::size_t whole_text_least = 30;

/// How often each term occurs, in three kinds: a key that is given ("telemetry.pstate:"), such a key with its value
/// where that is no long text ("telemetry.pstate: p8"), and a word of a text ("numactl"). All in lower case. A word
/// is a letter or "_" and at least one more letter, digit or "_". The elements of a list share their list's key.
/// about.source is left out: it names a report, and tells nothing of the machine.
std::map<std::string, int> terms(const Observation& observation);

}  // namespace gpugauge::diagnose
