// What ranks must have in common before a communicator is made. A difference is reported at once; otherwise
// the ranks would wait.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::bench::ranks {

/// The facts that are compared. A value of "" or "unknown" is not compared.
///   host, gpu.uuid     name the rank; no two ranks may have one GPU
///   error              why this rank cannot take part; "" = it can
///   driver, cuda.driver, cuda.runtime, nccl, nccl.plugin, nccl.tuner, nccl.environment
///                      must be the same in all ranks
///   setting.NAME       the value of a variable that must be the same in all ranks, or set in none
///   node_setting.NAME  the same of the ranks of each host
///   from.NAME          the file that sets it; absent for the environment, and not compared
///   job                rank 0's name for this job; not compared
///   suite, source_hash must be the same: another build may measure other things or in another order
using RankFacts = std::vector<result::Facts>;

/// Returns one sentence that names what differs, with the ranks and machines of each value, or that a rank
/// cannot take part. nullopt when all agree. The sentence is the same on every rank. `ranks[i]` is rank i's.
std::optional<std::string> disagreement(const RankFacts& ranks);

/// Formats ascending ranks: {0, 1, 2, 5} gives "0-2, 5".
std::string list_of(const std::vector<int>& ranks);

}  // namespace gpugauge::bench::ranks
