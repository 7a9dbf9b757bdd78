#include "judge/one_machine.hpp"

#include <string_view>

#include "baseline/fields.hpp"
#include "result/facts.hpp"
#include "result/google_benchmark.hpp"
#include "result/time.hpp"

namespace gpugauge::judge {
namespace {

/// Whether two known values differ.
bool differ(const std::string& one, const std::string& other) {
  return !one.empty() && !other.empty() && one != other;
}

/// Whether the name is the beginning of a container's id, the default without a name.
bool is_number_of_a_container(std::string_view name) {
  constexpr std::size_t digits = 12;
  return name.size() == digits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Sighting sighting_of(std::string boot, const result::Fingerprint& fingerprint, const std::string& started,
                     double wall_seconds) {
  Sighting out;
  out.identity = result::fact(fingerprint.device, std::string(baseline::host_identity_fact));
  out.began = result::unix_seconds(started).value_or(0);
  out.ended = out.began + wall_seconds;
  // A file of another program counts as a boot of its own in comparisons and names none. Its host name counts
  // only there, because a container has a name of its own.
  if (result::fact(fingerprint.suite, "suite.profile") == result::google_benchmark_profile)
    out.name = result::fact(fingerprint.device, "host.name");
  else
    out.boot = std::move(boot);
  if (is_number_of_a_container(out.name)) out.name.clear();
  return out;
}

Sighting sighting_of(const result::Run& run) {
  return sighting_of(run.boot_id, run.fingerprint, run.started, run.wall_seconds);
}

bool are_two_machines(const Sighting& one, const Sighting& other) {
  const double between = one.began < other.began ? other.began - one.ended : one.began - other.ended;
  if (one.boot.empty() && other.boot.empty()) return differ(one.name, other.name) && between < installed_anew;
  if (!differ(one.boot, other.boot)) return false;
  return between < 0 || (differ(one.identity, other.identity) && between < installed_anew);
}

bool are_one_machine(const Sighting& one, const Sighting& other) {
  return (!one.boot.empty() && one.boot == other.boot) ||
         (!one.identity.empty() && one.identity == other.identity);
}

}  // namespace gpugauge::judge
