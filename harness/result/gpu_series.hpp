// Selects telemetry of the GPU that a run measured: NVML shows each run every GPU of the node.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::result {

/// The named series of the run's own GPU. If telemetry does not list that GPU, takes the only GPU it lists:
/// an instance of a GPU has its own UUID. nullptr if there is no such series or the GPU is ambiguous (several
/// GPUs, the host). Points into `run`.
const Series* gpu_series(const Run& run, std::string_view name);

/// The values of the named series of the GPU with this UUID; empty if there is none.
std::vector<double> values_of_gpu(const Run& run, std::string_view uuid, std::string_view name);

/// The GPUs that the run measured, by the UUIDs in telemetry, sorted. For a run of links these are the GPUs
/// of its fingerprint, or all GPUs of the telemetry if none match. An instance has its own UUID and is
/// attributed to the only card known. With several cards the set is empty.
std::set<std::string> measured_gpus(const Run& run);

/// UUIDs of GPUs that NVML reported as lost during the run: fallen off the bus, or unresponsive until a
/// reset. Sorted, without duplicates.
std::vector<std::string> lost_gpus(const Run& run);

/// The name of the series that reports this: its value is 1 each time NVML said so, and it has no other.
inline constexpr std::string_view lost_series = "lost";

/// Series: processes that computed on the GPU before the first family of the round was started, so that none of
/// them is ours. Absent where NVML does not tell, or tells only of a part: never 0 for that. In a container NVML
/// may count none of the processes outside of it.
inline constexpr std::string_view processes_before_series = "processes_before";
/// Series: the GPU's utilisation at the same time, 0 to 1. In a later round of a check it may be that of the
/// round before.
inline constexpr std::string_view utilization_before_series = "utilization_before";

}  // namespace gpugauge::result
