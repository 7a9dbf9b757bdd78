#include <cmath>
#include <numeric>

#include "gpu_test.hpp"
#include "kernels/memory/stream.hpp"
#include "kernels/support/fill.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceComparison;
using bench::cuda::DeviceValue;
using testing_gpu::error_of;
using testing_gpu::read_back;

constexpr std::uint64_t seed = 11;

class Memory : public testing_gpu::GpuTest {
 protected:
  // Around the vector width, a block, a pass of the whole grid, and beyond.
  static std::vector<std::size_t> counts() {
    const auto pass = kernels::memory::read_blocks(bench::cuda::device().sm_count) *
                      kernels::memory::threads * kernels::memory::unroll * 4;
    return {1, 3, 4, 5, 1023, 1024, pass - 1, pass, pass + 7, 2 * pass + 1021};
  }
  DeviceBuffer<float> filled(std::size_t count, std::uint64_t with) const {
    DeviceBuffer<float> data(count);
    check(kernels::fill_uniform(data.get(), count, with, nullptr), "filling");
    return data;
  }
};

TEST_F(Memory, read_sums_every_word_once) {
  const DeviceBuffer<unsigned long long> sums(kernels::memory::read_blocks(bench::cuda::device().sm_count));
  const DeviceValue<unsigned long long> expected;
  for (const std::size_t count : counts()) {
    const auto data = filled(count, seed);
    check(kernels::poison(sums.get(), sums.bytes(), nullptr), "poisoning");
    check(kernels::memory::read(data.get(), count, sums.get(), nullptr), "reading");
    check(kernels::memory::expected_read(count, seed, expected.get(), nullptr), "summing");
    const auto parts = read_back(sums);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0ULL), expected.read(nullptr)) << count;
  }
}

TEST_F(Memory, copy_moves_every_element_and_nothing_behind_it) {
  const DeviceComparison found;
  for (const std::size_t count : counts()) {
    const auto from = filled(count, seed);
    const DeviceBuffer<float> to(count + 8);
    check(kernels::poison(to.get(), to.bytes(), nullptr), "poisoning");
    check(kernels::memory::copy(from.get(), to.get(), count, nullptr), "copying");
    check(kernels::memory::count_copy_mismatches(to.get(), count, seed, found.get(), nullptr), "comparing");
    EXPECT_EQ(error_of(found), 0) << count;
    EXPECT_TRUE(std::isnan(read_back(to)[count])) << count;
  }
}

TEST_F(Memory, triad_is_exact_at_every_element_and_nothing_behind_it) {
  const DeviceComparison found;
  for (const std::size_t count : counts()) {
    const auto b = filled(count, seed);
    const auto c = filled(count, seed + 1);
    const DeviceBuffer<float> a(count + 8);
    check(kernels::poison(a.get(), a.bytes(), nullptr), "poisoning");
    check(kernels::memory::triad(b.get(), c.get(), 0.75F, a.get(), count, nullptr), "triad");
    check(
        kernels::memory::count_triad_mismatches(a.get(), count, seed, seed + 1, 0.75F, found.get(), nullptr),
        "comparing");
    EXPECT_EQ(error_of(found), 0) << count;
    EXPECT_TRUE(std::isnan(read_back(a)[count])) << count;
  }
}

TEST_F(Memory, verification_counts_every_wrong_element) {
  constexpr std::size_t count = 10'000;
  const auto data = filled(count, seed);
  const DeviceComparison found;
  check(kernels::poison(data.get() + 17, 3 * sizeof(float), nullptr), "poisoning");
  check(kernels::memory::count_copy_mismatches(data.get(), count, seed, found.get(), nullptr), "comparing");
  EXPECT_EQ(error_of(found), 3);
}

TEST_F(Memory, refuses_pointers_that_are_not_16_byte_aligned) {
  const DeviceBuffer<float> data(64);
  EXPECT_EQ(kernels::memory::copy(data.get() + 1, data.get() + 32, 8, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(kernels::memory::triad(data.get(), data.get() + 16, 1, data.get() + 33, 8, nullptr),
            cudaErrorInvalidValue);
}

}  // namespace
