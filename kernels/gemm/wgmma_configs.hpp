// The steps of the wgmma ladder that are one kernel in different configurations (wgmma_ring.cuh): what each
// adds to the one before.
#pragma once

#include "kernels/gemm/scheduler.hpp"

namespace gpugauge::kernels::gemm::configs {

/// One thread copies ahead while one warpgroup multiplies. A block a tile.
struct OneConsumer {
  static constexpr int consumers = 1;  ///< warpgroups that multiply, 1 or 2; they share the tile's 128 rows
  /// Columns of a tile of C; it has 128 rows.
  static constexpr int tile_n = 128;
  /// Of the ring between producer and consumers.
  static constexpr int stages = 5;
  static constexpr bool move_registers = false;  ///< from the producer to the consumers
  static constexpr bool persistent = false;      ///< as many blocks as run at one time, for all tiles
  /// In which the tiles are taken.
  static constexpr Order order = Order::row_major;
  static constexpr int cluster = 1;         ///< blocks, one below the other, that share B: 1 or 2
  static constexpr bool tma_store = false;  ///< C through shared memory, else straight from registers
  /// C of one tile leaves while the next one is multiplied; needs tma_store.
  static constexpr bool overlap_store = false;
  /// Programmatic dependent launch: blocks start as soon as there is room for them.
  static constexpr bool early_launch = false;
};

/// A tile twice as wide needs two warpgroups to hold its sums, and more registers for them.
struct TwoConsumers : OneConsumer {
  /// Two warpgroups.
  static constexpr int consumers = 2;
  /// Twice as many columns.
  static constexpr int tile_n = 256;
  /// One less: each is larger.
  static constexpr int stages = 4;
  /// The sums need them.
  static constexpr bool move_registers = true;
};

/// The producer reads the next tile while the last one is stored; tiles in work at one time share L2.
struct Persistent : TwoConsumers {
  /// Blocks stay for many tiles.
  static constexpr bool persistent = true;
  /// Bands of rows.
  static constexpr Order order = Order::grouped;
};

/// Two blocks read B once for both.
struct Cluster : Persistent {
  /// Blocks that share B.
  static constexpr int cluster = 2;
};

/// C leaves in whole lines, and asynchronously.
struct TmaStore : Cluster {
  /// Through shared memory.
  static constexpr bool tma_store = true;
};

/// The Tensor Cores do not wait for C.
struct Overlap : TmaStore {
  /// Packed in registers meanwhile.
  static constexpr bool overlap_store = true;
};

/// A product begins while the one ahead ends.
struct Best : Overlap {
  /// Blocks are there, and have made ready, when the last one ahead ends.
  static constexpr bool early_launch = true;
};

}  // namespace gpugauge::kernels::gemm::configs
