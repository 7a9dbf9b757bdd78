// The large buffer of the memory benchmarks: larger than the caches, made once in a process and shared,
// because a first touch of a gibibyte can take a second (in a virtual machine whose host has to find the
// memory, several).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace gpugauge::bench {

/// Bytes to walk through so that caches cannot hold them: `wanted`, or a quarter of the available memory, or
/// 2 GiB, whichever is least.
std::size_t cold_bytes(std::size_t wanted, std::size_t available);

/// Four times the last-level caches that these processors reach, bounded by cold_bytes. The content is what
/// the last user left. Valid until the next call. On a machine with several memory nodes a call for other
/// processors gets fresh pages, so that who touches them first decides where they lie. Throws OutOfMemory.
std::span<std::byte> cold_memory(const std::vector<int>& cpus);

/// Number of memory nodes, at least 1.
int memory_nodes(const std::filesystem::path& root = "/");

}  // namespace gpugauge::bench
