// The order in which a run executes its processes: a pure function of the seed, equal on every machine.
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

/// `processes` rounds, each with every family once in a random order of its own. Families interleave, so that
/// a slow drift of the machine affects all of them equally.
std::vector<Step> order(std::size_t families, int processes, std::uint64_t seed);

/// The seed of one process. It depends only on the run's seed, the family and the index, and differs between
/// families and indices.
std::uint64_t process_seed(std::uint64_t seed, const std::string& family, int index);

}  // namespace gpugauge::run
