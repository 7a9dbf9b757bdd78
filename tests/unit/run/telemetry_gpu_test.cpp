#include "run/telemetry_gpu.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_family.hpp"

namespace gpugauge::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Runs a script in the place of the telemetry process.
class GpuTelemetryTest : public ::testing::Test {
 protected:
  std::vector<result::Series> collect(const std::string& body, double seconds = .3) {
    GpuTelemetry::Options options;
    options.command = {fakes_.script("telemetry", body), {}, {}};
    options.first_answer_seconds = .2;
    options.silence_seconds = .2;
    Loop loop;
    double now = 0;
    GpuTelemetry telemetry(loop, options, [&] { return now++; });
    loop.run_for(seconds);
    telemetry.finish();
    remark_ = telemetry.remark();
    return telemetry.series();
  }

  Fakes fakes_;
  std::string remark_;
};

TEST_F(GpuTelemetryTest, MakesASeriesOfEachQuantityOfEachGpu) {
  const auto series = collect(
      "echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"power_watts\": 100.5}, {\"uuid\": \"GPU-2\", "
      "\"power_watts\": 90}]}'\n"
      "echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"power_watts\": 101.5, \"sm_clock_hz\": 1.98e9}]}'\nexec "
      "sleep 100");
  ASSERT_EQ(series.size(), 3U);
  EXPECT_EQ(series[0].source, "gpu:GPU-1");
  EXPECT_EQ(series[0].name, "power_watts");
  EXPECT_EQ(series[0].unit, "watt");
  EXPECT_THAT(series[0].values, ElementsAre(100.5, 101.5));
  EXPECT_THAT(series[0].seconds, ElementsAre(0, 1));
  EXPECT_EQ(series[1].source, "gpu:GPU-2");
  EXPECT_EQ(series[2].unit, "hertz");
}

TEST_F(GpuTelemetryTest, IgnoresQuantitiesItDoesNotKnow) {
  EXPECT_THAT(collect("echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"colour\": 1}]}'; exec sleep 100"),
              IsEmpty());
}

TEST_F(GpuTelemetryTest, SaysWhatTheProcessCouldNot) {
  EXPECT_THAT(collect("echo '{\"error\": \"libnvidia-ml.so.1 cannot be opened.\"}'; exit 1"), IsEmpty());
  EXPECT_EQ(remark_, "No GPU telemetry: libnvidia-ml.so.1 cannot be opened.");
}

TEST_F(GpuTelemetryTest, GivesUpOnADriverThatHangs) {
  EXPECT_THAT(collect("trap '' TERM; sleep 100", .4), IsEmpty());
  EXPECT_THAT(remark_, StartsWith("No GPU telemetry: NVML gave no answer within 0.2 s"));
}

TEST_F(GpuTelemetryTest, SaysWhenItEndedEarly) {
  EXPECT_EQ(
      collect("echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"power_watts\": 1}]}'; echo why >&2; kill -SEGV $$")
          .size(),
      1U);
  EXPECT_EQ(remark_,
            "GPU telemetry ended early: its process was ended by signal 11 (SIGSEGV). It said: why\n");
}

TEST_F(GpuTelemetryTest, RefusesGarbage) {
  for (const std::string line :
       {"hello", "[]", "{}", R"({"gpus": [{"power_watts": 1}]})", R"({"gpus": [1]})",
        R"({"gpus": [{"uuid": "GPU-1", "power_watts": "1"}]})", R"({"gpus": [{"uuid": "a b"}]})",
        R"({"gpus": [{"uuid": "GPU-1", "power_watts": 1e999}]})"}) {
    EXPECT_THAT(collect("echo '" + line + "'; exec sleep 100", .1), IsEmpty()) << line;
    EXPECT_THAT(remark_, HasSubstr("answered what is no sample: ")) << line;
  }
  collect("head -c 3000000 /dev/zero; exec sleep 100", .4);
  EXPECT_THAT(remark_, HasSubstr("answered without end"));
}

TEST_F(GpuTelemetryTest, CostsARunNothingButARemark) {
  auto plan = quick_plan({fakes_.family("fake", "leave; sleep .1")});
  plan.gpu_telemetry = true;
  plan.telemetry_command = {fakes_.script("telemetry", "echo nonsense; exec sleep 100")};
  const auto run = execute(plan, [](const Progress&) {});
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.processes.at(0).status, result::Status::ok);
  EXPECT_THAT(run.remarks,
              ElementsAre("GPU telemetry was given up: its process answered what is no sample: nonsense"));
}

TEST_F(GpuTelemetryTest, StandsInTheRunBesideTheHost) {
  auto plan = quick_plan({fakes_.family("fake", "leave; sleep .1")});
  plan.gpu_telemetry = true;
  plan.telemetry_command = {fakes_.script(
      "telemetry",
      "while :; do echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"power_watts\": 7}]}'; sleep .02; done")};
  const auto run = execute(plan, [](const Progress&) {});
  EXPECT_THAT(run.remarks, IsEmpty());
  ASSERT_EQ(run.telemetry.back().source, "gpu:GPU-1");
  EXPECT_GE(run.telemetry.back().values.size(), 2U);
  EXPECT_LE(run.telemetry.back().seconds.back(), run.wall_seconds);
}

}  // namespace
}  // namespace gpugauge::run
