// The steps of the wgmma ladder that are one kernel in different configurations (wgmma_ring.cuh). Each
// configuration lists what it adds.
#pragma once

#include "kernels/gemm/scheduler.hpp"

namespace gpugauge::kernels::gemm::configs {

/// One producer thread copies ahead while one consumer warpgroup multiplies. One block per tile.
struct OneConsumer {
  static constexpr int consumers = 1;  ///< consumer warpgroups, 1 or 2; they share the tile's 128 rows
  /// Columns of a tile of C; a tile has 128 rows.
  static constexpr int tile_n = 128;
  /// Stages of the ring between producer and consumers.
  static constexpr int stages = 5;
  static constexpr bool move_registers = false;  ///< moves registers from the producer to the consumers
  static constexpr bool persistent = false;      ///< as many blocks as run at once take all tiles
  /// The order in which tiles are taken.
  static constexpr Order order = Order::row_major;
  static constexpr int cluster = 1;         ///< vertically adjacent blocks that share B: 1 or 2
  static constexpr bool tma_store = false;  ///< stores C through shared memory, else from registers
  /// C of one tile is stored while the next one is multiplied; needs tma_store.
  static constexpr bool overlap_store = false;
  /// Programmatic dependent launch: blocks start as soon as there is room for them.
  static constexpr bool early_launch = false;
};

/// A tile of twice the width has 256 accumulators a thread of one warpgroup, and a thread has 255 registers: they
/// are spilled to memory around every wgmma. The step that shows why two warpgroups are needed.
struct OneConsumerWide : OneConsumer {
  /// Twice as many columns.
  static constexpr int tile_n = 256;
  /// One stage fewer, because each is larger.
  static constexpr int stages = 4;
};

/// Two warpgroups hold the accumulators, 128 a thread, and take over registers.
struct TwoConsumers : OneConsumerWide {
  /// Two warpgroups.
  static constexpr int consumers = 2;
  /// The accumulators need the producer's registers.
  static constexpr bool move_registers = true;
};

/// The producer loads the next tile while the last one is stored.
struct PersistentRows : TwoConsumers {
  /// Each block processes many tiles.
  static constexpr bool persistent = true;
};

/// Tiles that are made at the same time share rows of A and columns of B in L2.
struct Persistent : PersistentRows {
  /// Bands of rows.
  static constexpr Order order = Order::grouped;
};

/// Two blocks load B once for both.
struct Cluster : Persistent {
  /// Blocks that share B.
  static constexpr int cluster = 2;
};

/// C is stored in whole lines, asynchronously.
struct TmaStore : Cluster {
  /// Through shared memory.
  static constexpr bool tma_store = true;
};

/// The Tensor Cores do not wait for the store of C.
struct Overlap : TmaStore {
  /// The finished tile is packed in registers meanwhile.
  static constexpr bool overlap_store = true;
};

/// A product begins while the preceding kernel ends.
struct Best : Overlap {
  /// Blocks are resident and initialised when the preceding kernel ends.
  static constexpr bool early_launch = true;
};

}  // namespace gpugauge::kernels::gemm::configs
