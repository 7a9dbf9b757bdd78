// Locates wrong results: tiles, SMs and addresses, as sentences. Plain C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/integrity/faults.hpp"

namespace gpugauge::bench::integrity {

/// Tiles whose checksum differs from the reference, over all repeats.
class TileFaults {
 public:
  /// `across`: tiles side by side in the result; `edge`: rows and columns of a tile.
  TileFaults(int across, int edge) : across_(across), edge_(edge) {}
  /// For results that have a number but no position; `noun` names them: "transform".
  static TileFaults numbered(std::string noun) {
    TileFaults made(0, 0);
    made.noun_ = std::move(noun);
    return made;
  }

  /// Adds one repeat: the checksums, and the SM that made each tile. All vectors have one entry per tile.
  void add(const std::vector<std::uint64_t>& reference, const std::vector<std::uint64_t>& sums,
           const std::vector<std::uint32_t>& sms);
  std::size_t count() const { return count_; }
  const std::map<std::uint32_t, std::size_t>& by_sm() const { return by_sm_; }
  /// Returns for example "5 tiles differ; made by SM 17 (4), SM 23 (1); rows 0-63, columns 64-127 first", or
  /// "" without a fault. Names at most `most` SMs, those with the most wrong tiles first.
  std::string sentence(std::size_t most = 8) const;

 private:
  int across_;  ///< 0: numbered
  int edge_;
  std::string noun_ = "tile";
  std::size_t count_ = 0;
  std::map<std::uint32_t, std::size_t> by_sm_;
  std::map<std::size_t, int> by_tile_;
};

/// Returns for example "3 words differ, bytes 0x7f00-0x7f27 of the buffer, bits 0x10, read by SM 3, 5", or ""
/// without a fault.
std::string sentence_of(const kernels::integrity::Faults& faults);

}  // namespace gpugauge::bench::integrity
