#include "nccl/limits.hpp"

#include <algorithm>

namespace gpugauge::bench::nccl {

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
