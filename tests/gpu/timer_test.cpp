// The ruler: what measures is measured.
#include "support/timer.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gpu_test.hpp"
#include "kernels/launch/trivial.hpp"
#include "kernels/support/sm_clock.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/cuda/written.hpp"
#include "support/measure.hpp"
#include "support/statistics.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::Blocker;
using bench::cuda::check;
using bench::cuda::DeviceValue;
using bench::cuda::GpuTimer;
using bench::cuda::Stream;

class Blocking : public testing_gpu::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && bench::cuda::queue().synchronous) GTEST_SKIP() << "launches wait for the GPU here";
  }
};

TEST_F(Blocking, holds_back_all_work_until_it_lets_go) {
  const Stream stream;
  const DeviceValue<unsigned long long> counter;
  Blocker blocker;
  check(kernels::launch::launch_counting(counter.get(), stream.get()), "loading the kernel");
  stream.synchronize();
  {
    const Blocker::Hold hold = blocker.hold(stream.get(), 1);
    check(kernels::launch::launch_counting(counter.get(), stream.get()), "launching");
    EXPECT_EQ(cudaStreamQuery(stream.get()), cudaErrorNotReady);
    EXPECT_FALSE(blocker.timed_out());
  }
  EXPECT_EQ(counter.read(stream.get()), 2U);
  EXPECT_FALSE(blocker.timed_out());
}

TEST_F(Blocking, gives_up_after_its_timeout) {
  const Stream stream;
  Blocker blocker;
  const Blocker::Hold hold = blocker.hold(stream.get(), 0.02);
  stream.synchronize();  // would hang for ever without the timeout
  EXPECT_TRUE(blocker.timed_out());
}

TEST_F(Blocking, can_be_used_again) {
  const Stream stream;
  Blocker blocker;
  for (int i = 0; i < 3; ++i) {
    { const Blocker::Hold hold = blocker.hold(stream.get(), 1); }
    stream.synchronize();
    EXPECT_FALSE(blocker.timed_out());
  }
}

TEST_F(Blocking, the_queue_takes_at_least_a_hundred_launches) {
  EXPECT_GE(bench::cuda::queue().depth, 100);
}

class Ruler : public testing_gpu::GpuTest {
 protected:
  Ruler()
      : definition_(bench::define("test", "ruler")
                        .isolates("the timer")
                        .bad_value("a wrong timer")
                        .quantity(bench::Quantity::latency, "launch")
                        .body([](bench::Trial&) {})),
        instance_{&definition_, {}, "test/ruler"},
        trial_(instance_, bench::Window{}, 1) {}

  bench::Definition definition_;
  bench::Instance instance_;
  bench::Trial trial_;
};

// Kernels of known duration by the GPU's real-time counter, which is not the counter that events use: 20 of 1
// ms.
TEST_F(Ruler, measures_kernels_of_known_duration_within_one_percent) {
  GpuTimer timer(trial_, [](cudaStream_t stream, std::int64_t) {
    check(kernels::launch_spin(1'000'000, stream), "spinning");
  });
  timer.warm_up();
  EXPECT_NEAR(timer.time_batch(20).seconds, 20e-3, 0.2e-3);
}

