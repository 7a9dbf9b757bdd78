// The work of CUB's algorithms whose output depends on the data. Pure, and without CUB.
#pragma once

#include "result/samples.hpp"

namespace gpugauge::bench::cub_library {

/// A compaction of `count` 32-bit elements of which `kept` are kept: each is read, and each kept one written.
constexpr result::Work compaction_work(double count, double kept) {
  return {.bytes = 4 * (count + kept), .items = count};
}

/// A run-length encoding of `count` 32-bit elements in `runs` runs: each element is read, and of each run its
/// value and its length, 32 bits too, are written.
constexpr result::Work run_length_work(double count, double runs) {
  return {.bytes = 4 * (count + 2 * runs), .items = count};
}

}  // namespace gpugauge::bench::cub_library
