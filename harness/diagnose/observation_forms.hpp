// One fact in the forms in which people write it.
#pragma once

#include "diagnose/observation.hpp"
#include "diagnose/vocabulary.hpp"

namespace gpugauge::diagnose {

/// The value in the key's kind where a person may write it in another and means the same: "1410 MHz", "x8",
/// "on", a performance state of 8. Anything else as it is.
Value in_kind(Value value, const Key& key);

/// A null factor says that it does not run. Reports also leave it null where they have no ratio: then an
/// absolute figure, or the words of the note, tell that it ran.
bool tells_that_it_ran(const Metric& metric);

}  // namespace gpugauge::diagnose
