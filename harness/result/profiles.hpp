// Profile names that `gpugauge run --profile` does not offer.
#pragma once

#include <string_view>

namespace gpugauge::result {

/// The profile of a run of `gpugauge frameworks`, which alone measures it.
inline constexpr std::string_view frameworks_profile = "frameworks";

}  // namespace gpugauge::result
