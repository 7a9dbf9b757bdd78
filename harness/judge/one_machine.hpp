// Whether two runs can be of one machine: what a name alone does not tell.
#pragma once

#include <string>

#include "result/run_file.hpp"

namespace gpugauge::judge {

/// When a run was, and what it saw of its machine.
struct Sighting {
  std::string boot;      ///< result::Run::boot_id; "" where it is not known, as of another program's file
  std::string identity;  ///< baseline::host_identity_fact; "" where it is not known, as in containers
  double began = 0;      ///< seconds since 1970
  double ended = 0;      ///< likewise
  /// Of the host, where only another program's file tells it; "" elsewhere, and for a container's number.
  std::string name{};
};

/// Of a run, and of its parts as a history keeps them. `started` must be a time of RFC 3339.
Sighting sighting_of(const result::Run& run);
Sighting sighting_of(std::string boot, const result::Fingerprint& fingerprint, const std::string& started,
                     double wall_seconds);

/// Runs further apart than this may be of one machine before and after it was installed anew, which changes
/// its identity; in seconds.
inline constexpr double installed_anew = 12 * 3600;

/// True where they cannot be of one machine: it was in two boots at once, or had two identities, or in other
/// programs' files two names, within `installed_anew`.
bool are_two_machines(const Sighting& one, const Sighting& other);

/// True where they are surely of one machine: one boot, or one identity.
bool are_one_machine(const Sighting& one, const Sighting& other);

}  // namespace gpugauge::judge
