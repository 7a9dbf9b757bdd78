// Differences between runs and a baseline, and the sentences about them.
#pragma once

#include <string>
#include <vector>

#include "baseline/baseline.hpp"

namespace gpugauge::conductor {

/// Differences between runs and a baseline in the fields that must match.
struct Differences {
  std::vector<baseline::Mismatch> declared;    ///< covered by the treatment; the subject of the comparison
  std::vector<baseline::Mismatch> undeclared;  ///< why the two cannot be compared; empty = comparable
};

/// `treatment` holds the words of --treatment: what was changed on purpose.
Differences differing(const std::vector<result::Run>& runs, const baseline::Baseline& baseline,
                      const std::vector<std::string>& treatment);

/// "the sources of 10 families differ (copy, cub, cublas and 7 more): another version of GPUGauge". It names
/// the families, because their hashes tell a reader nothing. "" for none.
std::string sources_differ(std::vector<std::string> families);

/// "device.host.cpu_model (X now, Y then); ..."; sources by their families, without the hashes.
std::string in_words(const std::vector<baseline::Mismatch>& fields);

/// Adds one sentence about cards that were present beside the measured card in `then` but are missing in
/// `now`.
void tell_cards_gone(const result::Run& now, const result::Run& then, std::vector<std::string>& remarks);

/// Sentences on each declared word: the differences that it covers, those that it cannot cover, or that there
/// are none.
std::vector<std::string> treatment_remarks(const std::vector<std::string>& treatment,
                                           const Differences& different);

/// True where sources of families differ, and perhaps the stack, and nothing else: GPUGauge was upgraded.
bool of_another_version(const Differences& different);

/// One sentence on how to make undeclared differences comparable. Lists the words to declare where every
/// difference may be deliberate; otherwise gives `remedy`, because another device or suite is another
/// measurement.
std::string what_then(const Differences& different, const std::string& remedy);

/// Clause for the end of a report, after "cannot judge: ": not comparable with `other`, in which fields, and
/// what to do. It has no full stop.
std::string not_comparable(const std::string& other, const Differences& different, const std::string& remedy);

}  // namespace gpugauge::conductor
