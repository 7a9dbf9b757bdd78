// Fleets of nodes of one kind, compared with each other.
#pragma once

#include <cstddef>

namespace gpugauge::simulation {

/// A fleet of run files' shape through the whole judge, retest included.
struct WholeCell {
  std::size_t nodes = 200;
  bool faults = false;  ///< on every 97th node from the fifth on, by turns the two of tests/tools/make_fleet
  double node_level = .01;  ///< judge::PeerRules
  int fleets = 100;
};
struct WholeTally {
  int fleets = 0;
  int accused = 0;         ///< fleets with a healthy node found, after the retest
  int exact = 0;           ///< fleets in which exactly the faulty nodes are found
  long healthy = 0;        ///< nodes
  long healthy_again = 0;  ///< healthy nodes measured again
  long faulty = 0;         ///< nodes
  long found = 0;          ///< of them
};
/// 100 benchmarks of two metrics in eight classes, tolerances of the classes; nodes differ by 1% for good,
/// rounds by .3%, processes by .5%, five a round. Suspects are measured again once.
WholeTally whole_fleets(const WholeCell& cell);

struct FleetCell {
  std::size_t nodes = 64;
  double drop = 0;  ///< of 15 of 150 metrics on every sixteenth node (one node at least)
  int fleets = 100;
  double node_level = .01;  ///< judge::PeerRules
  double noisy = 0;  ///< share of the metrics in which nodes differ by half to twice the tolerance instead
};

struct FleetTally {
  int fleets = 0;
  int alarmed_fleets = 0;  ///< with a healthy node confirmed
  long healthy_nodes = 0;
  long healthy_again = 0;  ///< healthy nodes measured again
  long healthy_said = 0;   ///< of these, that the fresh round does not clear
  long slow = 0;           ///< slow metrics
  long found = 0;          ///< confirmed
  long said = 0;           ///< confirmed or warned

  double alarms() const { return static_cast<double>(alarmed_fleets) / fleets; }
  double again() const { return static_cast<double>(healthy_again) / static_cast<double>(healthy_nodes); }
  double doubted() const { return static_cast<double>(healthy_said) / static_cast<double>(healthy_nodes); }
  double power() const { return slow > 0 ? static_cast<double>(found) / static_cast<double>(slow) : 0; }
  double spoken() const { return slow > 0 ? static_cast<double>(said) / static_cast<double>(slow) : 0; }
};

/// Healthy nodes differ by .5 to 1% (standard deviation, by metric); a node's round is the median of 5
/// processes with the noise of machine.hpp. Suspects get one fresh round.
FleetTally fleet_nights(const FleetCell& cell);

}  // namespace gpugauge::simulation
