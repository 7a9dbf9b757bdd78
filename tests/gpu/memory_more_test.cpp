// The memory kernels beyond read, copy and triad, each on sizes around its tiles and on random ones.
#include <numeric>
#include <random>

#include "gpu_test.hpp"
#include "kernels/memory/atomics.hpp"
#include "kernels/memory/bulk.hpp"
#include "kernels/memory/chase.hpp"
#include "kernels/memory/footprint.hpp"
#include "kernels/memory/gather.hpp"
#include "kernels/memory/shared_read.hpp"
#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"
#include "support/chase.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceComparison;
using bench::cuda::DeviceValue;
using testing_gpu::error_of;
using testing_gpu::read_back;

constexpr std::uint64_t seed = 11;

class MemoryMore : public testing_gpu::GpuTest {
 protected:
  static int sms() { return bench::cuda::device().sm_count; }
  // Around the vector, the bulk copies' piece and stage, a pass of the whole grid, and eight random lengths.
  static std::vector<std::size_t> counts() {
    const auto pass = testing_gpu::of_size(
        kernels::memory::read_blocks(sms()) * kernels::memory::threads * kernels::memory::unroll * 4,
        std::size_t{100'000});
    constexpr std::size_t piece = kernels::memory::bulk_piece_bytes / 4;
    constexpr std::size_t stage = kernels::memory::bulk_stage_bytes / 4;
    std::vector<std::size_t> counts{1,         3,     4,         5,     piece - 1, piece, piece + 1,
                                    stage - 1, stage, stage + 1, 40961, pass - 1,  pass,  pass + 7};
    std::mt19937_64 random(5);
    const int more = testing_gpu::of_size(8, 2);
    for (int i = 0; i < more; ++i) counts.push_back(1 + random() % (4 * pass));
    return counts;
  }
  static DeviceBuffer<float> filled(std::size_t count, std::uint64_t with) {
    DeviceBuffer<float> data(count);
    check(kernels::fill_uniform(data.get(), count, with, nullptr), "filling");
    return data;
  }
  // Runs `make(to)` into poisoned memory and `compare(to, found)`; nothing behind the end may be
  // touched.
  template <typename Make, typename Compare>
  static void expect_exact(std::size_t count, Make make, Compare compare) {
    const DeviceBuffer<float> to(count + 8);
    const DeviceComparison found;
    check(kernels::poison(to.get(), to.bytes(), nullptr), "poisoning");
    check(make(to.get()), "running");
    check(compare(to.get(), found.get()), "comparing");
    EXPECT_EQ(error_of(found), 0) << count;
    float behind = 0;
    check(cudaMemcpy(&behind, to.get() + count, sizeof behind, cudaMemcpyDeviceToHost), "reading");
    EXPECT_TRUE(std::isnan(behind)) << count;
  }
};

TEST_F(MemoryMore, write_scale_and_add_are_exact) {
  namespace memory = kernels::memory;
  for (const std::size_t count : counts()) {
    const auto b = filled(count, seed);
    const auto c = filled(count, seed + 1);
    expect_exact(
        count, [&](float* to) { return memory::write(0.625F, to, count, nullptr); },
        [&](const float* to, kernels::Comparison* found) {
          return memory::count_write_mismatches(to, count, 0.625F, found, nullptr);
        });
    expect_exact(
        count, [&](float* to) { return memory::scale(b.get(), 0.75F, to, count, nullptr); },
        [&](const float* to, kernels::Comparison* found) {
          return memory::count_scale_mismatches(to, count, seed, 0.75F, found, nullptr);
        });
    expect_exact(
        count, [&](float* to) { return memory::add(b.get(), c.get(), to, count, nullptr); },
        [&](const float* to, kernels::Comparison* found) {
          return memory::count_add_mismatches(to, count, seed, seed + 1, found, nullptr);
        });
  }
}

TEST_F(MemoryMore, copy_pair_moves_every_element_of_both_and_nothing_behind_them) {
  namespace memory = kernels::memory;
  for (const std::size_t count : counts()) {
    const auto b = filled(count, seed);
    const auto c = filled(count, seed + 1);
    const DeviceBuffer<float> other(count);
    const auto is_copy_of = [&](std::uint64_t with) {
      return [count, with](const float* to, kernels::Comparison* found) {
        return memory::count_copy_mismatches(to, count, with, found, nullptr);
      };
    };
    expect_exact(
        count,
        [&](float* to) { return memory::copy_pair(b.get(), to, c.get(), other.get(), count, nullptr); },
        is_copy_of(seed));
    expect_exact(
        count,
        [&](float* to) { return memory::copy_pair(b.get(), other.get(), c.get(), to, count, nullptr); },
        is_copy_of(seed + 1));
  }
}

TEST_F(MemoryMore, bulk_streams_are_exact_and_touch_nothing_behind_the_end) {
  if (bench::cuda::device().compute_capability < 90)
    GTEST_SKIP() << "bulk copies need compute capability 9.0 or later";
  namespace memory = kernels::memory;
  for (const std::size_t count : counts()) {
    const auto b = filled(count, seed);
    const auto c = filled(count, seed + 1);
    expect_exact(
        count, [&](float* to) { return memory::bulk_copy(b.get(), to, count, nullptr); },
        [&](const float* to, kernels::Comparison* found) {
          return memory::count_copy_mismatches(to, count, seed, found, nullptr);
        });
    expect_exact(
        count, [&](float* to) { return memory::bulk_write(0.625F, to, count, nullptr); },
        [&](const float* to, kernels::Comparison* found) {
          return memory::count_write_mismatches(to, count, 0.625F, found, nullptr);
        });
    expect_exact(
        count, [&](float* to) { return memory::bulk_scale(b.get(), 0.75F, to, count, nullptr); },
        [&](const float* to, kernels::Comparison* found) {
          return memory::count_scale_mismatches(to, count, seed, 0.75F, found, nullptr);
        });
    expect_exact(
        count, [&](float* to) { return memory::bulk_add(b.get(), c.get(), to, count, nullptr); },
        [&](const float* to, kernels::Comparison* found) {
          return memory::count_add_mismatches(to, count, seed, seed + 1, found, nullptr);
        });
    expect_exact(
        count, [&](float* to) { return memory::bulk_triad(b.get(), c.get(), 0.75F, to, count, nullptr); },
        [&](const float* to, kernels::Comparison* found) {
          return memory::count_triad_mismatches(to, count, seed, seed + 1, 0.75F, found, nullptr);
        });
    const DeviceBuffer<unsigned long long> sums(
        memory::bulk_read_sums(sms(), memory::bulk_reading_blocks_here()));
    check(kernels::poison(sums.get(), sums.bytes(), nullptr), "poisoning");
    check(memory::bulk_read(b.get(), count, sums.get(), nullptr), "reading");
    const DeviceValue<unsigned long long> expected;
    check(memory::expected_read(count, seed, expected.get(), nullptr), "summing");
    const auto parts = read_back(sums);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0ULL), expected.read(nullptr)) << count;
  }
}

