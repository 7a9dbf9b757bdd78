// Which block takes which tile, and when a stage of the ring may be filled and read.
#include "kernels/gemm/scheduler.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/support/ring.hpp"

namespace {

using namespace gpugauge::kernels::gemm;
using gpugauge::kernels::RingPosition;

TEST(Schedule, covers_a_product_in_units_of_a_cluster) {
  const Schedule exact = schedule_of(4096, 4096, 128, 256, 2, 8);
  EXPECT_EQ(exact.rows, 16);
  EXPECT_EQ(exact.columns, 16);
  const Schedule over = schedule_of(4097, 1, 128, 256, 2, 8);  // 33 rows of tiles
  EXPECT_EQ(over.rows, 17);
  EXPECT_EQ(over.columns, 1);
  EXPECT_EQ(schedule_of(1, 8, 128, 256, 2, 8).units(), 1);
  EXPECT_EQ(schedule_of(1 << 30, 8, 128, 256, 1, 8).rows, 1 << 23);
}

// What the kernel's blocks do: block b of a grid of `clusters` clusters walks the units from b / cluster on.
template <Order order>
void expect_every_tile_once() {
  for (const int cluster : {1, 2})
    for (const int clusters : {1, 2, 5, 66, 132})
      for (const auto& [m, n] : {std::pair(1, 8), std::pair(128, 256), std::pair(1000, 3000),
                                 std::pair(4096, 4096), std::pair(1700, 520)}) {
        const Schedule schedule = schedule_of(m, n, 128, 256, cluster, 8);
        const int tile_rows = (m + 127) / 128;
        std::multiset<std::pair<int, int>> seen;
        int outside = 0;
        for (int block = 0; block < clusters * cluster; ++block)
          for (int unit = block / cluster; unit < schedule.units(); unit += clusters) {
            const Tile tile = schedule.unit<order>(unit);
            const int row = tile.row * cluster + block % cluster;
            if (row < tile_rows)
              seen.emplace(row, tile.column);
            else
              ++outside;
          }
        const auto tiles = static_cast<std::size_t>(tile_rows) * static_cast<std::size_t>((n + 255) / 256);
        EXPECT_EQ(seen.size(), tiles);
        EXPECT_EQ((std::set<std::pair<int, int>>(seen.begin(), seen.end()).size()), tiles);
        EXPECT_EQ(outside, tile_rows % cluster * schedule.columns);
      }
}

TEST(Schedule, gives_every_tile_to_one_block_by_rows) {
  expect_every_tile_once<Order::row_major>();
}
TEST(Schedule, gives_every_tile_to_one_block_by_bands) {
  expect_every_tile_once<Order::grouped>();
}

/// Rows of A and columns of B that `blocks` blocks, which all take their next tile together, read of tiles of
/// 128x256: the mean over all turns.
template <Order order>
int read_at_a_time(int edge, int blocks, int cluster) {
  const Schedule schedule = schedule_of(edge, edge, 128, 256, cluster, band_rows / cluster);
  const int units = blocks / cluster;
  std::size_t read = 0;
  int turns = 0;
  for (int first = 0; first < schedule.units(); first += units, ++turns) {
    std::set<int> rows;
    std::set<int> columns;
    for (int unit = first; unit < std::min(first + units, schedule.units()); ++unit) {
      const Tile tile = schedule.unit<order>(unit);
      rows.insert(tile.row);
      columns.insert(tile.column);
    }
    read += rows.size() * 128 * static_cast<std::size_t>(cluster) + columns.size() * 256;
  }
  return static_cast<int>(read) / turns;
}

// The figures of docs/matrix-products.md, for an H100 of 132 SMs.
TEST(Schedule, in_bands_fewer_rows_and_columns_are_read_at_a_time) {
  EXPECT_EQ(read_at_a_time<Order::row_major>(4096, 132, 1), 5216);
  EXPECT_EQ(read_at_a_time<Order::grouped>(4096, 132, 1), 4544);
  EXPECT_EQ(read_at_a_time<Order::row_major>(8192, 132, 1), 8816);
  EXPECT_EQ(read_at_a_time<Order::grouped>(8192, 132, 1), 4672);
  EXPECT_EQ(read_at_a_time<Order::grouped>(8192, 132, 2), 4672)
      << "a cluster takes half as many units of two";
}

TEST(RingPosition, names_the_phases_of_each_slot_by_turns) {
  RingPosition at;
  std::vector<std::vector<std::uint32_t>> seen;
  for (int fill = 0; fill < 7; ++fill) {
    seen.push_back({at.slot, at.full_parity(), at.empty_parity()});
    at.advance(3);
  }
  const std::vector<std::vector<std::uint32_t>> expected{{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {0, 1, 0},
                                                         {1, 1, 0}, {2, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(seen, expected);
}

// Producers and consumers of a cluster as state machines that move in random order, with barriers as the PTX
// ISA describes them: a phase ends when nothing is pending, and a wait for a parity passes when the current
// phase has the other one.
class RingModel {
 public:
  RingModel(int blocks, int consumers, std::uint32_t stages, int fills, unsigned seed)
      : blocks_(blocks), consumers_(consumers), stages_(stages), fills_(fills), random_(seed) {
    for (int block = 0; block < blocks; ++block) {
      full_.emplace_back(stages, Barrier{1});
      empty_.emplace_back(stages, Barrier{consumers * blocks});
      held_.emplace_back(stages, std::vector<int>(static_cast<std::size_t>(blocks), -1));
      readers_.emplace_back(stages, 0);
      for (int actor = 0; actor <= consumers; ++actor) actors_.push_back({block, actor == 0, {}, 0, false});
    }
  }

  // Until nobody can move.
  void run() {
    int idle = 0;
    while (idle < 10000) idle = move(actors_[random_() % actors_.size()]) ? 0 : idle + 1;
  }
  void expect_all_done() const {
    for (const Actor& actor : actors_) EXPECT_EQ(actor.fill, fills_);
  }

 private:
  struct Barrier {
    int count;
    int pending = count;
    int parts = 0;  // of a fill that are announced and have not come; below 0 when they come first
    std::uint32_t phase = 0;
    bool passes(std::uint32_t parity) const { return phase % 2 != parity; }
    void change(int arrivals, int parts_more) {
      EXPECT_GE(pending, arrivals);
      pending -= arrivals;
      parts += parts_more;
      if (pending != 0 || parts != 0) return;
      pending = count;
      ++phase;
    }
  };
  struct Actor {
    int block;
    bool produces;
    RingPosition at;
    int fill;
    bool reading;
  };

  bool move(Actor& actor) {
    if (actor.fill == fills_) return false;
    const auto block = static_cast<std::size_t>(actor.block);
    const std::uint32_t slot = actor.at.slot;
    if (actor.produces) {
      if (!empty_[block][slot].passes(actor.at.empty_parity())) return false;
      full_[block][slot].change(1, blocks_);
      for (int other = 0; other < blocks_; ++other) {  // this block's share, into every block
        const auto to = static_cast<std::size_t>(other);
        EXPECT_EQ(readers_[to][slot], 0) << "a stage is overwritten while it is read";
        held_[to][slot][block] = actor.fill;
        full_[to][slot].change(0, -1);
      }
    } else if (!actor.reading) {
      if (!full_[block][slot].passes(actor.at.full_parity())) return false;
      for (const int part : held_[block][slot]) EXPECT_EQ(part, actor.fill) << "not this fill's bytes";
      ++readers_[block][slot];
      return actor.reading = true;
    } else {
      actor.reading = false;
      --readers_[block][slot];
      for (auto& of_block : empty_) of_block[slot].change(1, 0);
    }
    actor.at.advance(stages_);
    ++actor.fill;
    return true;
  }

  int blocks_, consumers_;
  std::uint32_t stages_;
  int fills_;
  std::mt19937 random_;
  std::vector<std::vector<Barrier>> full_, empty_;
  std::vector<std::vector<std::vector<int>>> held_;  // block, slot: which fill each block's share is of
  std::vector<std::vector<int>> readers_;
  std::vector<Actor> actors_;
};

TEST(Ring, neither_locks_up_nor_overwrites_for_any_order_of_events) {
  for (const int blocks : {1, 2})
    for (const int consumers : {1, 2})
      for (std::uint32_t stages = 1; stages <= 5; ++stages)
        for (const int fills : {0, 1, 2, 3, 7, 40})
          for (unsigned seed = 0; seed < 3; ++seed) {
            RingModel ring(blocks, consumers, stages, fills, seed);
            ring.run();
            ring.expect_all_done();
            if (HasFailure()) FAIL() << blocks << " blocks, " << stages << " stages, " << fills << " fills";
          }
}

}  // namespace
