#include "run/host_counters.hpp"

#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "fake_family.hpp"
#include "run/telemetry_host.hpp"

namespace gpugauge::run {
namespace {

/// A machine of files. Times in /proc/stat are ticks.
class HostTest : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) const {
    write_text(root_.path() / file, text);
  }

  void processors(double user, double idle, double steal) const {
    const double tick = static_cast<double>(sysconf(_SC_CLK_TCK));
    const auto ticks = [&](double seconds) { return std::to_string(static_cast<long>(seconds * tick)); };
    write("proc/stat", "cpu  " + ticks(user) + " " + ticks(1) + " " + ticks(2) + " " + ticks(idle) + " " +
                           ticks(3) + " " + ticks(4) + " " + ticks(5) + " " + ticks(steal) + " " +
                           ticks(user) + " 0\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 1 2 3\n");
  }

  const result::Series* find(const std::vector<result::Series>& all, const std::string& name) const {
    for (const auto& series : all)
      if (series.name == name) return &series;
    return nullptr;
  }

  result::TemporaryDirectory root_;
};

TEST_F(HostTest, ReadsProcessorTimes) {
  processors(10, 100, 7);
  const auto counters = HostReader(root_.path()).counters();
  EXPECT_DOUBLE_EQ(*counters.busy_seconds, 10 + 1 + 2 + 4 + 5);  // guest time is within user time
  EXPECT_DOUBLE_EQ(*counters.iowait_seconds, 3);
  EXPECT_DOUBLE_EQ(*counters.steal_seconds, 7);
  EXPECT_DOUBLE_EQ(*counters.total_seconds, 10 + 1 + 2 + 100 + 3 + 4 + 5 + 7);
}

TEST_F(HostTest, ReadsPressureOfSomeNotOfAll) {
  write("proc/pressure/cpu",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n"
        "full avg10=0.00 avg60=0.00 avg300=0.00 total=9000000\n");
  write("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=500000\n");
  const auto counters = HostReader(root_.path()).counters();
  EXPECT_DOUBLE_EQ(*counters.pressure_cpu_seconds, 2.5);
  EXPECT_DOUBLE_EQ(*counters.pressure_memory_seconds, .5);
}

TEST_F(HostTest, ReadsMissesOfAllNodes) {
  write("sys/devices/system/node/node0/numastat", "numa_hit 10\nnuma_miss 3\n");
  write("sys/devices/system/node/node1/numastat", "numa_hit 10\nnuma_miss 4\n");
  EXPECT_DOUBLE_EQ(*HostReader(root_.path()).counters().numa_misses, 7);
}

TEST_F(HostTest, ReadsLoadMemoryAndClock) {
  write("proc/loadavg", "1.25 0.5 0.1 1/100 1234\n");
  write("proc/meminfo", "MemTotal: 100 kB\nMemAvailable:     2048 kB\n");
  for (int i = 0; i < 20; ++i)
    write("sys/devices/system/cpu/cpufreq/policy" + std::to_string(i) + "/scaling_cur_freq", "3000000\n");
  const HostReader reader(root_.path());
  EXPECT_DOUBLE_EQ(*reader.load1(), 1.25);
  EXPECT_DOUBLE_EQ(*reader.memory_available_bytes(), 2048 * 1024);
  EXPECT_DOUBLE_EQ(*reader.cpu_clock_hz(), 3e9);
}

TEST_F(HostTest, SaysNothingWhereNothingCanBeRead) {
  write("proc/stat", "nonsense\n");
  write("proc/pressure/cpu", "some total=x\n");
  const HostReader reader(root_.path());
  const auto counters = reader.counters();
  EXPECT_EQ(counters.busy_seconds, std::nullopt);
  EXPECT_EQ(counters.pressure_cpu_seconds, std::nullopt);
  EXPECT_EQ(counters.throttled_periods, std::nullopt);
  EXPECT_EQ(counters.numa_misses, std::nullopt);
  EXPECT_EQ(reader.load1(), std::nullopt);
  EXPECT_EQ(reader.cpu_clock_hz(), std::nullopt);
  HostTelemetry telemetry(reader);
  telemetry.sample(0);
  telemetry.sample(1);
  EXPECT_TRUE(telemetry.series().empty());
}

TEST(Difference, CountsWhatHappenedBetweenTwoReadings) {
  HostCounters before;
  before.busy_seconds = 100;
  before.steal_seconds = 5;
  before.throttled_periods = 10;
  before.throttled_seconds = 1;
  before.children_seconds = 20;
  before.own_seconds = 2;
  HostCounters after = before;
  after.busy_seconds = 110;
  after.steal_seconds = 5.5;
  after.throttled_periods = 14;
  after.throttled_seconds = 1.25;
  after.children_seconds = 26;
  after.children_involuntary_switches = 9;
  after.own_seconds = 2.5;
  const std::map<std::string, double> expected{
      {"cpu_seconds", 6},         {"involuntary_switches", 9},     {"steal_seconds", .5},
      {"other_cpu_seconds", 2.5}, {"cgroup_throttled_periods", 4}, {"cgroup_throttled_seconds", .25},
  };
  EXPECT_EQ(difference(before, after, 1), expected);  // 10 - 6 - 0.5 - 1
}

TEST(Difference, NeverCountsLessThanNothing) {
  HostCounters before;
  before.busy_seconds = 100;
  HostCounters after = before;
  after.children_seconds = 1;
  EXPECT_EQ(difference(before, after).at("other_cpu_seconds"), 0);
}

TEST_F(HostTest, TurnsCountersIntoSharesAndCounts) {
  write("proc/self/cgroup", "0::/\n");
  write("proc/self/mountinfo", "1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  write("sys/fs/cgroup/cpu.stat", "nr_throttled 4\nthrottled_usec 1000000\n");
  write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  processors(10, 100, 0);
  HostTelemetry telemetry(HostReader(root_.path()));
  telemetry.sample(1);
  processors(11, 102, 1);
  write("sys/fs/cgroup/cpu.stat", "nr_throttled 9\nthrottled_usec 1500000\n");
  write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=500000\n");
  telemetry.sample(3);
  const auto series = telemetry.series();
  ASSERT_NE(find(series, "cpu_busy"), nullptr);
  EXPECT_EQ(find(series, "cpu_busy")->values, std::vector<double>{.25});
  EXPECT_EQ(find(series, "cpu_steal")->values, std::vector<double>{.25});
  EXPECT_EQ(find(series, "pressure_cpu")->values, (std::vector<double>{0, .25}));
  EXPECT_EQ(find(series, "cpu_throttled_periods")->values, (std::vector<double>{0, 5}));
  EXPECT_EQ(find(series, "cpu_throttled_seconds")->values, (std::vector<double>{0, .5}));
  EXPECT_EQ(find(series, "cpu_throttled_seconds")->seconds, (std::vector<double>{1, 3}));
  EXPECT_EQ(find(series, "cpu_throttled_seconds")->unit, "second");
}

}  // namespace
}  // namespace gpugauge::run
