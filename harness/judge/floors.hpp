// Shares of a limit that every healthy device was seen to reach: less is a finding without any baseline.
#pragma once

#include <string_view>

namespace gpugauge::judge {

/// Of a limit that a benchmark declares saturating without a floor of its own.
inline constexpr double declared_floor = .4;

/// Of the memory's bus, by cold reads and copies of large arrays. H100 and H200 reached 0.85 to 0.93 (recorded
/// below baselines/), publicly an A100 0.79 to 0.83 (superbench-results). Half of any of these is below it.
inline constexpr double memory_floor = .6;

/// Of the link to the host, by large pinned copies: H100 and H200 reached 0.87, publicly an A100 0.82
/// (superbench-results).
inline constexpr double link_floor = .5;

/// Of the peak at the clock that they had, by large products of these kinds on compute capability 8.0 and 9.0
/// (Peak::reached), each above half of what was recorded on H100 and H200, so that half of the usual rate is
/// below it:
/// - 0.6 of tf32, bf16 and fp16, of wgmma's fp8, and of what runs from registers: recorded 0.90 to 0.997;
/// - 0.5 of a library's fp32 (recorded 0.77), and of its fp8 (0.92, publicly 0.65);
/// - 0.45 of mma.sync on 9.0, which is not its fast instruction: recorded 0.66.
double product_floor(std::string_view capability, std::string_view products, std::string_view benchmark);

}  // namespace gpugauge::judge
