// Runs that are dated later than now.
#pragma once

#include <string>

namespace gpugauge::result {

/// A day from now by this machine's clock, in seconds since 1970. Clocks that are stepped, and those of two
/// machines, differ by less: what began later is dated wrongly.
double a_day_from_now();

/// A sentence on a run, `what`, that began more than a day later than now by this machine's clock, as
/// `started` has it: one of the two clocks is wrong, and "earlier" and "later" mean little. "" for any other.
std::string from_the_future(const std::string& what, const std::string& started);

}  // namespace gpugauge::result
