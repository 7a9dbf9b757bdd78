#include "nccl/limits.hpp"

#include <algorithm>
#include <cmath>

namespace gpugauge::bench::nccl {

double Limits::usual(bool several) const {
  return several ? collective : std::min(collective, alone);
}

// A slow link is not a broken one: three times what one iteration took are allowed.
double Limits::patience(bool several, double iteration_seconds, int iterations) const {
  if (iteration_seconds == 0) return several ? making : usual(several);
  const double seconds = std::round(collective + 3 * iteration_seconds * iterations);
  return several ? seconds : std::min(seconds, alone);
}

Limits limits_from(const result::Lookup& lookup) {
  Limits made;
  const auto asked = result::whole_number(lookup, "GPUGAUGE_COLLECTIVE_TIMEOUT", 1, 3600);
  if (!asked) return made;
  constexpr double farewell = 5;  // what ranks that parted need to keep their files and end
  const double factor = *asked / made.collective;
  for (double* const limit : {&made.collective, &made.making, &made.step}) *limit *= factor;
  made.end = std::clamp(made.end * factor, farewell, made.end);
  return made;
}

const Limits& limits() {
  static const Limits here = limits_from(result::from_environment);
  return here;
}

}  // namespace gpugauge::bench::nccl
