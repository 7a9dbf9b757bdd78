// Cold data: consecutive operations use different buffers, so many that L2 has forgotten the first when it
// comes again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpugauge::bench::cuda {

/// Buffer sets of `set_bytes` bytes that hold at least three times the L2 cache together; 1 when one set
/// does.
/// @pre set_bytes >= 1
constexpr std::size_t rotation_sets(std::size_t set_bytes, std::size_t l2_bytes) {
  const std::size_t sets = (3 * l2_bytes + set_bytes - 1) / set_bytes;
  return sets < 1 ? 1 : sets;
}

/// L2 cache in bytes from which on three times it is too little for what is held against the memory's bus: it
/// could keep a third of that, and a bandwidth seem above the bus. Below, figures were recorded with three
/// times L2 (H100, H200: up to 60 MiB), none of them above the bus; they stay comparable.
inline constexpr std::size_t large_l2_bytes = std::size_t{64} << 20;
/// Times a large L2 that what is held against the memory's bus goes through, so that L2 can keep 6% of it.
inline constexpr std::size_t times_large_l2 = 16;

/// rotation_sets() for what is held against the memory's bus: from large_l2_bytes on times_large_l2 together.
/// @pre set_bytes >= 1
constexpr std::size_t bus_rotation_sets(std::size_t set_bytes, std::size_t l2_bytes) {
  if (l2_bytes < large_l2_bytes) return rotation_sets(set_bytes, l2_bytes);
  return (times_large_l2 * l2_bytes + set_bytes - 1) / set_bytes;
}

/// Bytes of an array that is held against the memory's bus by itself: 1 GiB or times_large_l2 caches,
/// whichever is more, in whole MiB.
constexpr std::size_t bus_array_bytes(std::size_t l2_bytes) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  const std::size_t far_larger = (times_large_l2 * l2_bytes + mebibyte - 1) / mebibyte * mebibyte;
  return far_larger < 1024 * mebibyte ? 1024 * mebibyte : far_larger;
}

/// Sets of buffers that take turns: operation i gets set i modulo their number. Set is made by
/// Set(arguments...).
template <typename Set>
class Rotation {
 public:
  /// Makes `sets` sets, 1 or more.
  template <typename... Arguments>
  explicit Rotation(std::size_t sets, const Arguments&... arguments) {
    for (std::size_t i = 0; i < sets; ++i) sets_.push_back(std::make_unique<Set>(arguments...));
  }
  /// The set of operation number `operation`, from 0 on.
  Set& operator[](std::int64_t operation) {
    return *sets_[static_cast<std::size_t>(operation) % sets_.size()];
  }
  /// Their number.
  std::size_t size() const { return sets_.size(); }
  /// Over std::unique_ptr<Set>, in the order of the operations.
  auto begin() { return sets_.begin(); }
  /// Behind the last one.
  auto end() { return sets_.end(); }

 private:
  std::vector<std::unique_ptr<Set>> sets_;
};

}  // namespace gpugauge::bench::cuda
