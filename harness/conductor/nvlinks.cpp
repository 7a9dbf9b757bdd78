#include "conductor/nvlinks.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "result/gpu_series.hpp"

namespace gpugauge::conductor {

void add_nvlinks(const std::vector<result::Run>& rounds, diagnose::Observation& out) {
  double fewest = std::numeric_limits<double>::infinity();
  double most = 0;
  bool switched = false;
  for (const result::Run& run : rounds)
    for (const std::string& gpu : result::measured_gpus(run)) {
      for (const double active : result::values_of_gpu(run, gpu, "nvlinks_active")) {
        fewest = std::min(fewest, active);
        most = std::max(most, active);
      }
      for (const double to_switch : result::values_of_gpu(run, gpu, "nvlinks_to_switch"))
        switched = switched || to_switch > 0;
    }
  if (!switched) return;
  if (fewest > 0) out.inventory["topology.path"] = std::string("nvlink");
  out.telemetry["nvlinks_active"] = fewest;
  out.telemetry["nvlinks_expected"] = most;
}

}  // namespace gpugauge::conductor
