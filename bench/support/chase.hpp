// A chain of dependent loads through one random cycle over all cache lines of a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpugauge::bench {

/// The order of the lines: one cycle over 0 .. lines-1, so that no prefetcher foresees the next line and no
/// line comes twice before all have come. A full-period linear congruential sequence (Hull and Dobell) gives
/// the one cycle in closed form; folding the high bits onto the low ones hides its short-lived low bits.
/// Computable in any order, so that the buffer is written from front to back, and in few steps for any
/// distance, so that the end of a chase can be checked.
class Cycle {
 public:
  /// `lines` is a power of two and at least 4; throws std::invalid_argument otherwise.
  Cycle(std::uint64_t lines, std::uint64_t seed);
  /// The line after `line`.
  std::uint64_t next(std::uint64_t line) const;
  /// The line `steps` after `line`.
  std::uint64_t after(std::uint64_t line, std::uint64_t steps) const;
  /// How many there are: a power of two, 4 or more.
  std::uint64_t lines() const { return mask_ + 1; }

 private:
  std::uint64_t fold(std::uint64_t value) const { return value ^ (value >> shift_); }

  std::uint64_t mask_ = 0;
  unsigned shift_ = 0;
  std::uint64_t factor_ = 0;
  std::uint64_t term_ = 0;
};

/// The largest power of two that is not above `value`, which is at least 1.
std::uint64_t power_of_two_below(std::uint64_t value);

/// A buffer whose lines hold the address of the next line.
class Chase {
 public:
  /// Bytes from one link of the chain to the next.
  static constexpr std::size_t line_bytes = 64;

  /// Uses as much of `memory` as is a power of two; `memory` must outlive the chase, begin at a line and hold
  /// 4 lines at least (else std::invalid_argument). Written past the caches where the processor can.
  Chase(std::span<std::byte> memory, std::uint64_t seed);
  /// Bytes of the memory that the chain goes through.
  std::size_t bytes() const { return cycle_.lines() * line_bytes; }

  /// Follows the chain for `steps` loads from where the last call ended.
  void follow(std::int64_t steps);
  /// True when the chain stands where the cycle says it must after all steps so far.
  bool stands_right() const;

 private:
  Cycle cycle_;
  std::byte* start_ = nullptr;
  void* const* at_ = nullptr;
  std::uint64_t steps_ = 0;
};

}  // namespace gpugauge::bench
