// What a table of facts says of one name.
#pragma once

#include <string>

#include "result/samples.hpp"

namespace gpugauge::result {

/// The fact of that name; `otherwise` where there is none.
inline std::string fact(const Facts& facts, const std::string& name, const char* otherwise = "") {
  const auto found = facts.find(name);
  return found == facts.end() ? otherwise : found->second;
}

/// A fact as sentences and tables show it: "absent" where there is none.
inline std::string or_absent(const std::string& text) {
  return text.empty() ? "absent" : text;
}

}  // namespace gpugauge::result
