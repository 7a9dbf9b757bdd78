// Every family's main; family_name and family_source_hash come from the generated file of its sources.
#include "support/family.hpp"

namespace gpugauge::bench {
extern const char* const family_name;
extern const char* const family_source_hash;
extern const double family_start_seconds;
extern const double family_beside_seconds;
}  // namespace gpugauge::bench

int main(int argc, char** argv) {
  return gpugauge::bench::run_family(
      {gpugauge::bench::family_name, gpugauge::bench::family_source_hash,
       gpugauge::bench::family_start_seconds, gpugauge::bench::family_beside_seconds},
      argc, argv);
}
