// Operations per SM clock, judged beside the rate of the same product: what is left when the clock's part is
// taken out of it. Where both fall the work got slower; where the rate falls alone it is the clock.
#pragma once

#include <string_view>
#include <vector>

#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// True for the key or the name of flop_per_clock_per_sm and operation_per_clock_per_sm.
bool is_per_clock(std::string_view metric);

/// What operations per clock differ by from boot to boot, relative: they are the chip's and the code's. An
/// assumption: what was seen are cards of one model in two machines, one boot each. Two H100s differed by .2%
/// at most, two H200s by .07% where they are judged, by .17% in peaks, and by .3% in fp32 products, which are
/// not.
inline constexpr double per_clock_between_boots = .0025;

/// Verdicts against earlier runs on a rate and on the operations per clock of the same benchmark, brought
/// together. To the reason of a rate that is worse, may be or spreads it adds how those moved: hardly, so
/// that it is the SM clock that fell, or with it, so that it is not the clock alone. And what operations per
/// clock lose where the clock rose (or win where it fell) and the rate moved by four times as much the other
/// way is no loss of the work's: memory has a clock of its own, and its share of the cycles follows the SMs'.
/// Such a regression is advisory, and such an improvement as before.
void tell_clocks(std::vector<Verdict>& verdicts);

}  // namespace gpugauge::judge
