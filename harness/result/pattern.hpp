// Selects names by a pattern: on the command line, in a policy, in tables.
#pragma once

#include <string_view>

namespace gpugauge::result {

/// True when `text` matches `pattern`, in which * stands for any characters (also '/') and ? for one.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace gpugauge::result
