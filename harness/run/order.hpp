// In which order the processes of a run are executed: a pure function of the seed, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpugauge::run {

/// One process of the plan.
struct Step {
  std::size_t family = 0;                        ///< position in the plan's families
  int index = 0;                                 ///< the family's first process is 0
  bool operator==(const Step&) const = default;  ///< the same process of the same family
};

/// `processes` rounds, each with every family once in its own random order: families interleave, so that a
/// slow drift of the machine falls on all of them alike.
std::vector<Step> order(std::size_t families, int processes, std::uint64_t seed);

/// The seed of one process: differs between families and processes, depends on nothing else but the run's
/// seed.
std::uint64_t process_seed(std::uint64_t seed, const std::string& family, int index);

}  // namespace gpugauge::run
