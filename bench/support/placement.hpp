// Host memory and threads near the GPU: on a machine of several NUMA nodes the kernel may start a process on
// any of them, and copies and launches then differ from process to process on a healthy machine. All from
// the kernel's own files; memory follows by first touch, so that no policy of memory is set.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::bench {

/// Processors of a list as the kernel writes it, "0-3,8", ascending; empty for a text that is none.
std::vector<int> parse_cpu_list(const std::string& text);

/// The NUMA node of a PCI device ("0000:c1:00.0"); nullopt where the kernel knows none (-1) or no such
/// device. `root` is the prefix of /sys, here and below.
std::optional<int> node_of_device(const std::string& address, const std::filesystem::path& root = "/");

/// The NUMA node of a processor; nullopt where the kernel shows no nodes.
std::optional<int> node_of_cpu(int cpu, const std::filesystem::path& root = "/");

/// Where a process should run, and why.
struct Placement {
  std::optional<int> gpu_node;  ///< of the GPU, where it is known
  /// What the process is to be narrowed to: those of the allowed processors that are of the GPU's node;
  /// empty where it is left as it is.
  std::vector<int> cpus;
  std::string said;  ///< what is done, or why nothing is: the note `placement`
};

/// The placement of a process that may run on `allowed` and uses the GPU of this PCI address. Never a
/// processor beyond `allowed`; nothing where the node is not known, where all of them are of it, or where
/// fewer than two would be left.
Placement placement_near(const std::string& address, const std::vector<int>& allowed,
                         const std::filesystem::path& root = "/");

/// Says that this process is to run near its GPU. For a static initialiser of a family; returns true.
bool prefer_gpu_node();

/// Narrows the calling thread, and with it every thread and process that it starts from now on, to the
/// placement near the GPU, once, where prefer_gpu_node() was called. Call it before the context is
/// made, whose threads and memory then are near. Where the kernel refuses, the process stays where it is and
/// says so.
void place_near(const std::string& address, const std::filesystem::path& root = "/");

/// What every benchmark of such a process notes: `numa_node` (of the processor that asks), `gpu_numa_node`
/// and `placement`; nothing where nobody asked for it.
result::Facts placement_notes(const std::filesystem::path& root = "/");

}  // namespace gpugauge::bench
