// How much is copied between two GPUs, so that every pair of a machine is measured within the window. The
// speed of links between GPUs differs by more than a factor of 50. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "copy/sizes.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::copy {

/// What one sample of a directed pair copies.
struct PeerPace {
  std::uint64_t bytes = 0;  ///< bytes of a copy
  int copies = 1;           ///< copies in sequence
};

/// Bytes of a copy on a fast link, and of a probe copy that measures how fast a link is.
inline constexpr std::uint64_t whole_peer_bytes = 256 << 20;
inline constexpr std::uint64_t least_peer_bytes = 16 << 20;
/// Number of samples to plan for, and the fewest that are taken.
inline constexpr int peer_samples = static_cast<int>(fewest_to_judge);
/// Samples beyond this tell nothing more.
inline constexpr int most_peer_samples = 15;

/// Plans the samples of one directed pair. `probe_seconds`: time of one copy of least_peer_bytes.
/// `budget_seconds`: for all samples of the pair. Takes up to 16 copies of whole_peer_bytes. Where one is too
/// long, the blocks shrink, down to a single copy of least_peer_bytes.
inline PeerPace peer_pace(double probe_seconds, double budget_seconds) {
  constexpr double most_copies = 16;
  const double sample_seconds = budget_seconds / peer_samples;
  const auto seconds_of = [&](std::uint64_t bytes) {
    return probe_seconds * static_cast<double>(bytes) / static_cast<double>(least_peer_bytes);
  };
  PeerPace pace{whole_peer_bytes, static_cast<int>(most_copies)};
  while (pace.bytes > least_peer_bytes && seconds_of(pace.bytes) > sample_seconds) pace.bytes /= 2;
  if (const double seconds = seconds_of(pace.bytes); seconds > 0)
    pace.copies = static_cast<int>(std::clamp(sample_seconds / seconds, 1.0, most_copies));
  return pace;
}

/// The samples of copies that all have `bytes` bytes: as many in sequence as a batch of copies between host and
/// device has.
constexpr PeerPace fixed_pace(std::uint64_t bytes) {
  return {bytes, static_cast<int>(most_copies(bytes))};
}

/// Whether a pair that has `samples` after `seconds` needs no more. On a way that is slower than its plan the
/// samples take longer than the budget, because fewer would not be judged, and a slow way is what is looked
/// for.
constexpr bool has_its_samples(int samples, double seconds, double budget_seconds) {
  if (samples >= most_peer_samples) return true;
  return samples >= peer_samples && seconds > budget_seconds;
}

/// Class of the metrics of copies that all have `fixed_bytes` bytes, or of what peer_pace() plans where that is 0. A time
/// of microseconds moves as those of small collectives do, and is no mean with bandwidths.
constexpr const char* class_of_copies(std::uint64_t fixed_bytes) {
  return fixed_bytes > 0 ? "coll_small" : "p2p";
}

/// Why the median of so many samples is not judged; "" where it is. `unheld`: whether the metric is the time of small
/// copies, and the host's enqueueing is part of samples, because nothing held them back until all was enqueued.
inline std::string why_not_judged(std::size_t samples, bool unheld) {
  if (unheld) return "nothing held the copies back until all were enqueued: it holds the host's enqueueing";
  if (samples >= fewest_to_judge) return "";
  return fmt::format("{} samples are fewer than the {} that a median is judged from", samples,
                     fewest_to_judge);
}

/// Two GPUs of which the first sends to the second, or `both_ways` at once.
struct GpuPair {
  int from = 0;
  int to = 0;
  bool both_ways = false;
};

/// Name of one direction: "0_to_1".
inline std::string name_of_way(int from, int to) {
  return fmt::format("{}_to_{}", from, to);
}

/// "0_to_1", or "0_and_1" both ways.
inline std::string name_of(const GpuPair& pair) {
  return pair.both_ways ? fmt::format("{}_and_{}", pair.from, pair.to) : name_of_way(pair.from, pair.to);
}

/// All pairs, in the order of measurement. `both_ways`: each once, the lower number first; else each in both orders.
inline std::vector<GpuPair> all_pairs(int devices, bool both_ways) {
  std::vector<GpuPair> pairs;
  pairs.reserve(static_cast<std::size_t>(devices) * static_cast<std::size_t>(devices));
  for (int from = 0; from < devices; ++from)
    for (int to = both_ways ? from + 1 : 0; to < devices; ++to)
      if (from != to) pairs.push_back({from, to, both_ways});
  return pairs;
}

/// Rate or time of copies of `bytes` bytes: bytes per second both ways together, of which one copy each way took
/// `seconds` (above 0).
constexpr double peer_bandwidth(std::uint64_t bytes, bool both_ways, double seconds) {
  return (both_ways ? 2.0 : 1.0) * static_cast<double>(bytes) / seconds;
}

/// Lists the pairs that are not measured yet when pair number `next` begins, each by name.
inline std::string pairs_left(const std::vector<GpuPair>& pairs, std::size_t next) {
  std::string names;
  for (std::size_t i = next; i < pairs.size(); ++i) names += fmt::format(" {}", name_of(pairs[i]));
  return fmt::format("{} of {} pairs:{}", pairs.size() - next, pairs.size(), names);
}

}  // namespace gpugauge::bench::copy
