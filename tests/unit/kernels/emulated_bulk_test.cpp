// The streams by bulk copies, their own device code on the host. Copies land and stores read shared memory as
// early, or as late, as the instructions allow: what is right under each does not depend on the time in
// between.
#include <cmath>
#include <numeric>
#include <ostream>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "array.hpp"
#include "collectives.hpp"
#include "emulator.hpp"
#include "kernels/support/uniform.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "kernels/memory/bulk.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using emulator::Array;
using emulator::Arrival;

Array<float> generated(std::size_t count, std::uint64_t seed) {
  return Array<float>(count, [seed](std::size_t i) { return uniform(seed, i); });
}

constexpr unsigned blocks = 2;
constexpr std::size_t map_elements = memory::bulk_piece_bytes / 4;
constexpr std::size_t piece_elements = memory::bulk_stage_bytes / 4;

struct Timing {
  const char* name;
  Arrival copies, stores;
};

std::ostream& operator<<(std::ostream& out, const Timing& one) {
  return out << one.name;
}

class Bulk : public testing::TestWithParam<std::tuple<std::size_t, Timing>> {
 protected:
  Bulk() {
    emulator::arrival = std::get<1>(GetParam()).copies;
    emulator::reading = std::get<1>(GetParam()).stores;
  }
  static std::size_t count() { return std::get<0>(GetParam()); }

  template <typename Map>
  static Array<float> mapped(const Array<float>& b, const Array<float>& c, Map map) {
    Array<float> a(count());
    const auto all = static_cast<unsigned>(memory::bulk_map_blocks(count()));
    emulator::launch_clusters(all, 1, memory::bulk_map_block<Map>,
                              [&] { memory::bulk_map_kernel(b.get(), c.get(), a.get(), count(), map); });
    return a;
  }
};

TEST_P(Bulk, copy_moves_every_element) {
  const Array<float> from = generated(count(), 3);
  const Array<float> to = mapped(from, from, memory::Same{});
  for (std::size_t i = 0; i < count(); ++i) ASSERT_EQ(to[i], uniform(3, i)) << i;
}

TEST_P(Bulk, scale_multiplies_every_element) {
  const Array<float> from = generated(count(), 3);
  const Array<float> to = mapped(from, from, memory::Scale{0.75F});
  for (std::size_t i = 0; i < count(); ++i) ASSERT_EQ(to[i], 0.75F * uniform(3, i)) << i;
}

TEST_P(Bulk, add_adds_every_element) {
  const Array<float> a = mapped(generated(count(), 3), generated(count(), 4), memory::Add{});
  for (std::size_t i = 0; i < count(); ++i) ASSERT_EQ(a[i], uniform(3, i) + uniform(4, i)) << i;
}

TEST_P(Bulk, triad_rounds_once) {
  const Array<float> a = mapped(generated(count(), 3), generated(count(), 4), memory::Triad{0.75F});
  for (std::size_t i = 0; i < count(); ++i)
    ASSERT_EQ(a[i], std::fmaf(0.75F, uniform(4, i), uniform(3, i))) << i;
}

TEST_P(Bulk, read_sums_every_word) {
  const Array<float> data = generated(count(), 5);
  const Array<unsigned long long> sums(blocks * memory::bulk_workers / 32);
  emulator::launch_clusters(blocks, 1, memory::bulk_mover_threads + memory::bulk_workers,
                            [&] { memory::bulk_read_kernel(data.get(), count(), sums.get()); });
  unsigned long long expected = 0;
  for (std::size_t i = 0; i < count(); ++i) expected += bits_of(uniform(5, i));
  EXPECT_EQ(std::accumulate(sums.get(), sums.get() + sums.count(), 0ULL), expected);
}

TEST_P(Bulk, write_reaches_every_element) {
  const Array<float> to(count());
  emulator::launch_clusters(blocks, 1, memory::bulk_mover_threads,
                            [&] { memory::bulk_write_kernel(0.625F, to.get(), count()); });
  for (std::size_t i = 0; i < count(); ++i) ASSERT_EQ(to[i], 0.625F) << i;
}

