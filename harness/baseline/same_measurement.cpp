#include "baseline/same_measurement.hpp"

#include <algorithm>

namespace gpugauge::baseline {

bool same_measurement(const result::Run& a, const result::Run& b) {
  if (a.device != b.device || a.started != b.started) return false;
  const bool any = std::any_of(a.processes.begin(), a.processes.end(), [](const result::Process& process) {
    return process.samples && !process.samples->benchmarks.empty();
  });
  return any && std::equal(a.processes.begin(), a.processes.end(), b.processes.begin(), b.processes.end(),
                           [](const result::Process& one, const result::Process& other) {
                             return one.family == other.family && one.samples == other.samples;
                           });
}

}  // namespace gpugauge::baseline
