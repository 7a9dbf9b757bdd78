// The functions of kernels/support/bulk.cuh as the PTX ISA describes the instructions, on the host.
#pragma once

#include "cluster.hpp"

namespace gpugauge::kernels::sm90 {

inline void load_bulk(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t barrier) {
  EXPECT_EQ(to % 16, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(from) % 16, 0U);
  EXPECT_EQ(bytes % 16, 0U);
  EXPECT_GT(bytes, 0U);
  emulator::start_copy(emulator::here->barrier(barrier), [to, from, bytes, &memory = emulator::here->memory] {
    EXPECT_LE(to + bytes, memory.size());
    std::memcpy(&memory.at(to), from, bytes);
    return static_cast<long>(bytes);
  });
}

inline void fence_for_asynchronous_reads() {
  emulator::unfenced = false;
}

inline void store_bulk(void* to, std::uint32_t from, std::uint32_t bytes) {
  EXPECT_EQ(from % 16, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(to) % 16, 0U);
  EXPECT_EQ(bytes % 16, 0U);
  EXPECT_GT(bytes, 0U);
  EXPECT_FALSE(emulator::unfenced) << "shared memory is handed over to TMA without a fence";
  emulator::start_store([to, from, bytes, &memory = emulator::here->memory] {
    EXPECT_LE(from + bytes, memory.size());
    std::memcpy(to, &memory.at(from), bytes);
  });
}

template <int Pending>
void wait_for_stores_to_read() {
  while (emulator::stores.size() > Pending) {
    emulator::stores.front()();
    emulator::stores.erase(emulator::stores.begin());
  }
}

inline float4 load_vector(std::uint32_t from) {
  EXPECT_EQ(from % 16, 0U);
  float4 value;
  std::memcpy(&value, &emulator::here->memory.at(from), sizeof value);
  return value;
}

inline void store_vector(std::uint32_t to, float4 value) {
  EXPECT_EQ(to % 16, 0U);
  std::memcpy(&emulator::here->memory.at(to), &value, sizeof value);
  emulator::unfenced = true;
}

inline void store_words(std::uint32_t to, const std::uint32_t (&words)[4]) {
  EXPECT_EQ(to % 16, 0U);
  std::memcpy(&emulator::here->memory.at(to), &words[0], sizeof words);
  emulator::unfenced = true;
}

}  // namespace gpugauge::kernels::sm90
