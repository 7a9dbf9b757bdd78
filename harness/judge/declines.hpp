// What the monitor alarms of, in words.
#pragma once

#include <string>
#include <vector>

#include "judge/monitor.hpp"

namespace gpugauge::judge {

/// "by 1.8% in 9 checks since 2026-03-01 (1.9% when measured again)".
std::string decline_text(const Decline& decline);

/// One sentence on all of them, which names the first three; "" without any.
std::string sentence_on(const std::vector<Decline>& declines);

}  // namespace gpugauge::judge
