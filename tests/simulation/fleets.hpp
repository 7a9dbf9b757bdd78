// Fleets of nodes of one kind, compared with each other.
#pragma once

#include <cstddef>

namespace gpugauge::simulation {

struct FleetCell {
  std::size_t nodes = 64;
  double drop = 0;  ///< of 15 of 150 metrics on every sixteenth node (one node at least)
  int fleets = 100;
};

struct FleetTally {
  int fleets = 0;
  int alarmed_fleets = 0;  ///< with a healthy node confirmed
  long healthy_nodes = 0;
  long healthy_again = 0;  ///< healthy nodes measured again
  long slow = 0;           ///< slow metrics
  long found = 0;          ///< confirmed
  long said = 0;           ///< confirmed or warned

  double alarms() const { return static_cast<double>(alarmed_fleets) / fleets; }
  double again() const { return static_cast<double>(healthy_again) / static_cast<double>(healthy_nodes); }
  double power() const { return slow > 0 ? static_cast<double>(found) / static_cast<double>(slow) : 0; }
  double spoken() const { return slow > 0 ? static_cast<double>(said) / static_cast<double>(slow) : 0; }
};

/// Healthy nodes differ by .5 to 1% (standard deviation, by metric); a node's round is the median of 5
/// processes with the noise of machine.hpp. Suspects get one fresh round.
FleetTally fleet_nights(const FleetCell& cell);

}  // namespace gpugauge::simulation
