// The version in a text that has words before it.
#pragma once

#include <optional>
#include <string_view>

#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {

/// The first dotted number of a text: 2.04.00 of "Kokkos 2.04.00 (2017-08-16)", 550.54.14 of "nvidia 550.54.14"; nullopt
/// where there is none.
std::optional<stack::Version> first_version_in(std::string_view text);

}  // namespace gpugauge::diagnose
