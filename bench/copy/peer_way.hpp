// Copies between two GPUs: how they are made, timed and compared. The walk over all pairs is in peer_pairs.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "copy/peer_pace.hpp"
#include "kernels/support/comparison.hpp"

namespace gpugauge::bench::copy {

/// One kind of copy between two GPUs.
struct PeerCopy {
  enum class By {
    engine,       ///< cudaMemcpyPeerAsync, by a copy engine of the sending GPU
    kernel,       ///< a kernel on the SMs of the sending GPU writes to the other's memory: needs peer access
    two_engines,  ///< both GPUs send at once by cudaMemcpyPeerAsync, and a copy ends with the slower direction
  };
  By by = By::engine;
  /// Bytes of every copy, whose time is then the metric; 0: as peer_pace() plans, and bandwidth is the metric.
  std::uint64_t bytes = 0;

  bool both_ways() const { return by == By::two_engines; }
  /// Bytes of the largest copy.
  std::uint64_t most_bytes() const { return bytes > 0 ? bytes : whole_peer_bytes; }
};

/// What was measured between two GPUs.
struct Way {
  PeerPace pace;
  std::vector<double> seconds;  ///< of one copy, both ways where both send, per sample
  bool held = true;             ///< every sample, until all its copies were enqueued
  std::size_t timed_out = 0;    ///< the sample (1 = first) whose blocker gave up before all was enqueued
  kernels::Comparison as_timed;
  kernels::Comparison once_more;  ///< after one more copy into a poisoned target
};

/// Measures `kind` between the GPUs of `pair` for about `budget_seconds`; leaves GPU 0 current. The data of each
/// direction come from `seed` and the two numbers. Throws cuda::CudaError, or OutOfGpuMemory.
Way measure_way(const PeerCopy& kind, const GpuPair& pair, std::uint64_t seed, double budget_seconds);

}  // namespace gpugauge::bench::copy
