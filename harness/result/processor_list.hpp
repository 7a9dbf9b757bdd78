// Lists of processors as the kernel writes them: "0-3,8".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::result {

/// No kernel has more processors or NUMA nodes (CONFIG_NR_CPUS ends there). The largest number of a list is one less.
inline constexpr int processors_most = 8192;

/// The numbers of a list, ascending, each once. One line end may follow. Empty for any other text, and for a list with a
/// larger number than any kernel's or with more of them, counted as written: foreign text such as "0-4000000000" costs
/// nothing.
std::vector<int> parse_processors(std::string_view list);

/// The list of ascending numbers, without a line end. Empty for none.
std::string processors_text(const std::vector<int>& processors);

}  // namespace gpugauge::result
