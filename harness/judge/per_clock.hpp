// Judges operations per SM clock beside the rate of the same product. If both fall, the work got slower; if
// only the rate falls, the clock did.
#pragma once

#include <string_view>
#include <vector>

#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// True for the key or name of flop_per_clock_per_sm and operation_per_clock_per_sm.
bool is_per_clock(std::string_view metric);

/// Relative spread of operations per clock from boot to boot. They depend on chip and code only. An
/// assumption, from cards of one model in two machines with one boot each. Two H100s differed by at most .2%.
/// Two H200s differed by .07% in judged products, .17% in peaks, and .3% in fp32 products, which are not
/// judged.
inline constexpr double per_clock_between_boots = .0025;

/// Relates the baseline verdicts on a rate to those on operations per clock of the same benchmark. The reason
/// of a regressed, inconclusive or unstable rate gets a clause on how operations per clock moved. If they
/// hardly moved, the SM clock fell; if they fell with the rate, it is not the clock alone. A loss per clock
/// is no loss of work if the rate improved by at least four times as much: the clock rose. Memory has its own
/// clock, and its share of the cycles follows the SM clock. Such a regression becomes advisory. An
/// improvement per clock beside such a loss of rate becomes ok.
void tell_clocks(std::vector<Verdict>& verdicts);

}  // namespace gpugauge::judge
