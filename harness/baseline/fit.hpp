// How well a baseline fits a run, and which of two comes first.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "baseline/baseline.hpp"

namespace gpugauge::baseline {

/// How well a baseline fits. By one of a part of this suite, what the families of that part measured is judged.
enum class Fit { no, other_suite, part_of_suite, other_stack, full };

/// Whether another version of GPUGauge measured a baseline of this fit.
bool of_other_version(Fit fit);

/// Nothing, or not everything, is judged by one of another suite, so that one of this suite comes before it, and
/// be it another node's. Then this node's own: hosts that share a home each have their own baselines.
using Rank = std::tuple<bool, bool, Fit>;
/// The greater comes first.
Rank rank_of(bool this_node, Fit fit);

/// Whether both sides measured a common family; otherwise nothing can be compared.
bool share_a_family(const result::Fingerprint& a, const result::Fingerprint& b);

/// Whether two runs come from two machines. A card may move between hosts; links and hosts belong to the node.
/// `device` and `pinned` as result::Run::device; an empty `device` is not known.
bool of_another_machine(const result::Fingerprint& now, const std::string& device,
                        const result::Fingerprint& then, const std::string& pinned);

/// Fields that make a baseline incomparable with `now`. `own`: it is of this node's folder.
std::vector<Mismatch> fields_between(const result::Fingerprint& now, const result::Fingerprint& then,
                                     bool own, const std::string& device, const std::string& pinned);

/// The fit of a baseline of `place` (Place::name) with these fields between it and a run. An own one is considered
/// where the stack or the sources of families differ, one of the site where the sources do, a shipped one never.
Fit fit_of(const result::Fingerprint& now, const result::Fingerprint& then,
           const std::vector<Mismatch>& fields, std::string_view place);

}  // namespace gpugauge::baseline
