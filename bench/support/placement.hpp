// Host memory and threads near the GPU. On a machine of several NUMA nodes the kernel may start a process on
// any node. Copies and launches then differ between processes on a healthy machine. All facts come from the
// kernel's own files. Memory follows by first touch, so no memory policy is set.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::bench {

/// The NUMA node of a PCI device ("0000:c1:00.0"). nullopt where the kernel reports none (-1) or there is no
/// such device. `root` is the prefix of /sys, here and below.
std::optional<int> node_of_device(const std::string& address, const std::filesystem::path& root = "/");

/// The NUMA node of a processor; nullopt where the kernel reports no nodes.
std::optional<int> node_of_cpu(int cpu, const std::filesystem::path& root = "/");

/// Where a process should run, and why.
struct Placement {
  std::optional<int> gpu_node;  ///< node of the GPU, where known
  /// Processors to restrict the process to: the allowed ones on the GPU's node. Empty where the affinity
  /// stays unchanged.
  std::vector<int> cpus;
  std::string said;  ///< what is done, or why nothing: the note `placement`
};

/// The placement of a process that may run on `allowed` and uses the GPU at this PCI address. It never adds
/// processors. It changes nothing where the node is unknown, where all allowed processors are on it, or where
/// fewer than two would be left.
Placement placement_near(const std::string& address, const std::vector<int>& allowed,
                         const std::filesystem::path& root = "/");

/// Declares that this process should run near its GPU. For a static initialiser of a family; returns true.
bool prefer_gpu_node();

/// Restricts the calling thread, and every thread and process it starts from now on, to the placement near
/// the GPU. Acts once, and only where prefer_gpu_node() was called. Call it before the context is made, so
/// that the context's threads and memory are near too. Where the kernel refuses, the affinity stays unchanged
/// and the note says so.
void place_near(const std::string& address, const std::filesystem::path& root = "/");

/// Notes that each benchmark of such a process records: `numa_node` (of the calling processor),
/// `gpu_numa_node` and `placement`. Empty where prefer_gpu_node() was not called.
result::Facts placement_notes(const std::filesystem::path& root = "/");

}  // namespace gpugauge::bench
