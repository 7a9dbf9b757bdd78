// Clusters of blocks with barriers in shared memory, for the emulated instructions of sm_90: every block of a
// cluster runs at one time, a thread a lane; clusters run one after another.
//
// Emulated: phases, arrivals and byte counts of barriers, copies that land as early or as late as allowed,
// copies and arrivals at another block, and that no block may end under them. A wait that nothing ends
// aborts.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "emulator.hpp"
#include "kernels/support/ptx.cuh"
#include "tensor_memory.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's own name
#undef __grid_constant__
#define __grid_constant__
// NOLINTEND(bugprone-reserved-identifier)

namespace emulator {

struct ClusterBlock;

/// One barrier in shared memory, with the copies toward it that have not landed.
struct PhaseBarrier {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned count = 0;
  unsigned pending = 0;
  long bytes = 0;  ///< announced and not arrived; below 0 when they arrive first
  unsigned phase = 0;
  std::vector<std::function<long()>> copies;

  void end_phase_if_complete() {
    if (pending != 0 || bytes != 0) return;
    pending = count;
    ++phase;
    changed.notify_all();
  }
  void land() {
    for (const auto& copy : copies) bytes -= copy();
    copies.clear();
    end_phase_if_complete();
  }
};

struct ClusterBlock {
  std::vector<unsigned char> memory = std::vector<unsigned char>(std::size_t{227} * 1024, 0xff);
  std::mutex mutex;
  std::map<std::uint32_t, PhaseBarrier> barriers;
  TensorMemory tensor;
  std::array<std::barrier<>, 2> named{std::barrier<>(128), std::barrier<>(128)};

  PhaseBarrier& barrier(std::uint32_t address) {
    const std::scoped_lock lock(mutex);
    const auto found = barriers.find(address);
    if (found == barriers.end()) {
      std::fprintf(stderr, "no barrier was made at %u\n", address);
      std::abort();
    }
    return found->second;
  }
};

struct Cluster {
  /// A block has reached into another one since the cluster last came together.
  std::atomic<bool> reached_since_barrier = false;
  struct Together {
    std::atomic<bool>* reached;
    void operator()() noexcept { *reached = false; }
  };

  Cluster(unsigned blocks_in, unsigned threads)
      : barrier(static_cast<std::ptrdiff_t>(blocks_in * threads), Together{&reached_since_barrier}) {
    for (unsigned i = 0; i < blocks_in; ++i) blocks.push_back(std::make_unique<ClusterBlock>());
  }
  std::barrier<Together> barrier;
  std::vector<std::unique_ptr<ClusterBlock>> blocks;
  /// The block in which a copy or an arrival of `from` ends.
  ClusterBlock& reached(std::uint32_t rank, std::uint32_t from) {
    if (rank != from) reached_since_barrier = true;
    return *blocks.at(rank);
  }
};

inline thread_local Cluster* cluster = nullptr;
inline thread_local ClusterBlock* here = nullptr;
inline thread_local std::uint32_t rank_here = 0;
/// This thread's kernel was let begin early, and it has not waited for the one ahead.
inline thread_local bool one_ahead_runs = false;
/// This thread wrote to shared memory by ordinary stores and has not fenced them for TMA.
inline thread_local bool unfenced = false;
/// This thread's groups of stores by TMA that have not read shared memory, and when they do.
inline thread_local std::vector<std::function<void()>> stores;
inline Arrival reading = Arrival::early;

inline void start_store(std::function<void()> store) {
  if (reading == Arrival::late) {
    stores.push_back(std::move(store));
    return;
  }
  store();
  stores.emplace_back([] {});
}

inline void arrive(PhaseBarrier& at, long expected_bytes) {
  const std::scoped_lock lock(at.mutex);
  EXPECT_GT(at.pending, 0U) << "more arrivals than the barrier counts";
  --at.pending;
  at.bytes += expected_bytes;
  at.end_phase_if_complete();
}

/// `copy` writes one block's shared memory and says how many bytes.
inline void start_copy(PhaseBarrier& toward, std::function<long()> copy) {
  const std::scoped_lock lock(toward.mutex);
  toward.copies.push_back(std::move(copy));
  if (arrival == Arrival::early)
    toward.land();
  else
    toward.changed.notify_all();  // whoever waits makes it land
}

inline void wait_for_parity(PhaseBarrier& at, std::uint32_t parity) {
  std::unique_lock lock(at.mutex);
  const auto ended = [&] {
    // In phase p the last one that ended is p - 1; a new barrier is in phase 0.
    if (at.phase % 2 == parity) at.land();
    return at.phase % 2 != parity;
  };
  if (at.changed.wait_for(lock, std::chrono::seconds(60), ended)) return;
  std::fprintf(stderr, "deadlock: a barrier in phase %u waits for %u arrivals and %ld bytes\n", at.phase,
               at.pending, at.bytes);
  std::abort();
}

/// Runs kernel() for every thread of `clusters` clusters of `blocks_in` blocks.
inline void launch_clusters(unsigned clusters, unsigned blocks_in, unsigned threads,
                            const std::function<void()>& kernel) {
  gridDim = dim3(clusters * blocks_in);
  blockDim = dim3(threads);
  for (unsigned index = 0; index < clusters; ++index) {
    Cluster now(blocks_in, threads);
    std::vector<std::unique_ptr<Block>> blocks;
    for (unsigned rank = 0; rank < blocks_in; ++rank)
      blocks.push_back(std::make_unique<Block>(static_cast<int>(threads)));
    std::vector<std::jthread> running;
    for (unsigned rank = 0; rank < blocks_in; ++rank)
      for (unsigned thread = 0; thread < threads; ++thread)
        running.emplace_back([&, rank, thread] {
          threadIdx = make_uint3(thread, 0, 0);
          blockIdx = make_uint3(index * blocks_in + rank, 0, 0);
          block = blocks[rank].get();
          lane = static_cast<int>(thread % 32);
          warp = &block->warps[thread / 32];
          cluster = &now;
          here = now.blocks[rank].get();
          rank_here = rank;
          kernel();
          EXPECT_TRUE(stores.empty()) << "a block ended under a store that still reads its shared memory";
        });
    running.clear();  // joins
    EXPECT_FALSE(now.reached_since_barrier) << "a block may end under another one's copy or arrival";
    for (const auto& ended : now.blocks)
      for (auto& [address, barrier] : ended->barriers)
        EXPECT_TRUE(barrier.copies.empty() && barrier.bytes == 0) << "a copy was never waited for";
    for (const auto& ended : now.blocks)
      EXPECT_EQ(ended->tensor.taken, 0U) << "Tensor Memory was not given back";
  }
}

}  // namespace emulator
