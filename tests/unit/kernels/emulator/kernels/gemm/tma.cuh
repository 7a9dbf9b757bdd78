// The functions of kernels/gemm/tma.cuh as the PTX ISA describes the instructions, on the host.
#pragma once

#include "cluster.hpp"
#include "kernels/gemm/tensor_map.hpp"
#include "kernels/support/bulk.cuh"

namespace gpugauge::kernels::sm90 {

using TensorMap = gemm::BoxedMatrix;

inline void prefetch(const TensorMap& /*map*/) {}

}  // namespace gpugauge::kernels::sm90

namespace emulator {

using Map = gpugauge::kernels::sm90::TensorMap;

/// CU_TENSOR_MAP_SWIZZLE_128B: bits 4 to 6 of the address are exchanged with their exclusive or with bits 7
/// to 9.
inline std::size_t swizzled(std::size_t address) {
  return address ^ (address >> 7 & 7) << 4;
}

/// Goes over a box in shared memory from `address` on: visit(place in shared memory, byte of the matrix or
/// nullptr outside of it).
template <typename Visit>
void for_box(const Map& map, int column, int row, std::uint32_t address, const Visit& visit) {
  EXPECT_EQ(address % 1024, 0U);
  EXPECT_TRUE(can_be_boxed(map));
  auto* const data = static_cast<unsigned char*>(const_cast<void*>(map.data));
  for (int y = 0; y < map.box_rows; ++y)
    for (int byte = 0; byte < 128; ++byte) {
      const std::int64_t x = std::int64_t{column} + byte / map.element_bytes;
      const bool inside = row + y >= 0 && row + y < map.rows && x >= 0 && x < map.columns;
      unsigned char* const at =
          inside ? data + (row + y) * map.pitch_bytes() + x * map.element_bytes + byte % map.element_bytes
                 : nullptr;
      visit(swizzled(address + static_cast<std::size_t>(y) * 128 + static_cast<std::size_t>(byte)), at);
    }
}

inline void load_into(ClusterBlock& block_there, std::uint32_t to, const Map& map, int column, int row,
                      std::uint32_t barrier) {
  EXPECT_FALSE(one_ahead_runs) << "what the kernel ahead may still write is read";
  start_copy(block_there.barrier(barrier), [&block_there, to, map, column, row] {
    for_box(map, column, row, to, [&](std::size_t place, const unsigned char* from) {
      block_there.memory.at(place) = from == nullptr ? 0 : *from;
    });
    return static_cast<long>(map.box_bytes());
  });
}

}  // namespace emulator

namespace gpugauge::kernels::sm90 {

inline void load_box(std::uint32_t to, const TensorMap& map, int column, int row, std::uint32_t barrier) {
  emulator::load_into(*emulator::here, to, map, column, row, barrier);
}

inline void load_box_multicast(std::uint32_t to, const TensorMap& map, int column, int row,
                               std::uint32_t barrier, std::uint16_t blocks) {
  for (std::uint32_t rank = 0; rank < 16; ++rank)
    if ((blocks >> rank & 1) != 0)
      emulator::load_into(emulator::cluster->reached(rank, emulator::rank_here), to, map, column, row,
                          barrier);
}

inline void store_box(const TensorMap& map, int column, int row, std::uint32_t from) {
  const auto store = [map, column, row, from, &memory = emulator::here->memory] {
    emulator::for_box(map, column, row, from, [&](std::size_t place, unsigned char* to) {
      if (to != nullptr) *to = memory.at(place);
    });
  };
  emulator::start_store(store);
}

inline void store_matrices(std::uint32_t row, const std::uint32_t (&from)[4]) {
  emulator::expect_no_bank_conflict(row);
  const auto rows = emulator::exchange(row);
  const auto lane = static_cast<std::size_t>(emulator::lane);
  for (std::size_t matrix = 0; matrix < 4; ++matrix)
    std::memcpy(&emulator::here->memory.at(rows[matrix * 8 + lane / 4] + lane % 4 * 4), &from[matrix], 4);
  emulator::unfenced = true;
}

}  // namespace gpugauge::kernels::sm90
