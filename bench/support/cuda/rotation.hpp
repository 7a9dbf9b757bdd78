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
