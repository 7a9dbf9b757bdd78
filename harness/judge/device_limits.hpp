// Limits that follow from what the device says of itself: its memory bus and its link to the host.
#pragma once

#include <optional>

#include "judge/collect.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Bandwidth of the device memory: two transfers a clock over the whole bus, at the highest memory clock that
/// the device reports; the source names clock and width, and the clock under load where telemetry shows a
/// lower one. A cold read of a large array comes near it, a small one does not: `floor` is the share that
/// a healthy device reaches of the former, at the clock that telemetry saw where that was lower.
/// nullopt when the family's processes did not record gpu.memory_clock_max_hz and gpu.memory_bus_bits, and
/// for an integrated_gpu().
std::optional<result::Limit> memory_limit(const result::Run& run, const std::string& benchmark,
                                          std::optional<double> floor);

/// True where the GPU's memory is the host's, by gpu.integrated, or by the compute capability (Jetson, DGX
/// Spark) in files without that fact. What CUDA gives as its memory clock is not that of the host's memory.
bool integrated_gpu(const DeviceFacts& device);

/// True where the run does not have a whole GPU for itself: a MIG instance or a virtual GPU.
bool part_of_gpu(const result::Run& run, const DeviceFacts& device);

/// Bandwidth of the PCI Express link in one direction, or the sum of both (`directions` 2), from the
/// generation and width that telemetry saw at their highest (an idle link sleeps): transfer rate x lanes x
/// encoding, PCI Express Base Specification. nullopt without that telemetry of the run's GPU.
std::optional<result::Limit> link_limit(const result::Run& run, int directions);

/// The same from a generation and width that somebody else looked up; nullopt where no rate of that
/// generation is known.
std::optional<result::Limit> link_limit(double generation, double width, int directions);

}  // namespace gpugauge::judge
