#include <vector>

#include "gpu_test.hpp"
#include "kernels/gemm/reference.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/integrity/pattern.hpp"
#include "kernels/integrity/tiles.hpp"
#include "kernels/integrity/transforms.hpp"
#include "kernels/support/fill.hpp"
#include "kernels/support/uniform.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceValue;
using kernels::Bf16;
using kernels::integrity::Faults;
using testing_gpu::read_back;

class Integrity : public testing_gpu::GpuTest {};

TEST_F(Integrity, tiles_are_right_summed_and_made_by_sms_that_exist) {
  if (bench::cuda::device().compute_capability < 80) GTEST_SKIP() << "needs compute capability 8.0";
  constexpr int m = 192;
  constexpr int n = 320;
  constexpr int k = 144;
  constexpr std::size_t tiles = std::size_t{m / 64} * (n / 64);
  const DeviceBuffer<Bf16> a(std::size_t{m} * k);
  const DeviceBuffer<Bf16> b(std::size_t{k} * n);
  const DeviceBuffer<Bf16> bt(std::size_t{k} * n);
  const DeviceBuffer<float> c(std::size_t{m} * n);
  const DeviceBuffer<unsigned long long> sums(tiles);
  const DeviceBuffer<std::uint32_t> sms(tiles);
  check(kernels::fill_uniform(a.get(), a.count(), 1, nullptr), "filling");
  check(kernels::fill_uniform(b.get(), b.count(), 2, nullptr), "filling");
  check(kernels::integrity::fill_by_columns(bt.get(), k, n, 2, nullptr), "filling");
  check(kernels::poison(c.get(), c.bytes(), nullptr), "poisoning");
  check(kernels::poison(sums.get(), sums.bytes(), nullptr), "poisoning");
  check(kernels::poison(sms.get(), sms.bytes(), nullptr), "poisoning");
  check(
      kernels::integrity::multiply_tiles(a.get(), bt.get(), c.get(), m, n, k, sums.get(), sms.get(), nullptr),
      "multiplying");
  const bench::cuda::DeviceComparison error;
  check(kernels::gemm::sampled_error(a.get(), b.get(), c.get(), m, n, k, m, 3, error.get(), nullptr),
        "comparing");
  EXPECT_LE(testing_gpu::error_of(error), kernels::gemm::tolerance_bf16_mma(k));
  const auto values = read_back(c);
  unsigned long long total = 0;
  for (const unsigned long long sum : read_back(sums)) total += sum;
  EXPECT_EQ(total, kernels::checksum_on_host(values.data(), values.size() * sizeof(float)));
  for (const std::uint32_t sm : read_back(sms))
    EXPECT_LT(sm, static_cast<unsigned>(kernels::integrity::most_sms));
}

TEST_F(Integrity, transforms_are_unitary_summed_and_made_by_sms_that_exist) {
  constexpr int rows = 300;
  constexpr std::size_t points = kernels::integrity::transform_points;
  const DeviceBuffer<float2> factors(points);
  const DeviceBuffer<float2> to(rows * points);
  const DeviceBuffer<unsigned long long> sums(rows);
  const DeviceBuffer<std::uint32_t> sms(rows);
  float2 made[points];
  kernels::integrity::transform_factors(made);
  check(cudaMemcpy(factors.get(), made, sizeof made, cudaMemcpyHostToDevice), "copying");
  check(kernels::poison(to.get(), to.bytes(), nullptr), "poisoning");
  constexpr int times = 64;  // gives back what was given
  check(kernels::integrity::transform_rows(factors.get(), to.get(), rows, times, 5, sums.get(), sms.get(),
                                           nullptr),
        "transforming");
  const auto found = read_back(to);
  double error = 0;
  double norm = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double x = kernels::uniform(5, 2 * i);
    const double y = kernels::uniform(5, 2 * i + 1);
    error += (found[i].x - x) * (found[i].x - x) + (found[i].y - y) * (found[i].y - y);
    norm += x * x + y * y;
  }
  EXPECT_LE(error, norm * kernels::integrity::transform_tolerance(times) *
                       kernels::integrity::transform_tolerance(times));
  unsigned long long total = 0;
  for (const unsigned long long sum : read_back(sums)) total += sum;
  EXPECT_EQ(total, kernels::checksum_on_host(found.data(), found.size() * sizeof(float2)));
  for (const std::uint32_t sm : read_back(sms))
    EXPECT_LT(sm, static_cast<unsigned>(kernels::integrity::most_sms));
  EXPECT_EQ(
      kernels::integrity::transform_rows(factors.get(), to.get(), 0, 1, 5, sums.get(), sms.get(), nullptr),
      cudaErrorInvalidValue);
}

TEST_F(Integrity, multiply_refuses_what_it_cannot_tile) {
  const DeviceBuffer<Bf16> data(64UL * 64);
  const DeviceBuffer<float> c(64UL * 64);
  const DeviceBuffer<unsigned long long> sums(1);
  const DeviceBuffer<std::uint32_t> sms(1);
  const auto code = [&](int m, int n, int k) {
    return kernels::integrity::multiply_tiles(data.get(), data.get(), c.get(), m, n, k, sums.get(), sms.get(),
                                              nullptr);
  };
  EXPECT_EQ(code(63, 64, 16), cudaErrorInvalidValue);
  EXPECT_EQ(code(64, 65, 16), cudaErrorInvalidValue);
  EXPECT_EQ(code(64, 64, 17), cudaErrorInvalidValue);
}

TEST_F(Integrity, a_planted_fault_is_found_at_its_place) {
  for (const std::size_t count : {1UL, 2UL, 1'000'001UL}) {
    const DeviceBuffer<std::uint64_t> words(count);
    const DeviceBuffer<Faults> record(1);
    const auto faults = [&](bool inverse) {
      check(kernels::integrity::reset_faults(record.get(), nullptr), "resetting");
      check(kernels::integrity::check_pattern(words.get(), count, inverse, record.get(), nullptr),
            "checking");
      return read_back(record).front();
    };
    for (const bool inverse : {false, true}) {
      check(kernels::integrity::write_pattern(words.get(), count, inverse, nullptr), "writing");
      EXPECT_EQ(faults(inverse).count, 0U) << count;
      EXPECT_EQ(faults(!inverse).count, count);
      const std::uint64_t wrong = kernels::integrity::pattern(count - 1, inverse) ^ 0x100;
      check(cudaMemcpy(words.get() + count - 1, &wrong, sizeof wrong, cudaMemcpyHostToDevice), "spoiling");
      const Faults found = faults(inverse);
      EXPECT_EQ(found.count, 1U);
      EXPECT_EQ(found.first, count - 1);
      EXPECT_EQ(found.last, count - 1);
      EXPECT_EQ(found.bits, 0x100U);
      int sms = 0;
      for (const unsigned word : found.sms) sms += __builtin_popcount(word);
      EXPECT_EQ(sms, 1);
    }
  }
}

}  // namespace
