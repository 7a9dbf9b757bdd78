// What a store holds of the runs of a night.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "judge/judge_peers.hpp"
#include "store/database.hpp"

namespace gpugauge::store {

/// [from, to[, days or times, which sort alike.
struct Night {
  std::string from;  ///< the first
  std::string to;    ///< the first one behind it
};

/// A night without values, and where each run's round stands.
struct Rounds {
  std::map<long long, std::size_t> places;  ///< of each run: where its round stands in PeersInput::rounds
  std::map<long long, std::vector<std::size_t>> fingerprints;  ///< the rounds of each
};

/// The rounds of a night by time, with all that their own rows say; appended to `out`. Throws
/// std::out_of_range for a time that is none.
Rounds read_rounds(Database& database, const Night& night, judge::PeersInput& out);

/// What other tables hold of these rounds: facts, which `take` gets where it is given, values, faults,
/// checksums, and what was chosen. `known`: all metrics of the store, whose forms become those of `out`. Call
/// in the transaction in which they were read. Throws std::out_of_range for what no version writes, and
/// result::FileError where facts are missing.
void read_rows(Database& database, const Night& night, const Rounds& read, const std::vector<Metric>& known,
               const TakeFacts& take, judge::PeersInput& out);

}  // namespace gpugauge::store
