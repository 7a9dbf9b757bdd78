#include "nccl/limits.hpp"

namespace gpugauge::bench::nccl {

Limits limits_from(const result::Lookup& lookup) {
  Limits made;
  const auto asked = result::whole_number(lookup, "GPUGAUGE_COLLECTIVE_TIMEOUT", 1, 3600);
  if (!asked) return made;
  const double factor = *asked / made.collective;
  for (double* const limit : {&made.collective, &made.making, &made.step, &made.end}) *limit *= factor;
  return made;
}

const Limits& limits() {
  static const Limits here = limits_from(result::from_environment);
  return here;
}

}  // namespace gpugauge::bench::nccl
