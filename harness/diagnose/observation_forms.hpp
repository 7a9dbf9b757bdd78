// Normalises the different forms in which people write a fact.
#pragma once

#include "diagnose/observation.hpp"
#include "diagnose/vocabulary.hpp"

namespace gpugauge::diagnose {

/// Converts the value to the key's kind where a person wrote it differently: "1410 MHz", "x8", "on", a
/// performance state of 8. Returns any other value unchanged.
Value in_kind(Value value, const Key& key);

/// A null factor normally means that the work does not run. Reports also use null where they have no ratio.
/// This is true when an absolute figure or the note shows that the work did run.
bool tells_that_it_ran(const Metric& metric);

}  // namespace gpugauge::diagnose
