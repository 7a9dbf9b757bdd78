#include "run/nvml_neighbours.hpp"

namespace gpugauge::run {

namespace nvml = stack::nvml;
using stack::call_nvml;

std::optional<unsigned> NvmlNeighbours::processes(nvml::Device gpu) const {
  unsigned mig = 0, pending = 0, count = 0;
  if (call_nvml(library_, nvml::mig_mode, gpu, &mig, &pending) == nvml::success && mig != 0)
    return std::nullopt;
  // Without a buffer the answer is the number, and "insufficient size" where it is not 0.
  int code = call_nvml(library_, nvml::processes, gpu, &count, nullptr);
  if (code == nvml::function_not_found) code = call_nvml(library_, nvml::processes_v2, gpu, &count, nullptr);
  if (code == nvml::function_not_found) code = call_nvml(library_, nvml::processes_v1, gpu, &count, nullptr);
  return code == nvml::success || code == nvml::insufficient_size ? std::optional(count) : std::nullopt;
}

}  // namespace gpugauge::run
