#include "support/chase.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpugauge::bench {

namespace {

// Writes one pointer without leaving its line in the caches. A chase through memory must not start with a
// quarter of its lines in the last-level cache.
void store(void** place, void* value) {
#if defined(__x86_64__)
  _mm_stream_si64(reinterpret_cast<long long*>(place), reinterpret_cast<long long>(value));
#else
  *place = value;
#endif
}

void finish_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace

std::uint64_t power_of_two_below(std::uint64_t value) {
  return std::bit_floor(std::max<std::uint64_t>(value, 1));
}

Cycle::Cycle(std::uint64_t lines, std::uint64_t seed) {
  if (lines < 4 || !std::has_single_bit(lines))
    throw std::invalid_argument("a cycle has a power of two of lines, at least 4");
  mask_ = lines - 1;
  // At least half the bits, so that folding twice restores the value.
  shift_ = static_cast<unsigned>(std::bit_width(mask_) + 1) / 2;
  // Hull and Dobell: modulo a power of two the period is full when the factor is 1 modulo 4 and the term is
  // odd.
  factor_ = (0x5851f42d4c957f2d ^ (seed << 2)) & mask_;
  factor_ = (factor_ & ~std::uint64_t{3}) | 1;
  term_ = ((0x14057b7ef767814f + 2 * seed) | 1) & mask_;
}

std::uint64_t Cycle::next(std::uint64_t line) const {
  return after(line, 1);
}

std::uint64_t Cycle::after(std::uint64_t line, std::uint64_t steps) const {
  // Composes x -> factor x + term with itself by squaring; all arithmetic is modulo the power of two.
  std::uint64_t factor = factor_, term = term_;
  std::uint64_t total_factor = 1, total_term = 0;
  for (; steps > 0; steps >>= 1) {
    if (steps & 1) {
      total_factor = factor * total_factor;
      total_term = factor * total_term + term;
    }
    term = (factor + 1) * term;
    factor = factor * factor;
  }
  return fold((total_factor * fold(line) + total_term) & mask_);
}

Chase::Chase(std::span<std::byte> memory, std::uint64_t seed)
    : cycle_(power_of_two_below(memory.size() / line_bytes), seed), start_(memory.data()) {
  for (std::uint64_t line = 0; line < cycle_.lines(); ++line)
    store(reinterpret_cast<void**>(start_ + line * line_bytes), start_ + cycle_.next(line) * line_bytes);
  finish_stores();
  at_ = reinterpret_cast<void* const*>(start_);
}

void Chase::follow(std::int64_t steps) {
  void* const* at = at_;
  for (std::int64_t left = steps; left > 0; --left) at = static_cast<void* const*>(*at);
  at_ = at;
  steps_ += static_cast<std::uint64_t>(steps);
}

bool Chase::stands_right() const {
  const std::uint64_t line = cycle_.after(0, steps_);
  return reinterpret_cast<const std::byte*>(at_) == start_ + line * line_bytes;
}

}  // namespace gpugauge::bench
