// How faults are tried on this machine: whether each can be set, the profile it needs, and its processors and
// neighbours.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conductor/catalogue.hpp"
#include "conductor/fault_made.hpp"
#include "conductor/fault_table.hpp"
#include "run/child.hpp"

namespace gpugauge::conductor {

/// Where and with what faults are tried.
struct FaultBench {
  std::string profile;  ///< profile of every check, unless only a deeper one measures what shows the fault
  int rounds = 5;       ///< healthy rounds that a device is judged against
  std::vector<Target> targets;  ///< host, GPU and links as available; at most one of each kind
  std::string no_gpu;           ///< why `targets` has no GPU
  Catalogue catalogue;          ///< what can be measured
  /// where everything is written; empty = inject_faults makes a temporary folder
  std::filesystem::path folder;
  std::filesystem::path executable = "/proc/self/exe";  ///< the gpugauge command
  double budget_seconds = 300;                          ///< budget of one check
  std::filesystem::path root = "/";  ///< prefix of /proc, /sys and the library search folders
};

/// The target of a kind; nullptr where there is none.
const Target* target_of_kind(const FaultBench& bench, DeviceKind kind);

/// Why the fault cannot be tried here, as a clause; "" where no obstacle is known.
std::string why_not_here(const Fault& fault, const FaultBench& bench);

/// The profile of the fault's checks: the bench's, or the shallowest deeper one that measures all of
/// Fault::measures. "" where none does.
std::string profile_of(const Fault& fault, const FaultBench& bench);

/// Where the fault finds or makes its files: a folder of its own below the bench's folder.
FaultPlace place_of(const Fault& fault, const FaultBench& bench);

/// The processors that the fault leaves to the measurement; empty = all.
std::vector<int> confined_processors(const Fault& fault, const Target* target);

/// The commands that run beside the measurement. `confined` is the result of confined_processors().
std::vector<run::Command> neighbours(const Fault& fault, const std::vector<int>& confined,
                                     const FaultBench& bench);

}  // namespace gpugauge::conductor
