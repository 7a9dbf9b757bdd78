// What a quantity was while work ran, from the samples of its series. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// All samples of one source's series ("host", "gpu:UUID") since the first process of their round began.
std::vector<double> samples_of(const std::vector<result::Run>& runs, const std::string& source,
                               const std::string& name);

/// Median of the upper half: the value reached under load. It is one of the samples, of two in the middle the
/// upper one. nullopt without values.
std::optional<double> value_under_load(std::vector<double> values);

/// The same of the lower half, for what load makes smaller. nullopt without values.
std::optional<double> lowest_under_load(std::vector<double> values);

}  // namespace gpugauge::conductor
