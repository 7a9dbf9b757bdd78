// Sizes and metrics shared by the benchmarks of this family.
#pragma once

#include <cstddef>
#include <string>

#include "support/cuda/device.hpp"
#include "support/cuda/gpu_timer.hpp"

namespace gpugauge::bench::memory {

/// Elements of each fp32 array: cuda::bus_array_bytes(). Skips the trial with a reason when `arrays` of them
/// leave less than a tenth of the GPU's memory free.
std::size_t array_elements(Trial& trial, std::size_t arrays);

/// Elements of one fp32 array in which a random read rarely hits L2: 32 times L2, of which L2 holds 3%. The
/// size is halved until it fits, but never below array_elements(). Notes the share of the array that L2 can
/// hold. Skips as array_elements() does.
std::size_t scattered_elements(Trial& trial);

/// Adds a metric that is not formed from the quantity. Bandwidths and capacities ("byte/second", "byte") are
/// better when higher, "second" when lower. It is judged when `not_judged_because` is empty.
void add_metric(Trial& trial, const std::string& name, const std::string& unit,
                const std::string& metric_class, const std::string& statistic, double value,
                const std::string& not_judged_because = "");

/// Seeds of the two inputs, so that each array has different data.
inline std::uint64_t first_seed(const Trial& trial) {
  return trial.data_seed();
}
inline std::uint64_t second_seed(const Trial& trial) {
  return trial.data_seed() + 1;
}

}  // namespace gpugauge::bench::memory
