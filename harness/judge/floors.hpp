// Shares of a limit that every healthy device was seen to reach. A smaller share is a finding without any
// baseline.
#pragma once

#include <string_view>

namespace gpugauge::judge {

/// For a limit that a benchmark declares saturating without giving its own floor.
inline constexpr double declared_floor = .4;

/// For the memory bus, with cold reads and copies of large arrays. H100 and H200 reached 0.85 to 0.93
/// (recorded below baselines/); an A100 0.79 to 0.83 (public: superbench-results). Half of any of these is
/// below the floor.
inline constexpr double memory_floor = .6;

/// For the link to the host, with large pinned copies. H100 and H200 reached 0.87, an A100 0.82 (public:
/// superbench-results).
inline constexpr double link_floor = .5;

/// For the peak at the measured clock, with large products of these kinds on compute capability 8.0 and 9.0
/// (Peak::reached). Each floor is above half of what H100 and H200 recorded, so half of the usual rate is
/// below it:
/// - 0.6 for tf32, bf16 and fp16, for wgmma's fp8, and for products from registers: recorded 0.90 to 0.997;
/// - 0.5 for a library's fp32 (recorded 0.77), and its fp8 (0.92; public 0.65);
/// - 0.45 for mma.sync on 9.0, which is not its fast instruction: recorded 0.66.
double product_floor(std::string_view capability, std::string_view products, std::string_view benchmark);

}  // namespace gpugauge::judge
