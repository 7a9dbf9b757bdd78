// The arrays of STREAM copy and triad, walked slice by slice so that the next slice is never in a cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/thread_team.hpp"

namespace gpugauge::bench {

/// Three arrays of doubles: a = b or a = b + scale * c. Each member of the team owns an equal part of each
/// array. It touches its part first, so that the part lies in its own memory node. It walks its part in
/// slices and starts over at the end.
class Stream {
 public:
  /// copy: a = b, two arrays; triad: a = b + scale * c, three.
  enum class Kind { copy, triad };
  static constexpr std::size_t slice_elements = 32768;  ///< 256 KiB of each array
  /// The factor of triad.
  static constexpr double scale = 3;

  /// Divides `memory` among the arrays that `kind` uses, in whole slices. Fills the sources and poisons the
  /// target. `memory` must outlive the stream, begin at a cache line and hold a slice of each array for each
  /// member (else std::invalid_argument).
  Stream(Kind kind, std::span<std::byte> memory, ThreadTeam& team);

  /// Bytes of all arrays together.
  std::size_t bytes() const { return arrays_ * elements_ * sizeof(double); }
  /// Bytes read and written by one operation (one slice by every member): 16 or 24 per element.
  double bytes_per_operation() const;
  /// Slices of one member's part; the walk starts over after this many operations.
  std::int64_t slices_per_member() const { return slices_; }

  /// Every member walks `operations` slices of its own part.
  void walk(std::int64_t operations);
  /// Finishes the first pass, then returns the largest absolute error of any target element; NaN when any
  /// element was never written.
  double largest_error();
  /// The target of member 0.
  double* target() { return array(0, 0); }

 private:
  double* array(int index, int member) const;
  void slice(int member, std::int64_t number) const;

  Kind kind_;
  ThreadTeam& team_;
  std::size_t arrays_ = 0;
  std::int64_t slices_ = 0;
  std::size_t elements_ = 0;
  double* start_ = nullptr;
  std::int64_t walked_ = 0;
};

}  // namespace gpugauge::bench
