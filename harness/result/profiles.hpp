// Names of profiles that are no choice of `gpugauge run --profile`.
#pragma once

#include <string_view>

namespace gpugauge::result {

/// The profile of a run of `gpugauge frameworks`, which nothing else measures.
inline constexpr std::string_view frameworks_profile = "frameworks";

}  // namespace gpugauge::result
