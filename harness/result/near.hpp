// Suggests existing names for a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::result {

/// At most three of `names` similar to `name`, nearest first. A similar name contains it, or differs by at
/// most max(3, a third of its length) letters changed, added or left out (Levenshtein distance). Either way
/// it differs in fewer letters than `name` has.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names);

}  // namespace gpugauge::result
