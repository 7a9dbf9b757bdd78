// The device code of the memory kernels, run on the host.
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "array.hpp"
#include "collectives.hpp"
#include "emulator.hpp"
#include "kernels/support/uniform.hpp"
#include "support/chase.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "kernels/memory/atomics.cuh"
#include "kernels/memory/chase.cuh"
#include "kernels/memory/footprint.cuh"
#include "kernels/memory/gather.cuh"
#include "kernels/memory/shared_read.cuh"
#include "kernels/memory/stream_maps.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using emulator::Array;

Array<float> generated(std::size_t count, std::uint64_t seed) {
  return Array<float>(count, [seed](std::size_t i) { return uniform(seed, i); });
}

class StreamMore : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr unsigned blocks = 2;
  static unsigned map_blocks() { return static_cast<unsigned>(memory::map_blocks(GetParam())); }
};

TEST(StreamMaps, have_a_thread_for_every_vector_and_at_least_one_block) {
  EXPECT_EQ(memory::map_blocks(0), 1U);
  EXPECT_EQ(memory::map_blocks(3), 1U);
  EXPECT_EQ(memory::map_blocks(1024), 1U);
  EXPECT_EQ(memory::map_blocks(1027), 1U);
  EXPECT_EQ(memory::map_blocks(1028), 2U);
  EXPECT_EQ(memory::map_blocks(std::size_t{1} << 34), std::size_t{1} << 24);
}

TEST_P(StreamMore, write_reaches_every_element) {
  const Array<float> to(GetParam());
  emulator::launch(blocks, memory::threads, [&] { memory::write_kernel(0.625F, to.get(), to.count()); });
  for (std::size_t i = 0; i < to.count(); ++i) ASSERT_EQ(to[i], 0.625F) << i;
}

TEST_P(StreamMore, copy_pair_moves_every_element_of_both) {
  const Array<float> from = generated(GetParam(), 3);
  const Array<float> other_from = generated(GetParam(), 4);
  const Array<float> to(GetParam());
  const Array<float> other_to(GetParam());
  emulator::launch(map_blocks(), memory::map_threads, [&] {
    memory::copy_pair_kernel(from.get(), to.get(), other_from.get(), other_to.get(), to.count());
  });
  for (std::size_t i = 0; i < to.count(); ++i) {
    ASSERT_EQ(to[i], uniform(3, i)) << i;
    ASSERT_EQ(other_to[i], uniform(4, i)) << i;
  }
}

TEST_P(StreamMore, scale_multiplies_every_element) {
  const Array<float> from = generated(GetParam(), 3);
  const Array<float> to(GetParam());
  emulator::launch(map_blocks(), memory::map_threads,
                   [&] { memory::scale_kernel(from.get(), 0.75F, to.get(), to.count()); });
  for (std::size_t i = 0; i < to.count(); ++i) ASSERT_EQ(to[i], 0.75F * uniform(3, i)) << i;
}

TEST_P(StreamMore, add_adds_every_element) {
  const Array<float> b = generated(GetParam(), 3);
  const Array<float> c = generated(GetParam(), 4);
  const Array<float> a(GetParam());
  emulator::launch(map_blocks(), memory::map_threads,
                   [&] { memory::add_kernel(b.get(), c.get(), a.get(), a.count()); });
  for (std::size_t i = 0; i < a.count(); ++i) ASSERT_EQ(a[i], uniform(3, i) + uniform(4, i)) << i;
}

INSTANTIATE_TEST_SUITE_P(Lengths, StreamMore, testing::Values(1, 3, 4, 5, 8191, 8192, 8195));

std::uint32_t sum_of_generated(std::size_t words, std::uint64_t seed) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) sum += bits_of(uniform(seed, i));
  return sum;
}

// What a launch by this plan reads, against the generator.
void expect_every_word_equally_often(const memory::FootprintPlan& plan, int blocks) {
  const std::size_t words = plan.vectors * 4;
  const Array<float> data = generated(words, 5);
  const Array<std::uint32_t> sums(static_cast<std::size_t>(blocks));
  emulator::launch(static_cast<unsigned>(blocks), memory::footprint_threads, [&] {
    memory::read_footprint_kernel(reinterpret_cast<const uint4*>(data.get()),
                                  static_cast<std::uint32_t>(plan.vectors),
                                  static_cast<std::uint32_t>(plan.slice_vectors / memory::footprint_threads),
                                  plan.start_stride, plan.turns, plan.hop, sums.get());
  });
  const std::uint32_t found = std::accumulate(sums.get(), sums.get() + sums.count(), std::uint32_t{0});
  EXPECT_EQ(found, sum_of_generated(words, 5) * static_cast<std::uint32_t>(plan.readings));
}

TEST(Footprint, that_has_no_slice_for_every_block_is_read_whole_by_each_from_a_place_of_its_own) {
  const auto plan = memory::plan_footprint(2 * memory::footprint_step, 3, 12 * memory::footprint_step);
  EXPECT_EQ(plan.vectors, 2048U);
  EXPECT_EQ(plan.slice_vectors, 4096U);
  EXPECT_EQ(plan.start_stride, 680U);  // 2048 / 3 = 682, whole lines of 8 vectors
  EXPECT_EQ(plan.turns, 1U);
  EXPECT_EQ(plan.readings, 6U);
  EXPECT_EQ(plan.bytes(3), 6.0 * 32768);
  expect_every_word_equally_often(plan, 3);
}

