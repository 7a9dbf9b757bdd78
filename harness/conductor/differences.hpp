// How rounds differ from what they are to be held against, and what is said of it.
#pragma once

#include <string>
#include <vector>

#include "baseline/baseline.hpp"

namespace gpugauge::conductor {

/// How runs and a baseline differ in what must match.
struct Differences {
  std::vector<baseline::Mismatch> declared;    ///< covered by the treatment: what the comparison is about
  std::vector<baseline::Mismatch> undeclared;  ///< why they are not of one kind; empty = comparable
};

/// `treatment`: the words of --treatment, which cover what was changed on purpose.
Differences differing(const std::vector<result::Run>& runs, const baseline::Baseline& baseline,
                      const std::vector<std::string>& treatment);

/// "device.host.cpu_model (X now, Y then); ..."; sources by their families, without the hashes.
std::string in_words(const std::vector<baseline::Mismatch>& fields);

/// Adds one sentence on cards that were beside the one that was measured when the other side of the same card
/// was recorded and are not now.
void tell_cards_gone(const result::Run& now, const result::Run& then, std::vector<std::string>& remarks);

/// What was declared and what of it is there, one sentence a word.
std::vector<std::string> treatment_remarks(const std::vector<std::string>& treatment,
                                           const Differences& different);

/// What makes undeclared differences comparable, one sentence: the words to declare, where all of it may have
/// been changed on purpose; else `remedy`, since another device or suite is another measurement.
std::string what_then(const Differences& different, const std::string& remedy);

/// The same for the end of a report, after "cannot judge: ": that it is not comparable with `other`, in what,
/// and what then. Without a stop.
std::string not_comparable(const std::string& other, const Differences& different, const std::string& remedy);

}  // namespace gpugauge::conductor
