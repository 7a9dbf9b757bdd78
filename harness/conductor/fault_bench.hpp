// What faults are tried with on this machine, and what a fault of the table is here: whether it can be set,
// how deep it has to be measured, which processors and which neighbours it takes.
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
  std::string profile;           ///< of every check, but where only a deeper one measures what shows a fault
  int rounds = 5;                ///< healthy ones that a device is judged against
  std::vector<Target> targets;   ///< what there is to measure: the host, a GPU, links; one of a kind
  std::string no_gpu;            ///< why there is no GPU among them
  Catalogue catalogue;           ///< what can be measured
  std::filesystem::path folder;  ///< for everything that is written; empty = a temporary one of inject_faults
  std::filesystem::path executable = "/proc/self/exe";  ///< the command
  double budget_seconds = 300;                          ///< of one check
  std::filesystem::path root =
      "/";  ///< prefix of /proc and /sys, and of libraries, where they are looked for
};

/// The target of a kind; nullptr where there is none.
const Target* target_of_kind(const FaultBench& bench, DeviceKind kind);

/// Why the fault cannot be tried here, as a clause; "" where nothing known speaks against it.
std::string why_not_here(const Fault& fault, const FaultBench& bench);

/// The profile of its checks: that of the bench, or the shallowest deeper one that measures everything which
/// the fault asks for; "" where none does.
std::string profile_of(const Fault& fault, const FaultBench& bench);

/// Where it finds what it is made of; the folder is the fault's own, below that of the bench.
FaultPlace place_of(const Fault& fault, const FaultBench& bench);

/// The processors that the fault leaves; empty where it leaves all of them.
std::vector<int> confined_processors(const Fault& fault, const Target* target);

/// What works beside the measurement. `confined` as confined_processors says.
std::vector<run::Command> neighbours(const Fault& fault, const std::vector<int>& confined,
                                     const FaultBench& bench);

}  // namespace gpugauge::conductor
