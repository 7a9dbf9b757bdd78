// Cold data: consecutive operations use different buffers. There are enough of them that L2 no longer holds
// the first when its turn comes again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpugauge::bench::cuda {

/// Number of buffer sets of `set_bytes` that together hold at least three times the L2 cache; at least 1.
/// @pre set_bytes >= 1
constexpr std::size_t rotation_sets(std::size_t set_bytes, std::size_t l2_bytes) {
  const std::size_t sets = (3 * l2_bytes + set_bytes - 1) / set_bytes;
  return sets < 1 ? 1 : sets;
}

/// L2 size in bytes from which a rotation of three times L2 is too small for metrics compared with the memory
/// bus. Such an L2 could keep a third of it, and a bandwidth could seem above the bus. Below this size,
/// figures were recorded with three times L2 (H100, H200: up to 60 MiB). None was above the bus, and they
/// stay comparable.
inline constexpr std::size_t large_l2_bytes = std::size_t{64} << 20;
/// Size of the rotation, in multiples of a large L2, for metrics compared with the memory bus. L2 can then
/// keep 6% of it.
inline constexpr std::size_t times_large_l2 = 16;

/// rotation_sets() for metrics compared with the memory bus: from large_l2_bytes on, the sets hold
/// times_large_l2 caches together.
/// @pre set_bytes >= 1
constexpr std::size_t bus_rotation_sets(std::size_t set_bytes, std::size_t l2_bytes) {
  if (l2_bytes < large_l2_bytes) return rotation_sets(set_bytes, l2_bytes);
  return (times_large_l2 * l2_bytes + set_bytes - 1) / set_bytes;
}

/// Bytes of a single array for metrics compared with the memory bus: 1 GiB or times_large_l2 caches,
/// whichever is more, in whole MiB.
constexpr std::size_t bus_array_bytes(std::size_t l2_bytes) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  const std::size_t far_larger = (times_large_l2 * l2_bytes + mebibyte - 1) / mebibyte * mebibyte;
  return far_larger < 1024 * mebibyte ? 1024 * mebibyte : far_larger;
}

/// Sets of buffers used in turn: operation i gets set i modulo size(). Each set is made by Set(arguments...).
template <typename Set>
class Rotation {
 public:
  /// Makes `sets` sets, 1 or more.
  template <typename... Arguments>
  explicit Rotation(std::size_t sets, const Arguments&... arguments) {
    for (std::size_t i = 0; i < sets; ++i) sets_.push_back(std::make_unique<Set>(arguments...));
  }
  /// The set of operation number `operation`, counted from 0.
  Set& operator[](std::int64_t operation) {
    return *sets_[static_cast<std::size_t>(operation) % sets_.size()];
  }
  /// Number of sets.
  std::size_t size() const { return sets_.size(); }
  /// Iterates over std::unique_ptr<Set>, in the order of the operations.
  auto begin() { return sets_.begin(); }
  /// One past the last set.
  auto end() { return sets_.end(); }

 private:
  std::vector<std::unique_ptr<Set>> sets_;
};

}  // namespace gpugauge::bench::cuda
