// How the buffers of a collective are divided, and which of them a rank receives. Pure.
#pragma once

#include <cstdint>

namespace gpugauge::bench::nccl {

/// How the buffers of one call are divided. `total`: elements of the whole size. `part`: total / ranks where
/// the collective divides them, otherwise total.
struct Layout {
  std::uint64_t total = 0;
  std::uint64_t part = 0;
};

/// What each rank receives.
enum class Receives {
  total,          ///< every rank `total` elements
  part,           ///< every rank `part` elements
  total_at_root,  ///< rank `root` `total` elements; NCCL says nothing about the output of the others
};

/// The rank that sends to all others, or receives from them, where one does.
inline constexpr int root = 0;

/// Elements that `rank` receives, and that are compared with what they must be: 0 for none.
constexpr std::uint64_t received(Receives receives, const Layout& layout, int rank) {
  if (receives == Receives::part) return layout.part;
  return receives == Receives::total || rank == root ? layout.total : 0;
}

}  // namespace gpugauge::bench::nccl
