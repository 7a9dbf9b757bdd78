// What a metric_key (result/samples.hpp) consists of: family, benchmark, name.
#pragma once

#include <string>
#include <string_view>

namespace gpugauge::result {

/// The family of a benchmark's id or of a metric_key: "host" of "host/triad/one_core". Names without a slash
/// are returned unchanged.
inline std::string family_of(std::string_view id) {
  return std::string(id.substr(0, id.find('/')));
}

/// The benchmark of a metric_key: "host/triad/one_core" of "host/triad/one_core:bandwidth". An id may hold
/// colons, the name of a metric holds none: the last one separates them. Names without a colon are returned
/// unchanged.
inline std::string benchmark_of(std::string_view key) {
  return std::string(key.substr(0, key.rfind(':')));
}

/// The name of a metric_key's metric: "bandwidth" of "host/triad/one_core:bandwidth". Names without a colon
/// are returned unchanged.
inline std::string metric_name_of(std::string_view key) {
  return std::string(key.substr(key.rfind(':') + 1));
}

}  // namespace gpugauge::result
