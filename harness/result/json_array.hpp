// Many values as one JSON array.
#pragma once

#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpugauge::result {

/// Converts each value with `json_of`, in order. Overload resolution picks the one for T.
template <typename T>
nlohmann::ordered_json array_of(const std::vector<T>& values,
                                nlohmann::ordered_json (*json_of)(const std::type_identity_t<T>&)) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const T& value : values) out.push_back(json_of(value));
  return out;
}

}  // namespace gpugauge::result
