// A round begins when its GPUs have cooled from what they did before.
#include "run/cool_down.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_family.hpp"

namespace gpugauge::run {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

result::Series temperature(const std::string& uuid, const std::vector<double>& celsius) {
  result::Series out{"gpu:" + uuid, "temperature_celsius", "celsius", {}, celsius};
  for (std::size_t i = 0; i < celsius.size(); ++i) out.seconds.push_back(.5 * static_cast<double>(i));
  return out;
}

/// The GPU that still cools, asked at the time of the last sample.
std::string cools(const std::vector<double>& celsius) {
  const result::Series series = temperature("GPU-1", celsius);
  return cooling({series}, "GPU-1", series.seconds.back(), {}).uuid;
}

TEST(Cooling, EndsWhenTheTemperatureHasNotFallenForASecond) {
  EXPECT_EQ(cools({60}), "GPU-1") << "not watched for long enough";
  EXPECT_EQ(cools({60, 60}), "GPU-1");
  EXPECT_EQ(cools({60, 60, 60}), "");
  EXPECT_EQ(cools({60, 47, 44}), "GPU-1");
  EXPECT_EQ(cools({60, 47, 44, 42, 41, 41}), "GPU-1") << "41 is less than the 42 a second ago";
  EXPECT_EQ(cools({60, 47, 44, 42, 41, 41, 41}), "");
  EXPECT_EQ(cools({40, 45, 60}), "") << "it gets hotter: nothing to wait for";
  const auto hot = cooling({temperature("GPU-1", {60, 47, 44})}, "GPU-1", 1, {});
  EXPECT_EQ(hot.celsius, 44);
}

TEST(Cooling, DoesNotWaitForASensorThatIsMissingOrSilent) {
  const result::Series falls = temperature("GPU-1", {60, 47, 44});
  EXPECT_EQ(cooling({}, "GPU-1", 0, {}).uuid, "");
  EXPECT_EQ(cooling({{"gpu:GPU-1", "power_watts", "watt", {0}, {100}}}, "GPU-1", 0, {}).uuid, "");
  EXPECT_EQ(cooling({{"gpu:GPU-1", "temperature_celsius", "celsius", {}, {}}}, "GPU-1", 0, {}).uuid, "");
  EXPECT_EQ(cooling({falls}, "GPU-1", 4, {}).uuid, "GPU-1");
  EXPECT_EQ(cooling({falls}, "GPU-1", 4.1, {}).uuid, "");
  EXPECT_EQ(cooling({falls}, "GPU-1", 1, {.watch_seconds = 0}).uuid, "") << "no wait was asked for";
}

TEST(Cooling, LooksAtTheGpusOfTheRound) {
  const std::vector<result::Series> node{temperature("GPU-1", {41, 41, 41}),
                                         temperature("GPU-2", {60, 47, 44}),
                                         temperature("GPU-21", {70, 60, 50})};
  EXPECT_EQ(cooling(node, "GPU-1", 1, {}).uuid, "");
  EXPECT_EQ(cooling(node, "GPU-2", 1, {}).uuid, "GPU-2");
  EXPECT_EQ(cooling(node, "GPU-1,GPU-21", 1, {}).uuid, "GPU-21");
  EXPECT_EQ(cooling(node, "MIG-9", 1, {}).uuid, "") << "no telling which GPU it is a part of";
  EXPECT_EQ(cooling({node[1]}, "MIG-9", 1, {}).uuid, "GPU-2") << "it can only be a part of this";
}

class CoolDownTest : public ::testing::Test {
 protected:
  /// A plan of one family beside telemetry that prints these temperatures of GPU-1, one every 20 ms, the last for ever.
  Plan plan_beside(const std::string& temperatures) {
    Plan plan = quick_plan({fakes_.family("fake", "leave")});
    plan.device = "GPU-1";
    plan.gpu_telemetry = true;
    plan.profile.cool_down = {.watch_seconds = .2, .most_seconds = 30};
    plan.telemetry_command = {fakes_.script(
        "telemetry",
        "say() { echo \"{\\\"gpus\\\": [{\\\"uuid\\\": \\\"GPU-1\\\", \\\"temperature_celsius\\\": $1}]}\"; "
        "sleep .02; }\nfor celsius in " +
            temperatures +
            "; do say $celsius; done\n"
            "while :; do say $celsius; done")};
    return plan;
  }

  Fakes fakes_;
};

TEST_F(CoolDownTest, TheFirstFamilyWaitsUntilTheGpuIsCool) {
  std::vector<Progress> seen;
  const auto run = execute(plan_beside("60 58 56 54 52 50 48 46 44 42"),
                           [&](const Progress& progress) { seen.push_back(progress); });
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_EQ(run.processes[0].status, result::Status::ok) << run.processes[0].reason;
  int series_seen = 0;
  for (const result::Series& series : run.telemetry) {
    if (series.name != "temperature_celsius") continue;
    ++series_seen;
    ASSERT_GE(series.values.size(), 10U);
    EXPECT_GE(run.processes[0].start_seconds, series.seconds[9])
        << "it had the last of its temperatures by then";
  }
  EXPECT_THAT(run.remarks, Not(Contains(HasSubstr("cooling"))));
  EXPECT_EQ(series_seen, 1);
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [](const Progress& progress) { return progress.cools; }));
  EXPECT_FALSE(seen.back().cools);
}

TEST_F(CoolDownTest, ARoundThatBeginsBesideTheHeatOfOtherWorkSaysSo) {
  Plan plan = plan_beside("$(seq 900 -1 400)");
  plan.profile.cool_down.most_seconds = .5;
  const auto run = execute(plan, [](const Progress&) {});
  ASSERT_EQ(run.processes.size(), 1U);
  EXPECT_TRUE(run.complete);
  EXPECT_THAT(run.remarks,
              Contains(AllOf(StartsWith("GPU-1 was still cooling, at "), HasSubstr("after 0.5 s"))));
}

TEST(CoolDown, WaitsFiveSecondsAtMost) {
  EXPECT_EQ(CoolDown{}.most_seconds, 5) << "a smoke verdict is promised in 20 s";
}

TEST_F(CoolDownTest, WithoutTelemetryNothingIsWaitedFor) {
  Plan plan = plan_beside("60");
  plan.telemetry_command = {fakes_.script("none", "echo '{\"error\": \"no NVML\"}'; exit 1")};
  plan.profile.cool_down = {.watch_seconds = 20, .most_seconds = 20};
  const auto run = execute(plan, [](const Progress&) {});
  EXPECT_LT(run.wall_seconds, 15);
  EXPECT_THAT(run.remarks, Contains("No GPU telemetry: no NVML"));
}

}  // namespace
}  // namespace gpugauge::run
