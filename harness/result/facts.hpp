// Looks up one name in a table of facts.
#pragma once

#include <string>

#include "result/samples.hpp"

namespace gpugauge::result {

/// The fact of that name, or `otherwise` if there is none.
inline std::string fact(const Facts& facts, const std::string& name, const char* otherwise = "") {
  const auto found = facts.find(name);
  return found == facts.end() ? otherwise : found->second;
}

/// A fact for sentences and tables: "absent" if it is empty.
inline std::string or_absent(const std::string& text) {
  return text.empty() ? "absent" : text;
}

}  // namespace gpugauge::result
