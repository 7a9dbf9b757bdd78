// The functions of kernels/support/barrier.cuh as the PTX ISA describes the instructions, on the host.
#pragma once

#include "cluster.hpp"

namespace gpugauge::kernels::sm90 {

inline std::uint32_t shared_base() {
  return 1024;
}

inline int uniform(int value) {
  return value;
}

inline void barrier_init(std::uint32_t barrier, std::uint32_t count) {
  EXPECT_EQ(barrier % 8, 0U);
  const std::scoped_lock lock(emulator::here->mutex);
  emulator::PhaseBarrier& made = emulator::here->barriers[barrier];
  made.count = made.pending = count;
}

inline void barrier_init_fence() {}

inline void barrier_arrive_expecting(std::uint32_t barrier, std::uint32_t bytes) {
  emulator::arrive(emulator::here->barrier(barrier), bytes);
}

inline void barrier_arrive_in_block(std::uint32_t barrier, std::uint32_t rank) {
  emulator::arrive(emulator::cluster->reached(rank, emulator::rank_here).barrier(barrier), 0);
}

inline void barrier_arrive(std::uint32_t barrier) {
  EXPECT_FALSE(emulator::unfenced) << "shared memory is handed over to TMA without a fence";
  EXPECT_FALSE(emulator::tensor_unfenced) << "tcgen05 instructions before a barrier without a fence";
  emulator::arrive(emulator::here->barrier(barrier), 0);
}

inline void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  emulator::wait_for_parity(emulator::here->barrier(barrier), parity);
  emulator::barrier_unfenced = true;
}

inline std::uint32_t cluster_rank() {
  return emulator::rank_here;
}

inline void cluster_barrier() {
  EXPECT_FALSE(emulator::tensor_unfenced) << "tcgen05 instructions before a barrier without a fence";
  emulator::cluster->barrier.arrive_and_wait();
  emulator::barrier_unfenced = true;
}

inline void named_barrier(int id, int threads) {
  EXPECT_EQ(threads, 128);
  EXPECT_FALSE(emulator::unfenced) << "shared memory is handed over to TMA without a fence";
  emulator::here->named.at(static_cast<std::size_t>(id) - 1).arrive_and_wait();
}

template <int Count>
void take_registers() {}
template <int Count>
void give_registers() {}

}  // namespace gpugauge::kernels::sm90
