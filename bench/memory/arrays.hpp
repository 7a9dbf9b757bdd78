// Sizes and metrics that the benchmarks of this family share.
#pragma once

#include <cstddef>
#include <string>

#include "support/cuda/device.hpp"
#include "support/cuda/gpu_timer.hpp"

namespace gpugauge::bench::memory {

/// Elements of each fp32 array: cuda::bus_array_bytes(). Skips the trial by name
/// when `arrays` of them leave less than a tenth of the GPU's memory free.
std::size_t array_elements(Trial& trial, std::size_t arrays);

/// Elements of one fp32 array of which a reading at a random place is hardly ever in L2: 32 times L2 (3% of
/// it are there), half as much as often as memory does not allow it, and never less than array_elements().
/// Notes the share of the array that L2 can hold. Skips like it.
std::size_t scattered_elements(Trial& trial);

/// A metric that no quantity forms. Bandwidths and capacities ("byte/second", "byte") are better when higher,
/// "second" when lower. It is judged when `not_judged_because` is empty.
void add_metric(Trial& trial, const std::string& name, const std::string& unit,
                const std::string& metric_class, const std::string& statistic, double value,
                const std::string& not_judged_because = "");

/// Seeds of the two inputs: different data in each array.
inline std::uint64_t first_seed(const Trial& trial) {
  return trial.data_seed();
}
inline std::uint64_t second_seed(const Trial& trial) {
  return trial.data_seed() + 1;
}

}  // namespace gpugauge::bench::memory