TEST_F(MemoryMore, footprint_reads_every_word_equally_often) {
  const std::size_t step = kernels::memory::footprint_step;
  const auto data = filled(64 * step * static_cast<std::size_t>(sms()) / sizeof(float), seed);
  const DeviceBuffer<std::uint32_t> sums(static_cast<std::size_t>(sms()));
  for (const std::size_t steps : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{16},
                                  2 * static_cast<std::size_t>(sms()) + 17, std::size_t{64} * sms()}) {
    const auto plan = kernels::memory::plan_footprint(steps * step, sms(), 4000 * step);
    check(kernels::poison(sums.get(), sums.bytes(), nullptr), "poisoning");
    check(kernels::memory::read_footprint(data.get(), plan, sms(), sums.get(), nullptr), "reading");
    const DeviceValue<unsigned long long> once;
    check(kernels::memory::expected_read(plan.vectors * 4, seed, once.get(), nullptr), "summing");
    const auto parts = read_back(sums);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::uint32_t{0}),
              static_cast<std::uint32_t>(once.read(nullptr) * plan.readings))
        << steps;
  }
}

TEST_F(MemoryMore, shared_memory_gives_back_what_was_written) {
  for (const int rounds : {1, 2, 33}) {
    const int blocks = 3 * sms() + 1;
    const DeviceBuffer<std::uint32_t> sums(static_cast<std::size_t>(blocks));
    check(kernels::memory::read_shared(blocks, rounds, sums.get(), nullptr), "reading");
    const auto found = read_back(sums);
    for (std::size_t block = 0; block < found.size(); ++block)
      ASSERT_EQ(found[block],
                kernels::memory::expected_shared_sum(static_cast<std::uint32_t>(block), rounds));
  }
}

