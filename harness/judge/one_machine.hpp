// Decides whether two runs can come from one machine, where the name alone is not enough.
#pragma once

#include <string>

#include "result/run_file.hpp"

namespace gpugauge::judge {

/// When a run was made, and what it recorded about its machine.
struct Sighting {
  std::string boot;      ///< result::Run::boot_id; "" if not known, as in another program's file
  std::string identity;  ///< baseline::host_identity_fact; "" if not known, as in containers
  double began = 0;      ///< seconds since 1970
  double ended = 0;      ///< seconds since 1970
  /// Host name, only from another program's file; "" elsewhere, and for a name that is a container's number.
  std::string name{};
};

/// Makes a sighting from a run, or from the parts of it that a history keeps. `started` must be an RFC 3339
/// time.
Sighting sighting_of(const result::Run& run);
Sighting sighting_of(std::string boot, const result::Fingerprint& fingerprint, const std::string& started,
                     double wall_seconds);

/// In seconds. Runs further apart than this may be from one machine before and after reinstallation, which
/// changes its identity.
inline constexpr double installed_anew = 12 * 3600;

/// True if they cannot be from one machine: within `installed_anew` they show overlapping boots, two
/// identities, or (in other programs' files) two names.
bool are_two_machines(const Sighting& one, const Sighting& other);

/// True if they are certainly from one machine: the same boot, or the same identity.
bool are_one_machine(const Sighting& one, const Sighting& other);

}  // namespace gpugauge::judge
