// The hand-written primitives and the checks of the library's, on sizes around their tiles and on random
// ones.
#include <cmath>
#include <random>

#include "gpu_test.hpp"
#include "kernels/primitive/histogram.hpp"
#include "kernels/primitive/library_checks.hpp"
#include "kernels/primitive/reduce.hpp"
#include "kernels/primitive/rows.hpp"
#include "kernels/primitive/scan.hpp"
#include "kernels/primitive/transpose.hpp"
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

class PrimitiveGpu : public testing_gpu::GpuTest {
 protected:
  static std::vector<std::size_t> counts() {
    std::vector<std::size_t> counts{1, 3, 4, 5, 4095, 4096, 4097};
    counts.push_back(testing_gpu::of_size<std::size_t>(1'000'003, 100'003));
    const std::size_t most = testing_gpu::of_size<std::size_t>(30'000'000, 300'000);
    std::mt19937_64 random(5);
    for (int i = 0; i < 8; ++i) counts.push_back(1 + random() % most);
    return counts;
  }
  static DeviceBuffer<float> filled(std::size_t count, std::uint64_t with) {
    DeviceBuffer<float> data(count);
    check(kernels::fill_uniform(data.get(), count, with, nullptr), "filling");
    return data;
  }
};

TEST_F(PrimitiveGpu, reduce_is_within_its_bound_and_repeats_bit_for_bit) {
  const int sms = bench::cuda::device().sm_count;
  const DeviceBuffer<float> partials(kernels::primitive::reduce_partials(sms));
  const DeviceValue<unsigned> finished;
  const DeviceValue<float> sum;
  const DeviceValue<double> reference;
  const DeviceValue<double> magnitude;
  for (const std::size_t count : counts()) {
    const auto data = filled(count, seed);
    float first = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
      check(kernels::poison(sum.get(), sizeof(float), nullptr), "poisoning");
      check(kernels::primitive::reduce(data.get(), count, partials.get(), finished.get(), sum.get(), nullptr),
            "reducing");
      const float found = sum.read(nullptr);
      if (repeat == 0) first = found;
      EXPECT_EQ(found, first) << count;
    }
    check(kernels::primitive::reduce_reference(data.get(), count, reference.get(), magnitude.get(), nullptr),
          "summing");
    EXPECT_LE(std::fabs(static_cast<double>(first) - reference.read(nullptr)),
              kernels::primitive::reduce_error_most(count, sms, magnitude.read(nullptr)))
        << count;
  }
}

TEST_F(PrimitiveGpu, scan_gives_every_prefix_sum_and_touches_nothing_behind_it) {
  const DeviceComparison found;
  for (const std::size_t count : counts()) {
    const DeviceBuffer<std::uint32_t> from(count);
    const DeviceBuffer<std::uint32_t> to(count + 8);
    const DeviceBuffer<unsigned long long> scratch(kernels::primitive::scan_scratch(count));
    check(kernels::primitive::fill_keys(from.get(), count, seed, nullptr), "filling");
    check(kernels::poison(scratch.get(), scratch.bytes(), nullptr), "poisoning");
    for (int repeat = 0; repeat < 3; ++repeat) {
      check(kernels::poison(to.get(), to.bytes(), nullptr), "poisoning");
      check(kernels::primitive::exclusive_scan(from.get(), to.get(), count, scratch.get(), nullptr),
            "scanning");
      check(kernels::primitive::count_scan_mismatches(from.get(), to.get(), count, found.get(), nullptr),
            "comparing");
      ASSERT_EQ(error_of(found), 0) << count;
      std::uint32_t behind = 0;
      check(cudaMemcpy(&behind, to.get() + count, sizeof behind, cudaMemcpyDeviceToHost), "reading");
      ASSERT_EQ(behind, 0xffffffffU) << count;
    }
  }
}

TEST_F(PrimitiveGpu, scan_check_sees_one_wrong_element) {
  constexpr std::size_t count = 10'000;
  const DeviceBuffer<std::uint32_t> from(count);
  const DeviceBuffer<std::uint32_t> to(count);
  const DeviceBuffer<unsigned long long> scratch(kernels::primitive::scan_scratch(count));
  const DeviceComparison found;
  check(kernels::primitive::fill_keys(from.get(), count, seed, nullptr), "filling");
  check(kernels::primitive::exclusive_scan(from.get(), to.get(), count, scratch.get(), nullptr), "scanning");
  check(cudaMemset(to.get() + 5000, 0x5a, 4), "spoiling");
  check(kernels::primitive::count_scan_mismatches(from.get(), to.get(), count, found.get(), nullptr),
        "comparing");
  EXPECT_EQ(error_of(found), 2);
}

TEST_F(PrimitiveGpu, histogram_equals_the_generators) {
  const DeviceBuffer<std::uint32_t> bins(kernels::primitive::histogram_bins);
  const DeviceBuffer<std::uint32_t> expected(kernels::primitive::histogram_bins);
  for (const std::size_t count : counts()) {
    const auto data = filled(count, seed);
    check(kernels::poison(bins.get(), bins.bytes(), nullptr), "poisoning");
    check(kernels::primitive::histogram(data.get(), count, bins.get(), nullptr), "counting");
    check(kernels::primitive::expected_histogram(count, seed, expected.get(), nullptr), "counting");
    EXPECT_EQ(read_back(bins), read_back(expected)) << count;
  }
}

TEST_F(PrimitiveGpu, transpose_moves_every_element) {
  const DeviceComparison found;
  std::vector<std::pair<int, int>> sizes{{1, 1},    {4, 4},     {64, 64}, {65, 63},
                                         {1, 5000}, {4096, 12}, {68, 132}};
  std::mt19937 random(5);
  const unsigned most = testing_gpu::of_size(3000U, 300U);
  for (int i = 0; i < 8; ++i)
    sizes.emplace_back(1 + static_cast<int>(random() % most), 1 + static_cast<int>(random() % most));
  const unsigned most_vectors = testing_gpu::of_size(700U, 70U);
  for (int i = 0; i < 4; ++i)
    sizes.emplace_back(4 + 4 * static_cast<int>(random() % most_vectors),
                       4 + 4 * static_cast<int>(random() % most_vectors));
  for (const auto& [rows, columns] : sizes) {
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    const auto from = filled(count, seed);
    const DeviceBuffer<float> to(count);
    check(kernels::poison(to.get(), to.bytes(), nullptr), "poisoning");
    check(kernels::primitive::transpose(from.get(), to.get(), rows, columns, nullptr), "transposing");
    check(kernels::primitive::count_transpose_mismatches(to.get(), rows, columns, seed, found.get(), nullptr),
          "comparing");
    EXPECT_EQ(error_of(found), 0) << rows << " x " << columns;
  }
}

TEST_F(PrimitiveGpu, rows_are_right_at_every_length) {
  constexpr float epsilon = 1e-5F;
  const DeviceComparison error;
  std::vector<int> lengths{16, 500, 1025, 2048, 2052, 4095, 4096, 4100, 8192, 8196, 16383, 16384};
  std::mt19937 random(5);
  const int more = testing_gpu::of_size(8, 2);
  for (int i = 0; i < more; ++i) lengths.push_back(16 + static_cast<int>(random() % 16'000));
  for (const int columns : lengths) {
    constexpr int rows = 67;
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    const auto from = filled(count, seed);
    const auto gain = filled(static_cast<std::size_t>(columns), seed + 1);
    const auto bias = filled(static_cast<std::size_t>(columns), seed + 2);
    const DeviceBuffer<float> to(count);
    namespace primitive = kernels::primitive;
    check(kernels::poison(to.get(), to.bytes(), nullptr), "poisoning");
    check(primitive::softmax(from.get(), to.get(), rows, columns, nullptr), "softmax");
    check(primitive::softmax_error(from.get(), to.get(), rows, columns, rows, error.get(), nullptr),
          "comparing");
    EXPECT_LE(error_of(error), primitive::softmax_tolerance) << columns;
    check(kernels::poison(to.get(), to.bytes(), nullptr), "poisoning");
    check(
        primitive::layer_norm(from.get(), gain.get(), bias.get(), epsilon, to.get(), rows, columns, nullptr),
        "layer norm");
    check(primitive::layer_norm_error(from.get(), gain.get(), bias.get(), epsilon, to.get(), rows, columns,
                                      rows, error.get(), nullptr),
          "comparing");
    EXPECT_LE(error_of(error), primitive::norm_tolerance) << columns;
    check(kernels::poison(to.get(), to.bytes(), nullptr), "poisoning");
    check(primitive::rms_norm(from.get(), gain.get(), epsilon, to.get(), rows, columns, nullptr), "RMS norm");
    check(primitive::rms_norm_error(from.get(), gain.get(), epsilon, to.get(), rows, columns, rows,
                                    error.get(), nullptr),
          "comparing");
    EXPECT_LE(error_of(error), primitive::norm_tolerance) << columns;
  }
}

TEST_F(PrimitiveGpu, an_output_that_was_not_written_never_passes) {
  const auto from = filled(4UL * 64, seed);
  const DeviceBuffer<float> to(4UL * 64);
  const DeviceComparison error;
  check(kernels::poison(to.get(), to.bytes(), nullptr), "poisoning");
  check(kernels::primitive::softmax_error(from.get(), to.get(), 4, 64, 4, error.get(), nullptr), "comparing");
  EXPECT_TRUE(std::isinf(error_of(error)));
}

TEST_F(PrimitiveGpu, refuses_what_it_cannot_do) {
  const DeviceBuffer<float> data(1 << 16);
  namespace primitive = kernels::primitive;
  EXPECT_EQ(primitive::softmax(data.get(), data.get() + 64, 1, primitive::longest_row + 1, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(primitive::softmax(data.get() + 1, data.get() + 64, 1, 4, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(primitive::transpose(data.get(), data.get() + 64, 0, 4, nullptr), cudaErrorInvalidValue);
}

}  // namespace
