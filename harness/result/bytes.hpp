// Looks at several bytes of a text at once: how many of the next ones are digits, spaces, or plain letters of
// a string.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gpugauge::result {

#ifdef __SSE2__

/// The number of bytes looked at; at least this many must follow `at`.
inline constexpr std::ptrdiff_t bytes_at_once = 16;

/// Number of bytes before the first one whose byte in `is_one` is 0.
inline std::ptrdiff_t bytes_before(__m128i is_one) {
  const auto others = ~static_cast<unsigned>(_mm_movemask_epi8(is_one)) & 0xFFFFU;
  return others == 0 ? bytes_at_once : std::countr_zero(others);
}
/// Reads 16 bytes; they need no alignment.
inline __m128i sixteen(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));  // unaligned by design
}

/// Number of digits at the beginning of the next bytes_at_once bytes.
inline std::ptrdiff_t digits_ahead(const char* at) {
  const __m128i off = _mm_sub_epi8(sixteen(at), _mm_set1_epi8('0'));  // 0 to 9 as bytes without a sign
  return bytes_before(_mm_cmpeq_epi8(_mm_min_epu8(off, _mm_set1_epi8(9)), off));
}
/// Number of spaces (0x20 only) at the beginning of the next bytes_at_once bytes.
inline std::ptrdiff_t spaces_ahead(const char* at) {
  return bytes_before(_mm_cmpeq_epi8(sixteen(at), _mm_set1_epi8(' ')));
}
/// Number of leading bytes that are ASCII and neither a control character, '"' nor '\\'.
inline std::ptrdiff_t plain_ahead(const char* at) {
  const __m128i bytes = sixteen(at);
  const __m128i printed = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(0x1F));  // with a sign: not ASCII is below 0
  const __m128i special =
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
  return bytes_before(_mm_andnot_si128(special, printed));
}

#else

inline constexpr std::ptrdiff_t bytes_at_once = 8;               ///< as above
inline constexpr std::uint64_t each_byte = 0x0101010101010101U;  ///< a 1 in each byte
inline constexpr std::uint64_t high_bits = 0x8080808080808080U;  ///< the highest bit of each byte

/// Reads 8 bytes in the machine's order; they need no alignment.
inline std::uint64_t eight(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}
/// Number of bytes, in memory order, before the first that is not 0.
inline std::ptrdiff_t bytes_before(std::uint64_t marked) {
  return std::endian::native == std::endian::little ? std::countr_zero(marked) / 8
                                                    : std::countl_zero(marked) / 8;
}

/// A byte is a digit when it differs from '0' by 9 at most; no sum of two bytes below 0x80 carries over.
inline std::ptrdiff_t digits_ahead(const char* at) {
  const std::uint64_t off = eight(at) ^ (each_byte * '0');
  return bytes_before((((off & ~high_bits) + each_byte * 0x76) | off) & high_bits);
}
/// See above.
inline std::ptrdiff_t spaces_ahead(const char* at) {
  return bytes_before(eight(at) ^ (each_byte * ' '));
}
/// After Anderson, "Bit Twiddling Hacks": finds bytes less than n. A borrow can mark wrong bytes, but only
/// after a true one. In the other byte order they would come before it, so the function returns 0 there.
inline std::ptrdiff_t plain_ahead(const char* at) {
  const auto any_below = [](std::uint64_t word, std::uint64_t limit) {
    return (word - each_byte * limit) & ~word & high_bits;
  };
  const std::uint64_t bytes = eight(at);
  const std::uint64_t special = (bytes & high_bits) | any_below(bytes, 0x20) |
                                any_below(bytes ^ (each_byte * '"'), 1) |
                                any_below(bytes ^ (each_byte * '\\'), 1);
  if (special == 0) return bytes_at_once;
  return std::endian::native == std::endian::little ? bytes_before(special) : 0;
}

#endif

}  // namespace gpugauge::result
