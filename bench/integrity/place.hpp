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

/// Tiles whose checksum differs from that of the first run, over all repeats. Where most runs agree on
/// another checksum, the first run was the wrong one.
class TileFaults {
 public:
  /// How many wrong tiles each SM made, by its number.
  using BySm = std::map<std::uint32_t, std::size_t>;

  /// `across`: tiles side by side in the result; `edge`: rows and columns of a tile.
  TileFaults(int across, int edge) : across_(across), edge_(edge) {}
  /// For results that have a number but no position; `noun` names them: "transform".
  static TileFaults numbered(std::string noun) {
    TileFaults made(0, 0);
    made.noun_ = std::move(noun);
    return made;
  }

  /// The first run: the checksum of each tile, and the SM that made it. Forgets what was added.
  void begin(std::vector<std::uint64_t> sums, std::vector<std::uint32_t> sms);
  /// Adds one repeat, with as many of both. Throws std::logic_error for other numbers of tiles.
  void add(const std::vector<std::uint64_t>& sums, const std::vector<std::uint32_t>& sms);
  /// Wrong tiles, over all runs. Of a tile whose first run was wrong, repeats that equal it do not count.
  std::size_t count() const;
  /// Returns for example "5 tiles differ; made by SM 17 (4), SM 23 (1); the first at rows 0-63, columns
  /// 64-127", or "" without a fault. Tiles that were wrong in the first run stand before it, in a sentence
  /// that says so. Names at most `most` SMs, those with the most wrong tiles first.
  std::string sentence(std::size_t most = 8) const;

 private:
  /// The repeats of one tile that differ from the first run.
  struct Differing {
    std::map<std::uint64_t, BySm> by_sum;  ///< at most most_sums
    BySm others;                           ///< of further sums
  };
  struct Wrong {
    BySm by_sm;
    std::size_t first_tile = 0;

    void add(std::size_t tile, std::uint32_t sm, std::size_t times);
    std::size_t count() const;
  };
  struct Found {
    Wrong first_run;
    Wrong repeats;
  };
  static constexpr std::size_t most_sums = 4;

  Found found() const;
  /// `of` and `from` stand before and after "differ".
  std::string sentence(const Wrong& wrong, std::size_t most, const char* of, const char* from) const;

  int across_;  ///< 0: numbered
  int edge_;
  std::string noun_ = "tile";
  std::vector<std::uint64_t> first_sums_;
  std::vector<std::uint32_t> first_sms_;
  std::size_t runs_ = 0;  ///< the first one among them
  std::map<std::size_t, Differing> differing_;
};

/// Returns for example "3 words differ, bytes 0x7f00-0x7f27 of the buffer, bits 0x10, read by SM 3, 5", or ""
/// without a fault.
std::string sentence_of(const kernels::integrity::Faults& faults);

}  // namespace gpugauge::bench::integrity
