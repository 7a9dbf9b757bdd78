// Reads what a store holds about the runs of a night.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "judge/judge_peers.hpp"
#include "store/database.hpp"

namespace gpugauge::store {

/// The half-open interval [from, to[; days or times, which sort alike.
struct Night {
  std::string from;  ///< first day or time in the night
  std::string to;    ///< first day or time after the night
};

/// Where each round of a night stands in judge::PeersInput::rounds.
struct Rounds {
  std::map<long long, std::size_t> places;                     ///< run id -> index in PeersInput::rounds
  std::map<long long, std::vector<std::size_t>> fingerprints;  ///< fingerprint id -> indices of its rounds
};

/// Appends the rounds of a night to `out`, by time, with everything in their own rows. Throws
/// std::out_of_range for an invalid time.
Rounds read_rounds(Database& database, const Night& night, judge::PeersInput& out);

/// Adds what other tables hold about these rounds: values, faults, health, checksums, selections, and facts if `take`
/// is set; `take` receives them. `known`: all metrics of the store; their forms become those of `out`. Call
/// in the transaction that read the rounds. Throws std::out_of_range for content that no version writes, and
/// result::FileError if facts are missing.
void read_rows(Database& database, const Night& night, const Rounds& read, const std::vector<Metric>& known,
               const TakeFacts& take, judge::PeersInput& out);

}  // namespace gpugauge::store
