// From a collective's time to its bandwidths. algbw = bytes / seconds is what a program sees. busbw = algbw
// times a factor that gives the traffic on the busiest link. It can be compared with hardware for any number
// of ranks (nccl-tests, PERFORMANCE.md, derives the factors). `ranks` >= 1; with one rank nothing crosses a
// link and there is no busbw.
#pragma once

#include <cstdint>

namespace gpugauge::bench::nccl {

/// All-reduce: every rank sends and receives its share twice, 2 (n-1)/n.
constexpr double factor_all_reduce(int ranks) {
  return 2.0 * (ranks - 1) / ranks;
}
/// All-gather, reduce-scatter and all-to-all over all ranks' data: (n-1)/n of the data crosses each link.
constexpr double factor_all_gather(int ranks) {
  return static_cast<double>(ranks - 1) / ranks;
}
/// Broadcast, reduce and send/receive: everything crosses once.
constexpr double factor_one(int) {
  return 1.0;
}

/// Largest size bound by latency, in bytes. Up to it the metric is the time.
inline constexpr std::uint64_t largest_small_bytes = 64 << 10;

/// fp32 elements of a collective over `bytes` bytes in all. They divide evenly among `parts` ranks. Each part
/// is a multiple of 16 bytes where it is that large, because NCCL copies unaligned parts by narrower accesses
/// (nccl-tests rounds the same way).
constexpr std::uint64_t elements_of(std::uint64_t bytes, int parts) {
  constexpr std::uint64_t aligned = 4;
  std::uint64_t part = bytes / 4 / static_cast<std::uint64_t>(parts);
  if (part >= aligned) part -= part % aligned;
  return part * static_cast<std::uint64_t>(parts);
}

}  // namespace gpugauge::bench::nccl