TEST_F(MemoryMore, chase_stands_where_the_cycle_says) {
  using kernels::memory::ChaseLevel;
  for (const std::uint32_t elements : {4U, 64U, 4096U})
    for (const std::size_t stride : {std::size_t{8}, std::size_t{128}, std::size_t{4096}}) {
      const bench::Cycle cycle(elements, seed);
      std::vector<std::uint32_t> next(elements);
      for (std::uint32_t i = 0; i < elements; ++i) next[i] = static_cast<std::uint32_t>(cycle.next(i));
      const DeviceBuffer<std::uint32_t> on_device(elements);
      const DeviceBuffer<unsigned char> memory(elements * stride);
      const DeviceBuffer<std::uint64_t> at(1);
      const DeviceBuffer<std::uint32_t> cycles(elements);
      check(cudaMemcpy(on_device.get(), next.data(), on_device.bytes(), cudaMemcpyHostToDevice), "copying");
      check(kernels::memory::scatter_chain(on_device.get(), elements, stride, memory.get(), nullptr),
            "scattering");
      const auto base = reinterpret_cast<std::uint64_t>(memory.get());
      check(cudaMemcpy(at.get(), &base, sizeof base, cudaMemcpyHostToDevice), "placing");
      check(kernels::memory::chase(at.get(), 1001, ChaseLevel::l1, nullptr), "chasing");
      check(kernels::memory::chase(at.get(), 77, ChaseLevel::l2, nullptr), "chasing");
      EXPECT_EQ(read_back(at)[0], base + cycle.after(0, 1078) * stride) << elements << " x " << stride;
      check(cudaMemset(cycles.get(), 0, cycles.bytes()), "clearing");
      check(kernels::memory::chase_lines(memory.get(), elements, stride, 3, cycles.get(), nullptr),
            "chasing");
      for (const std::uint32_t taken : read_back(cycles)) {
        ASSERT_GT(taken, 10U) << "no load is answered within 10 cycles";
        ASSERT_LT(taken, 1'000'000U);
      }
    }
}

TEST_F(MemoryMore, atomics_lose_no_addition) {
  for (const std::uint32_t words : {1U, 3U, 1000U, 1U << 16}) {
    const int blocks = 2 * sms() + 1;
    constexpr int rounds = 5;
    const DeviceBuffer<std::uint32_t> counters(words);
    check(cudaMemset(counters.get(), 0, counters.bytes()), "clearing");
    check(kernels::memory::add_atomically(counters.get(), words, blocks, rounds, nullptr), "adding");
    const auto found = read_back(counters);
    for (std::uint32_t word = 0; word < words; ++word)
      ASSERT_EQ(found[word], kernels::memory::atomics_expected(word, words, blocks, rounds)) << word;
  }
}

TEST_F(MemoryMore, gather_reads_the_sectors_that_are_expected) {
  for (const std::size_t sectors : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    const auto data = filled(sectors * kernels::memory::sector_floats, seed);
    const int blocks = sms() + 3;
    const DeviceBuffer<std::uint32_t> sums(static_cast<std::size_t>(blocks));
    const DeviceValue<std::uint32_t> expected;
    check(kernels::memory::gather(data.get(), sectors, 7, blocks, 2, sums.get(), nullptr), "gathering");
    check(kernels::memory::expected_gather(sectors, 7, kernels::memory::gather_readings(blocks, 2), seed,
                                           expected.get(), nullptr),
          "summing");
    const auto parts = read_back(sums);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::uint32_t{0}), expected.read(nullptr))
        << sectors;
  }
}

TEST_F(MemoryMore, refuses_what_it_cannot_do) {
  const DeviceBuffer<float> data(64);
  EXPECT_EQ(kernels::memory::scale(data.get() + 1, 1, data.get() + 32, 8, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(kernels::memory::bulk_copy(data.get() + 1, data.get() + 32, 8, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(kernels::memory::gather(data.get(), 0, 1, 1, 1, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(kernels::memory::add_atomically(nullptr, 0, 1, 1, nullptr), cudaErrorInvalidValue);
}

}  // namespace
