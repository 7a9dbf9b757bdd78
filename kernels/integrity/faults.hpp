// What memory must hold, and a record of the words that differ. Plain C++ on the host.
#pragma once

#include <cstdint>

#include "kernels/support/host_device.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::integrity {

/// The value that word `index` of a buffer must hold. `inverse` flips every bit, so that each cell holds a 0
/// and a 1 over both passes.
GPUGAUGE_HOST_DEVICE inline std::uint64_t pattern(std::uint64_t index, bool inverse) {
  const std::uint64_t word = mix64(index + 1);
  return inverse ? ~word : word;
}

/// SM numbers that a fault record can hold.
inline constexpr int most_sms = 512;

/// Record of words that were wrong. Call reset_faults before a check.
struct Faults {
  /// Words checked, each pass counted. Fewer than expected show that a check did not run.
  unsigned long long compared = 0;
  /// Number of wrong words.
  unsigned long long count = 0;
  unsigned long long first = ~0ULL;      ///< smallest index of a wrong word
  unsigned long long last = 0;           ///< largest
  unsigned long long bits = 0;           ///< all bits that were wrong in any word
  unsigned int sms[most_sms / 32] = {};  ///< bit s: SM number s read a wrong word
};

}  // namespace gpugauge::kernels::integrity
