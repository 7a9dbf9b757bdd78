// Limits derived from the device's own properties: its memory bus and its link to the host.
#pragma once

#include <optional>

#include "judge/collect.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Bandwidth of the device memory: two transfers per clock over the whole bus, at the highest memory clock
/// that the device reports. The source text names clock and width, and the clock under load where telemetry
/// shows a lower one. `floor` is the share that a healthy device reaches at the lower of these clocks; cold
/// reads of large arrays reach it, small ones do not. Returns nullopt where the family's processes did not
/// record gpu.memory_clock_max_hz and gpu.memory_bus_bits, and for an integrated_gpu().
std::optional<result::Limit> memory_limit(const result::Run& run, const std::string& benchmark,
                                          std::optional<double> floor);

/// True where the GPU uses the host's memory. Decided by gpu.integrated, or in files without that fact by the
/// compute capability (Jetson, DGX Spark). CUDA's memory clock is then not the clock of the host's memory.
bool integrated_gpu(const DeviceFacts& device);

/// True where the run has only part of a GPU: a MIG instance or a virtual GPU. Where the fingerprint does not show
/// which GPU is the run's own, MIG on any of the node counts.
bool part_of_gpu(const result::Run& run, const DeviceFacts& device);

/// Bandwidth of the PCI Express link in one direction, or the sum of both (`directions` 2): transfer rate x
/// lanes x encoding (PCI Express Base Specification). Uses the highest generation and width that telemetry
/// saw, since an idle link sleeps. nullopt without that telemetry for the run's GPU.
std::optional<result::Limit> link_limit(const result::Run& run, int directions);

/// The same from a given generation and width; nullopt where the rate of that generation is not known.
std::optional<result::Limit> link_limit(double generation, double width, int directions);

}  // namespace gpugauge::judge
