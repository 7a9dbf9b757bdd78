// The large buffer of the memory benchmarks. It exceeds the caches, and is made once per process and
// shared. A first touch of 1 GiB can take a second, or several in a virtual machine whose host must find the
// memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace gpugauge::bench {

/// Bytes to walk through so that caches cannot hold them: the least of `wanted`, a quarter of the available
/// memory, and 2 GiB.
std::size_t cold_bytes(std::size_t wanted, std::size_t available);

/// Returns a buffer of four times the last-level caches of these processors, bounded by cold_bytes. It holds
/// what the last user left and is valid until the next call. On a machine with several memory nodes, a call
/// for other processors gets fresh pages, so that first touch decides their node. Throws OutOfMemory.
std::span<std::byte> cold_memory(const std::vector<int>& cpus);

/// Number of memory nodes, at least 1.
int memory_nodes(const std::filesystem::path& root = "/");

}  // namespace gpugauge::bench