TEST(Footprint, at_least_one_turn) {
  const auto whole = memory::plan_footprint(memory::footprint_step, 2, 1);
  EXPECT_EQ(whole.slice_vectors, whole.vectors);
  EXPECT_EQ(whole.readings, 2U);
  const auto slices = memory::plan_footprint(11 * memory::footprint_step, 2, 1);  // of 5.5 steps
  EXPECT_EQ(slices.slice_vectors, 5U * 1024);
  EXPECT_EQ(slices.vectors, 10U * 1024);
  EXPECT_EQ(slices.start_stride, slices.slice_vectors);
  EXPECT_EQ(slices.readings, 1U);
  expect_every_word_equally_often(slices, 2);
}

TEST(Footprint, slices_go_from_block_to_block_turn_by_turn) {
  const auto plan = memory::plan_footprint(16 * memory::footprint_step, 4, 50 * memory::footprint_step);
  EXPECT_EQ(plan.vectors, 16U * 1024);
  EXPECT_EQ(plan.slice_vectors, 4U * 1024);
  EXPECT_EQ(plan.turns, 3U);
  EXPECT_EQ(plan.readings, 3U);
  EXPECT_EQ(plan.hop, 3U);
  EXPECT_EQ(plan.bytes(4), 48.0 * memory::footprint_step);
  expect_every_word_equally_often(plan, 4);
  EXPECT_EQ(memory::plan_footprint(1 << 30, 1, 1 << 30).hop, 1U);
  for (int blocks = 2; blocks <= 200; ++blocks) {
    std::uint32_t at = 0;
    int turns = 0;
    const std::uint32_t hop = memory::plan_footprint(1 << 30, blocks, 1 << 30).hop;
    do {
      at = (at + hop) % static_cast<std::uint32_t>(blocks);
      ++turns;
    } while (at != 0);
    EXPECT_EQ(turns, blocks) << "a block comes back to its slice early";
  }
}

TEST(SharedRead, sums_what_every_block_wrote) {
  constexpr int rounds = 2;
  const Array<std::uint32_t> sums(2);
  emulator::launch(2, memory::shared_read_threads, [&] { memory::read_shared_kernel(rounds, sums.get()); });
  EXPECT_EQ(sums[0], memory::expected_shared_sum(0, rounds));
  EXPECT_EQ(sums[1], memory::expected_shared_sum(1, rounds));
  EXPECT_NE(sums[0], sums[1]);
}

TEST(SharedRead, counts_the_bytes_read) {
  EXPECT_EQ(memory::shared_read_bytes(3, 5), 16.0 * 1024 * 8 * 3 * 5);
}

TEST(ChaseKernel, follows_the_cycle_through_scattered_places) {
  constexpr std::uint32_t elements = 64;
  constexpr std::size_t stride = 24;
  const gpugauge::bench::Cycle cycle(elements, 7);
  const Array<std::uint32_t> next(elements,
                                  [&](std::size_t i) { return static_cast<std::uint32_t>(cycle.next(i)); });
  const Array<unsigned char> places(elements * stride);
  const auto base = reinterpret_cast<std::uint64_t>(places.get());
  emulator::launch(1, 96, [&] { memory::scatter_chain_kernel(next.get(), elements, stride, base); });
  for (std::size_t i = 0; i < places.count(); ++i) ASSERT_TRUE(i % stride < 8 || places[i] == 0xff) << i;
  std::uint64_t at = base;
  memory::chase_kernel<memory::ChaseLevel::l1>(&at, 37);
  EXPECT_EQ(at, base + cycle.after(0, 37) * stride);
  memory::chase_kernel<memory::ChaseLevel::l2>(&at, elements - 37);
  EXPECT_EQ(at, base);
}

class Atomics : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Atomics, every_word_grows_as_expected) {
  const std::uint32_t words = GetParam();
  constexpr int blocks = 2;
  constexpr int rounds = 3;
  const Array<std::uint32_t> counters(words, [](std::size_t) { return 0; });
  emulator::launch(blocks, memory::atomics_threads,
                   [&] { memory::add_atomically_kernel(counters.get(), words, rounds); });
  std::uint64_t all = 0;
  for (std::uint32_t word = 0; word < words; ++word) {
    ASSERT_EQ(counters[word], memory::atomics_expected(word, words, blocks, rounds)) << word;
    all += counters[word];
  }
  EXPECT_EQ(all, memory::atomics_additions(blocks, rounds));
}

INSTANTIATE_TEST_SUITE_P(Words, Atomics, testing::Values(1, 2, 100, 512, 1000, 5000));

TEST(Gather, reads_the_sectors_that_are_expected) {
  constexpr std::uint32_t sectors = 1000;
  constexpr int blocks = 2;
  constexpr int rounds = 2;
  const Array<float> data = generated(sectors * memory::sector_floats, 5);
  const Array<std::uint32_t> sums(blocks);
  emulator::launch(blocks, memory::gather_threads, [&] {
    memory::gather_kernel(reinterpret_cast<const uint4*>(data.get()), sectors, 9, rounds, sums.get());
  });
  std::uint32_t expected = 0;
  for (std::uint64_t i = 0; i < memory::gather_readings(blocks, rounds); ++i)
    for (std::size_t word = 0; word < memory::sector_floats; ++word)
      expected += bits_of(uniform(5, memory::gathered_sector(9, i, sectors) * memory::sector_floats + word));
  EXPECT_EQ(sums[0] + sums[1], expected);
}

TEST(Gather, places_are_spread_over_all_sectors) {
  constexpr std::uint32_t sectors = 16;
  std::vector<int> hits(sectors);
  for (std::uint64_t i = 0; i < 16'000; ++i) {
    const std::uint32_t sector = memory::gathered_sector(1, i, sectors);
    ASSERT_LT(sector, sectors);
    ++hits[sector];
  }
  // 1000 expected in each; the standard deviation is 31.
  for (const int hit : hits) EXPECT_NEAR(hit, 1000, 200);
}

}  // namespace
