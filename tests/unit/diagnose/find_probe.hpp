// One probe of the table, by its id.
#pragma once

#include <algorithm>
#include <string_view>

#include "diagnose/probes.hpp"

namespace gpugauge::diagnose {

/// The probe of that id; nullptr where there is none.
inline const ProbeEntry* find_probe(std::string_view id) {
  const auto& all = probe_table();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ProbeEntry& one) { return one.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace gpugauge::diagnose
