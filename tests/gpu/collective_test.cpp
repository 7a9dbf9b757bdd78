#include <cmath>
#include <limits>
#include <vector>

#include "gpu_test.hpp"
#include "kernels/collective/check.hpp"
#include "kernels/support/fill.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceValue;
using kernels::collective::Expected;
using testing_gpu::read_back;

constexpr std::uint64_t seed = 5;

class Collective : public testing_gpu::GpuTest {};

TEST_F(Collective, fill_is_what_the_host_works_out) {
  constexpr std::size_t count = 100'003;
  const DeviceBuffer<float> data(count + 4);
  check(kernels::poison(data.get(), data.bytes(), nullptr), "poisoning");
  check(kernels::collective::fill(data.get(), count, seed, 3, nullptr), "filling");
  const auto values = read_back(data);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(values[i], kernels::collective::predictable(seed, 3, i)) << i;
  EXPECT_TRUE(std::isnan(values[count]));
}

TEST_F(Collective, a_right_result_has_no_mismatch_and_every_wrong_element_is_one) {
  constexpr std::size_t count = 50'001;
  const bench::cuda::DeviceComparison found;
  for (const Expected& expected : {Expected{.sum = true, .ranks = 8, .base = 77}, Expected{.block = 6'251},
                                   Expected{.first_rank = 2, .block = 1'000'000, .base = 5}}) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = expected.at(seed, i);
    const DeviceBuffer<float> data(count);
    const auto upload = [&] {
      check(cudaMemcpy(data.get(), values.data(), data.bytes(), cudaMemcpyHostToDevice), "uploading");
      check(kernels::collective::count_mismatches(data.get(), count, seed, expected, found.get(), nullptr),
            "comparing");
      return testing_gpu::error_of(found);
    };
    EXPECT_EQ(upload(), 0U);
    values.front() += 1;
    values[count / 2] = std::numeric_limits<float>::quiet_NaN();
    values.back() += 1;
    EXPECT_EQ(upload(), 3U);
  }
}

}  // namespace