// Less than a vector, a vector, the ends of pieces and of the ring's, one block without a piece, and more
// than two rounds of the ring.
INSTANTIATE_TEST_SUITE_P(
    Lengths, Bulk,
    testing::Combine(testing::Values<std::size_t>(
                         0, 1, 3, 4, 5, map_elements - 1, map_elements, map_elements + 6, piece_elements - 1,
                         piece_elements, piece_elements + 6,
                         std::size_t{blocks} * (2 * memory::bulk_stages + 1) * piece_elements + 7),
                     testing::Values(Timing{"all early", Arrival::early, Arrival::early},
                                     Timing{"all late", Arrival::late, Arrival::late},
                                     Timing{"early copies, late stores", Arrival::early, Arrival::late})));

std::vector<std::size_t> pieces_of(const memory::BulkShare& share) {
  std::vector<std::size_t> offsets;
  for (std::size_t offset = share.first; offset < share.bytes; offset += share.step)
    offsets.push_back(offset);
  return offsets;
}

TEST(BulkShare, deals_the_pieces_to_the_blocks_by_turns) {
  // 10 pieces of 64 bytes and one of 32; 3 elements are left.
  const std::size_t count = 10 * 16 + 8 + 3;
  using Offsets = std::vector<std::size_t>;
  const memory::BulkShare first(count, 64, 0, 3);
  EXPECT_EQ(first.bytes, 672U);
  EXPECT_EQ(pieces_of(first), (Offsets{0, 192, 384, 576}));
  EXPECT_EQ(first.length(576), 64U);
  const memory::BulkShare second(count, 64, 1, 3);
  EXPECT_EQ(pieces_of(second), (Offsets{64, 256, 448, 640}));
  EXPECT_EQ(second.length(640), 32U);
  EXPECT_EQ(pieces_of(memory::BulkShare(count, 64, 2, 3)), (Offsets{128, 320, 512}));
}

TEST(BulkShare, knows_blocks_without_a_piece) {
  EXPECT_TRUE(pieces_of(memory::BulkShare(3, 64, 0, 1)).empty());
  EXPECT_EQ(pieces_of(memory::BulkShare(4, 64, 0, 2)).size(), 1U);
  EXPECT_EQ(memory::BulkShare(4, 64, 0, 2).length(0), 16U);
  EXPECT_TRUE(pieces_of(memory::BulkShare(4, 64, 1, 2)).empty());
  EXPECT_EQ(pieces_of(memory::BulkShare(32, 64, 1, 2)).size(), 1U);
}

TEST(BulkShare, reaches_beyond_four_gigabytes) {
  const std::size_t count = std::size_t{3} << 30;  // 12 GiB: 786432 pieces
  const memory::BulkShare last(count, 16384, 263, 264);
  EXPECT_EQ(pieces_of(last).size(), 786432U / 264);
  EXPECT_EQ(pieces_of(last).back(), (std::size_t{263} + std::size_t{786432 / 264 - 1} * 264) * 16384);
}

TEST(BulkMaps, have_a_block_for_every_piece_and_at_least_one) {
  EXPECT_EQ(memory::bulk_map_blocks(0), 1U);
  EXPECT_EQ(memory::bulk_map_blocks(3), 1U);
  EXPECT_EQ(memory::bulk_map_blocks(512 + 3), 1U);
  EXPECT_EQ(memory::bulk_map_blocks(512 + 4), 2U);
  EXPECT_EQ(memory::bulk_map_blocks(std::size_t{1} << 32), std::size_t{1} << 23);
}

TEST(BulkRead, has_a_sum_for_every_working_warp) {
  EXPECT_EQ(memory::bulk_read_sums(132, 2), 132U * 2 * 4);
  EXPECT_EQ(memory::bulk_read_sums(170, 1), 170U * 4);
}

// A block that waits for another to end would read its pieces alone.
TEST(BulkRead, has_no_more_blocks_than_stay_on_an_sm) {
  constexpr int kibibyte = 1024;
  EXPECT_EQ(memory::bulk_reading_blocks(228 * kibibyte), 2) << "9.0, 10.0";
  EXPECT_EQ(memory::bulk_reading_blocks(100 * kibibyte), 1) << "12.0";
  EXPECT_EQ(memory::bulk_reading_blocks(64 * kibibyte), 1);
  EXPECT_EQ(memory::bulk_reading_blocks(0), 2) << "not known";
  EXPECT_EQ(memory::bulk_ring_bytes, 98400U);
}

}  // namespace
