#include "judge/one_machine.hpp"

#include "baseline/fields.hpp"
#include "result/facts.hpp"
#include "result/time.hpp"

namespace gpugauge::judge {

Sighting sighting_of(std::string boot, const result::Fingerprint& fingerprint, const std::string& started,
                     double wall_seconds) {
  Sighting out;
  out.boot = std::move(boot);
  out.identity = result::fact(fingerprint.device, std::string(baseline::host_identity_fact));
  out.began = result::unix_seconds(started).value_or(0);
  out.ended = out.began + wall_seconds;
  return out;
}

Sighting sighting_of(const result::Run& run) {
  return sighting_of(run.boot_id, run.fingerprint, run.started, run.wall_seconds);
}

bool are_two_machines(const Sighting& one, const Sighting& other) {
  if (one.boot.empty() || other.boot.empty() || one.boot == other.boot) return false;
  const double between = one.began < other.began ? other.began - one.ended : one.began - other.ended;
  if (between < 0) return true;
  return !one.identity.empty() && !other.identity.empty() && one.identity != other.identity &&
         between < installed_anew;
}

bool are_one_machine(const Sighting& one, const Sighting& other) {
  return (!one.boot.empty() && one.boot == other.boot) ||
         (!one.identity.empty() && one.identity == other.identity);
}

}  // namespace gpugauge::judge