TEST_F(Ruler, a_batch_twice_as_long_takes_twice_the_time) {
  GpuTimer timer(trial_, [](cudaStream_t stream, std::int64_t) {
    check(kernels::launch_spin(100'000, stream), "spinning");
  });
  timer.warm_up();
  const double one = timer.time_batch(40).seconds;
  const double two = timer.time_batch(80).seconds;
  EXPECT_NEAR(two / one, 2, 0.02);
}

// Jitter of a known amount: every tenth operation lasts a quarter longer. The median is that of the others,
// p99 that of the long ones, through calibration, blocking kernel and window as every benchmark has them.
TEST_F(Ruler, finds_injected_jitter_in_median_and_p99_within_one_percent) {
  static constexpr std::uint64_t usual = 2'000'000;
  static constexpr std::uint64_t longer = 2'500'000;
  GpuTimer timer(trial_, [](cudaStream_t stream, std::int64_t index) {
    check(kernels::launch_spin(index % 10 == 9 ? longer : usual, stream), "spinning");
  });
  const result::Batches batches = bench::measure(
      timer, {.batch_seconds = 2e-3, .seconds = 0.4, .minimum_batches = 200, .budget_seconds = 10});
  ASSERT_EQ(batches.operations_per_batch, 1);
  ASSERT_GE(batches.seconds_per_operation.size(), 200U);
  EXPECT_NEAR(bench::seconds_per_operation(batches, bench::Statistic::median), 2e-3, 2e-5);
  EXPECT_NEAR(bench::seconds_per_operation(batches, bench::Statistic::p99), 2.5e-3, 2.5e-5);
}

TEST_F(Ruler, reads_an_sm_clock_that_the_gpu_can_have) {
  GpuTimer timer(trial_, [](cudaStream_t stream, std::int64_t) {
    check(kernels::launch_spin(1'000'000, stream), "spinning");
  });
  timer.warm_up();
  int kilohertz = 0;
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "reading the clock");
  const double clock = timer.time_batch(5).sm_clock_hz;
  EXPECT_GT(clock, 100e6);
  EXPECT_LT(clock, kilohertz * 1e3 * 1.05);
}

// What warming up wrote is gone, and what the operation leaves out is found.
TEST_F(Ruler, one_more_operation_into_poison_shows_what_is_not_written) {
  constexpr std::size_t count = 100'003;
  const bench::cuda::DeviceBuffer<float> output(count);
  std::size_t written = count;
  std::vector<std::int64_t> seen;
  GpuTimer timer(trial_, [&](cudaStream_t stream, std::int64_t index) {
    check(cudaMemsetAsync(output.get(), 0, written * sizeof(float), stream), "writing");
    seen.push_back(index);
  });
  timer.warm_up();
  const std::int64_t before = timer.operations();
  EXPECT_EQ(bench::cuda::error_of(bench::cuda::not_finite_once_more(timer, output)), 0);
  EXPECT_EQ(timer.operations(), before + 1);
  EXPECT_EQ(seen.back(), before);
  written = count - 7;
  EXPECT_EQ(bench::cuda::error_of(bench::cuda::not_finite_once_more(timer, output)), 7);
}

TEST_F(Ruler, counts_operations_on_over_batches) {
  std::vector<std::int64_t> seen;
  GpuTimer timer(trial_, [&](cudaStream_t, std::int64_t index) { seen.push_back(index); });
  timer.time_batch(3);
  timer.time_batch(2);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

// The variable is read when CUDA starts, so this runs itself in a process that has it set.
TEST_F(Ruler, sees_synchronous_launches_under_cuda_launch_blocking) {
  if (std::getenv("CUDA_LAUNCH_BLOCKING") != nullptr) {
    EXPECT_TRUE(bench::cuda::queue().synchronous);
    GpuTimer timer(trial_, [](cudaStream_t stream, std::int64_t) {
      check(kernels::launch_spin(1'000'000, stream), "spinning");
    });
    timer.warm_up();
    EXPECT_NEAR(timer.time_batch(5).seconds, 5e-3, 0.5e-3);
    return;
  }
  const std::unique_ptr<FILE, int (*)(FILE*)> child(
      popen("exec env CUDA_LAUNCH_BLOCKING=1 \"$(readlink /proc/$PPID/exe)\" "
            "--gtest_filter=Ruler.sees_synchronous_launches_under_cuda_launch_blocking 2>&1",
            "r"),
      pclose);
  ASSERT_NE(child, nullptr);
  std::string output;
  std::array<char, 4096> part{};
  while (fgets(part.data(), static_cast<int>(part.size()), child.get()) != nullptr) output += part.data();
  EXPECT_NE(output.find("[  PASSED  ] 1 test"), std::string::npos) << output;
}

}  // namespace
