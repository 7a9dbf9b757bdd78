#include "kernels/support/fill.hpp"

#include <cmath>

#include "gpu_test.hpp"
#include "kernels/support/finite.hpp"
#include "kernels/support/uniform.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceComparison;
using bench::cuda::DeviceValue;
using testing_gpu::error_of;
using testing_gpu::read_back;

class Fill : public testing_gpu::GpuTest {};

TEST_F(Fill, gives_the_hosts_values_bit_for_bit) {
  for (const std::size_t count : {1, 31, 257, 100'003}) {
    const DeviceBuffer<float> floats(count);
    const DeviceBuffer<kernels::Bf16> halves(count);
    check(kernels::fill_uniform(floats.get(), count, 42, nullptr), "filling");
    check(kernels::fill_uniform(halves.get(), count, 42, nullptr), "filling");
    const auto from_floats = read_back(floats);
    const auto from_halves = read_back(halves);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(kernels::bits_of(from_floats[i]), kernels::bits_of(kernels::uniform(42, i))) << i;
      ASSERT_EQ(from_halves[i].bits, kernels::uniform_bf16(42, i).bits) << i;
    }
  }
}

TEST_F(Fill, poison_is_nan_in_every_type) {
  const DeviceBuffer<float> data(100);
  check(kernels::poison(data.get(), data.bytes(), nullptr), "poisoning");
  for (const float value : read_back(data)) {
    EXPECT_TRUE(std::isnan(value));
    EXPECT_TRUE(
        std::isnan(kernels::to_float(kernels::Bf16{static_cast<std::uint16_t>(kernels::bits_of(value))})));
  }
}

template <typename T>
void expect_poison_is_counted(const char* type) {
  const DeviceComparison found;
  for (const std::size_t count : {std::size_t{1}, std::size_t{257}, std::size_t{1'000'003}}) {
    const DeviceBuffer<T> data(count);
    check(kernels::fill_uniform(data.get(), count, 42, nullptr), "filling");
    check(kernels::count_not_finite(data.get(), count, found.get(), nullptr), "counting");
    EXPECT_EQ(error_of(found), 0) << type << " " << count;
    // The last element, then the last tenth.
    for (const std::size_t left : {std::size_t{1}, count / 10 + 1}) {
      check(kernels::poison(data.get() + (count - left), left * sizeof(T), nullptr), "poisoning");
      check(kernels::count_not_finite(data.get(), count, found.get(), nullptr), "counting");
      EXPECT_EQ(error_of(found), static_cast<double>(left)) << type << " " << count;
    }
  }
}

TEST_F(Fill, what_is_still_poison_is_counted) {
  expect_poison_is_counted<float>("fp32");
  expect_poison_is_counted<kernels::Bf16>("bf16");
  expect_poison_is_counted<kernels::Fp16>("fp16");
}

TEST_F(Fill, checksum_is_the_hosts_for_every_length_and_each_time) {
  const DeviceBuffer<unsigned char> data(1'000'003);
  check(cudaMemset(data.get(), 0xa5, data.bytes()), "filling");
  const auto bytes = read_back(data);
  const DeviceValue<unsigned long long> sum;
  for (const std::size_t length : {0, 1, 3, 4, 5, 1024, 999'999, 1'000'003})
    for (int repeat = 0; repeat < 3; ++repeat) {
      check(kernels::checksum(data.get(), length, sum.get(), nullptr), "summing");
      EXPECT_EQ(sum.read(nullptr), kernels::checksum_on_host(bytes.data(), length)) << length;
    }
}

}  // namespace
