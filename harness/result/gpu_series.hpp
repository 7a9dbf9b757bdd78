// Telemetry of the GPU that a run is of: NVML shows every GPU of the node to each run.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::result {

/// The series of that name of the run's own GPU; where telemetry names no such GPU (an instance of a GPU has
/// a UUID of its own), of the only one that it names. nullptr where there is none, or it cannot be told which
/// GPU is meant (links, the host). Points into `run`.
const Series* gpu_series(const Run& run, std::string_view name);

/// The values of the series of that name of the GPU with this UUID; empty where there is none.
std::vector<double> values_of_gpu(const Run& run, std::string_view uuid, std::string_view name);

/// The GPUs that the run measured, by the UUIDs that telemetry knows them by: those of its fingerprint where
/// it measured what lies between them. An instance has a UUID of its own, and is of the only card that is
/// known; of several nobody can tell which. Sorted.
std::set<std::string> measured_gpus(const Run& run);

/// The UUIDs of GPUs of which NVML said while the run was measured that they are lost: fallen off the bus, or
/// answering nothing until a reset. Sorted, each once.
std::vector<std::string> lost_gpus(const Run& run);

/// The name of the series that says so: its value is 1 whenever NVML did, and it has no other.
inline constexpr std::string_view lost_series = "lost";

}  // namespace gpugauge::result
