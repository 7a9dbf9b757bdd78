// What somebody may have meant who wrote a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::report {

/// At most three of `names` that are near to `name`, nearest first: by how many letters are changed, added or
/// left out (Levenshtein's distance), at most three or a third of them; or that hold it.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names);

}  // namespace gpugauge::report
