// Many values as one JSON array.
#pragma once

#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpugauge::result {

/// Each value as `json_of` writes it, in order. Of overloads the one for T is taken.
template <typename T>
nlohmann::ordered_json array_of(const std::vector<T>& values,
                                nlohmann::ordered_json (*json_of)(const std::type_identity_t<T>&)) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const T& value : values) out.push_back(json_of(value));
  return out;
}

}  // namespace gpugauge::result
