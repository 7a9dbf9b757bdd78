// A chain of dependent loads through one random cycle over all cache lines of a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gpugauge::bench {

/// The order of the lines: one cycle over 0 .. lines-1. No prefetcher can predict the next line, and no line
/// repeats before all have been visited. A full-period linear congruential sequence (Hull and Dobell) gives
/// the cycle in closed form. Folding the high bits onto the low ones hides the short periods of its low bits.
/// The closed form can be computed in any order, so the buffer is written front to back. It takes few steps
/// for any distance, so the end of a chase can be checked.
class Cycle {
 public:
  /// `lines` is a power of two and at least 4; throws std::invalid_argument otherwise.
  Cycle(std::uint64_t lines, std::uint64_t seed);
  /// The line after `line`.
  std::uint64_t next(std::uint64_t line) const;
  /// The line reached `steps` after `line`.
  std::uint64_t after(std::uint64_t line, std::uint64_t steps) const;
  /// Number of lines: a power of two, 4 or more.
  std::uint64_t lines() const { return mask_ + 1; }

 private:
  std::uint64_t fold(std::uint64_t value) const { return value ^ (value >> shift_); }

  std::uint64_t mask_ = 0;
  unsigned shift_ = 0;
  std::uint64_t factor_ = 0;
  std::uint64_t term_ = 0;
};

/// The largest power of two <= `value`. `value` must be at least 1.
std::uint64_t power_of_two_below(std::uint64_t value);

/// A buffer whose lines hold the address of the next line.
class Chase {
 public:
  /// Bytes from one link of the chain to the next.
  static constexpr std::size_t line_bytes = 64;

  /// Uses the largest power of two of bytes that fits in `memory`. `memory` must outlive the chase, be
  /// aligned to a cache line and hold at least 4 lines (else std::invalid_argument). Writes with non-temporal
  /// stores where the processor has them.
  Chase(std::span<std::byte> memory, std::uint64_t seed);
  /// Bytes of memory that the chain visits.
  std::size_t bytes() const { return cycle_.lines() * line_bytes; }

  /// Follows the chain for `steps` loads from where the last call ended.
  void follow(std::int64_t steps);
  /// True when the chain is at the line where the cycle puts it after all steps so far.
  bool stands_right() const;

 private:
  Cycle cycle_;
  std::byte* start_ = nullptr;
  void* const* at_ = nullptr;
  std::uint64_t steps_ = 0;
};

}  // namespace gpugauge::bench
