// Families whose sources are not those of a baseline: what they measured is another measurement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "baseline/baseline.hpp"

namespace gpugauge::baseline {

/// The family of a field "suite.source_hash.FAMILY"; "" for every other field.
std::string family_of_sources(std::string_view field);

/// Families that both sides measured, in any of their runs, with other sources. Sorted. Empty also where no
/// family at all is left that both sides measured with the same sources: then the sides as a whole are not
/// comparable, which mismatches() says.
std::vector<std::string> families_of_other_sources(const std::vector<result::Run>& now,
                                                   const std::vector<result::Run>& then);

/// The runs without what these families measured, and without the hashes of their sources.
std::vector<result::Run> without_families(std::vector<result::Run> runs,
                                          const std::vector<std::string>& families);

/// Takes out of the baseline the families of other sources than `now`'s, and names them in left_out. The others
/// are judged.
void leave_out_other_sources(const std::vector<result::Run>& now, Baseline& baseline);

}  // namespace gpugauge::baseline
