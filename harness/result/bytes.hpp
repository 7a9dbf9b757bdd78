// Eight bytes at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace gpugauge::result {

/// Of eight bytes as they lie in memory: how many stand before the first that is not 0; 8 when all are.
inline std::ptrdiff_t bytes_before(std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::little)
    return std::countr_zero(word) / 8;
  else
    return std::countl_zero(word) / 8;
}

}  // namespace gpugauge::result
